"""Accounts, courses and roles that launches give."""

import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.auth import get_user
from django.contrib.auth.models import User
from django.test import Client

from moss.integrations.lti.models import Platform, PlatformAccount
from submissions.models import AuditEntry, Course, Membership
from tests.support.html import get_page, page_of
from tests.support.platform import ADMINISTRATOR, ASSISTANT, DEPLOYMENT, INSTRUCTOR, LEARNER, LearningPlatform

pytestmark = pytest.mark.services

INSTITUTION = "http://purl.imsglobal.org/vocab/lis/v2/institution/person#"


def roles() -> list[tuple[str, str]]:
    return list(Membership.objects.order_by("pk").values_list("user__username", "role"))


def test_who_comes_first_owns_the_course_and_the_next_ones_get_their_roles(
    lms: LearningPlatform, client: Client
) -> None:
    lms.launch(client)
    lms.launch(Client(), sub="2", name="Ida Second")
    lms.launch(Client(), sub="3", name="Theo Assistant", roles=[ASSISTANT, INSTRUCTOR])
    lms.launch(Client(), sub="4", name="Ada Ministrator", roles=[ADMINISTRATOR])
    course = Course.objects.get()
    assert (course.name, course.owner.username) == ("Algorithms", "ina.structor")
    assert roles() == [
        ("ida.second", "instructor"),
        ("theo.assistant", "assistant"),
        ("ada.ministrator", "instructor"),
    ]
    subjects = list(AuditEntry.objects.order_by("pk").values_list("action", "course", "subject"))
    assert subjects[0] == ("people", "Algorithms", "ina.structor: owner")
    assert subjects[2] == ("people", "Algorithms", "theo.assistant: assistant")


def test_who_comes_twice_has_one_account_and_one_course(lms: LearningPlatform, client: Client) -> None:
    for name in ("Ina Structor", "Ina Married"):
        assert lms.launch(client, name=name).status_code == 302
    assert User.objects.get().username == "ina.structor"
    assert Course.objects.count() == 1
    assert AuditEntry.objects.count() == 1
    assert not User.objects.get().has_usable_password()


@pytest.mark.parametrize(
    "named", [[LEARNER], [], [f"{INSTITUTION}Instructor", f"{INSTITUTION}Administrator"], ["Mentor"]]
)
def test_a_learner_gets_nothing_but_a_page(named: list[str], lms: LearningPlatform, client: Client) -> None:
    response = lms.launch(client, roles=named)
    assert response.status_code == 403
    assert "Students have no access" in page_of(response).text("main")
    assert not User.objects.exists()
    assert not Course.objects.exists()


def test_an_assistant_waits_for_an_instructor(lms: LearningPlatform, client: Client) -> None:
    response = lms.launch(client, roles=[ASSISTANT])
    assert "An instructor of the course has to open the link first" in page_of(response).text("main")
    assert not User.objects.exists()


def test_two_courses_of_a_platform_are_two_here_and_show_nothing_of_each_other(
    lms: LearningPlatform, client: Client
) -> None:
    other = Client()
    lms.launch(client)
    lms.launch(other, sub="2", context={"id": "course-2", "title": "Algorithms"})
    first, second = Course.objects.order_by("pk")
    for visitor, course, others in ((client, first, second), (other, second, first)):
        assert visitor.get(course.get_absolute_url()).status_code == 200
        assert visitor.get(others.get_absolute_url()).status_code == 404
        assert get_page(visitor, "/").texts(".rows .name") == ["Algorithms"]


def test_a_course_whose_name_is_taken_gets_a_number(lms: LearningPlatform, client: Client) -> None:
    for number in (1, 2, 3):
        lms.launch(client, context={"id": f"course-{number}", "title": "Algorithms\n"})
    lms.launch(client, context={"id": "course-4"})
    names = [*Course.objects.order_by("pk").values_list("name", flat=True)]
    assert names == ["Algorithms", "Algorithms (2)", "Algorithms (3)", "Course"]


def test_a_course_of_another_deployment_is_another_one(lms: LearningPlatform, client: Client) -> None:
    lms.row.deployments = f"{DEPLOYMENT} deployment-2"
    lms.row.save()
    lms.launch(client)
    lms.launch(Client(), sub="2", deployment_id="deployment-2")
    assert Course.objects.count() == 2
    assert not roles()


def test_a_deactivated_account_stays_out_of_everything(lms: LearningPlatform, client: Client) -> None:
    lms.launch(Client())
    User.objects.update(is_active=False)
    response = lms.launch(client, context={"id": "course-2"})
    assert response.status_code == 403
    assert "Your account was closed." in page_of(response).text("main")
    assert not get_user(client).is_authenticated
    assert Course.objects.count() == 1


def test_the_address_that_a_platform_claims_leads_to_nobodys_account(
    lms: LearningPlatform, client: Client, alice: User
) -> None:
    lms.launch(client, email=alice.email)
    account = PlatformAccount.objects.get().user
    assert account != alice
    assert account.email == ""
    assert get_user(client) == account


def test_a_platform_whose_addresses_are_verified_leads_to_the_account(
    lms: LearningPlatform, client: Client, alice: User
) -> None:
    Platform.objects.update(trusts_mail=True)
    lms.launch(client, email=alice.email.upper())
    assert get_user(client) == alice
    lms.launch(Client(), email="another@example.org")
    assert PlatformAccount.objects.get().user == alice


def test_no_address_leads_to_an_administrator_or_past_a_closed_account(
    lms: LearningPlatform, client: Client, admin: User, alice: User
) -> None:
    Platform.objects.update(trusts_mail=True)
    lms.launch(client, email=admin.email)
    account = get_user(client)
    assert isinstance(account, User)
    assert (account.is_staff, account.email) == (False, "")
    User.objects.filter(pk=alice.pk).update(is_active=False)
    response = lms.launch(Client(), sub="2", email=alice.email)
    assert "Your account was closed." in page_of(response).text("main")
    lms.launch(Client(), sub="3", name="Bob", email="bob@example.org", email_verified=False)
    assert User.objects.get(username="bob").email == ""


def test_an_account_with_a_second_factor_is_asked_for_it(lms: LearningPlatform, client: Client) -> None:
    lms.launch(Client())
    TOTP.activate(User.objects.get(), generate_totp_secret())
    response = lms.launch(client)
    assert response.headers["Location"] == "/accounts/second-factor/authenticate/"
    assert not get_user(client).is_authenticated


def test_a_role_that_a_person_gave_stays_and_one_of_a_launch_follows_the_platform(
    lms: LearningPlatform, client: Client
) -> None:
    lms.launch(Client())
    for named, expected in (
        ([ASSISTANT], "assistant"),
        ([INSTRUCTOR], "instructor"),
        ([ASSISTANT], "assistant"),
    ):
        lms.launch(client, sub="2", name="Theo", roles=named)
        assert roles() == [("theo", expected)]
    Membership.objects.update(role="observer")
    lms.launch(client, sub="2", name="Theo", roles=[INSTRUCTOR])
    assert roles() == [("theo", "observer")]


def test_who_becomes_a_learner_loses_the_role_that_a_launch_gave_and_no_other(
    lms: LearningPlatform, client: Client
) -> None:
    lms.launch(Client())
    lms.launch(client, sub="2", name="Theo", roles=[ASSISTANT])
    lms.launch(client, sub="2", context={"id": "course-2"})
    lms.launch(client, sub="2", roles=[LEARNER])
    assert roles() == []
    assert Course.objects.count() == 2
    lms.launch(client, sub="2", roles=[ASSISTANT])
    Membership.objects.update(role="observer")
    assert lms.launch(client, sub="2", roles=[LEARNER]).status_code == 403
    assert roles() == [("theo", "observer")]


def test_people_of_one_name_are_told_apart(lms: LearningPlatform, client: Client, alice: User) -> None:
    for number, name in enumerate(("Alice", "ÁLICE", "", "Ali")):
        lms.launch(Client(), sub=f"p{number}", name=name)
    user_names = [*User.objects.exclude(pk=alice.pk).order_by("pk").values_list("username", flat=True)]
    assert user_names[:2] == ["alice2", "alice3"]
    assert user_names[2].startswith("lti-")
    assert user_names[3] == "ali"


def test_a_deleted_course_is_made_again(lms: LearningPlatform, client: Client) -> None:
    lms.launch(client)
    Course.objects.all().delete()
    assert lms.launch(client).headers["Location"] == Course.objects.get().get_absolute_url()
