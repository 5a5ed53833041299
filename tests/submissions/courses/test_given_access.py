"""Access that administrators give: it takes a reason, and nobody gives any to themselves."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from submissions.courses import change as people
from submissions.models import (
    Assignment,
    AuditEntry,
    CampusGroup,
    Course,
    Invitation,
    Membership,
    StatedReason,
)
from tests.support.html import get_page

ROLE = Membership.Role
REASON = "The owner is ill, tess marks."


@pytest.fixture
def course(assignment: Assignment) -> Course:
    return assignment.course


@pytest.fixture
def tess() -> User:
    return User.objects.create_user("tess")


def page_address(course: Course) -> str:
    return reverse("people", args=[course.pk])


def state_reason(client: Client, course: Course) -> None:
    client.post(reverse("state_reason", args=[course.pk]), {"reason": REASON})


def invite(client: Client, course: Course, email: str = "tess@example.org") -> int:
    """Send the form of an invitation; return the status of the answer."""
    return client.post(page_address(course), {"email": email, "role": "instructor"}).status_code


def link_of(client: Client, course: Course) -> str:
    """Return the link that the page shows to whoever made an invitation."""
    return get_page(client, page_address(course)).values(".copy input", "value")[0].partition("testserver")[2]


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def ways_to_give_access(course: Course, tess: User) -> dict[str, dict[str, object]]:
    """Return the addresses that give somebody access, with the forms that they take."""
    membership, _created = Membership.objects.get_or_create(course=course, user=tess, defaults={"role": ROLE.OBSERVER})
    return {
        page_address(course): {"email": "tess@example.org", "role": "instructor"},
        reverse("add_group", args=[course.pk]): {"group": "cs-tutors", "role": "instructor"},
        reverse("change_role", args=[membership.pk]): {"role": "instructor"},
        reverse("transfer_course", args=[course.pk]): {"member": membership.pk},
    }


def test_an_administrator_gives_no_access_without_a_reason(admin_client: Client, course: Course, tess: User) -> None:
    for address, form in ways_to_give_access(course, tess).items():
        response = admin_client.post(address, form)
        assert response.status_code == 403, address
        assert "State a reason" in response.content.decode()
    assert not Invitation.objects.exists()
    assert not CampusGroup.objects.exists()
    course.refresh_from_db()
    assert (course.owner.username, tess.memberships.get().role) == ("alice", "observer")


def test_the_page_offers_forms_after_a_reason(admin_client: Client, course: Course, tess: User) -> None:
    Membership.objects.create(course=course, user=tess, role=ROLE.OBSERVER)
    forms = "#invite-heading, #transfer-heading, select[name=role]"
    assert not get_page(admin_client, page_address(course)).has(forms)
    state_reason(admin_client, course)
    page = get_page(admin_client, page_address(course))
    assert page.has("#invite-heading")
    assert page.has("#transfer-heading")
    assert f"admin: {REASON}" in page.text("main")


def test_the_link_of_an_invitation_is_shown_to_its_maker_only(
    alice_client: Client, admin_client: Client, colleague_client: Client, course: Course
) -> None:
    invite(alice_client, course)
    link = link_of(alice_client, course)
    state_reason(admin_client, course)
    for client in (admin_client, colleague_client):
        page = get_page(client, page_address(course))
        assert "tess@example.org" in page.text("main")
        assert link not in page.html
        assert "Its link is shown to who made it." in page.text("main")


def test_an_administrator_gets_no_role_by_adding_a_group_or_by_a_transfer_to_themselves(
    admin: User, admin_client: Client, course: Course, tess: User
) -> None:
    state_reason(admin_client, course)
    admin_client.post(reverse("add_group", args=[course.pk]), {"group": "staff", "role": "instructor"})
    for user in (admin, tess):
        people.join_by_groups(user, ["staff"])
    assert list(course.memberships.values_list("user__username", flat=True)) == ["tess"]
    membership = Membership.objects.create(course=course, user=admin, role=ROLE.OBSERVER)
    response = admin_client.post(reverse("transfer_course", args=[course.pk]), {"member": membership.pk})
    assert response.status_code == 422
    course.refresh_from_db()
    assert course.owner.username == "alice"


def test_an_invitation_ends_with_the_right_of_its_maker(
    alice_client: Client, colleague: User, colleague_client: Client, course: Course, tess: User
) -> None:
    invite(colleague_client, course)
    link = link_of(colleague_client, course)
    membership = colleague.memberships.get()
    assert get_page(signed_in(tess), link).has("form")
    membership.role = ROLE.ASSISTANT
    membership.save()
    assert signed_in(tess).post(link).status_code == 404
    assert "tess@example.org" not in get_page(alice_client, page_address(course)).text("main")
    membership.role = ROLE.INSTRUCTOR
    membership.save()
    colleague.is_active = False
    colleague.save()
    assert signed_in(tess).post(link).status_code == 404
    assert not tess.memberships.exists()


def test_an_invitation_with_a_reason_outlives_it(admin_client: Client, course: Course, tess: User) -> None:
    state_reason(admin_client, course)
    invite(admin_client, course)
    link = link_of(admin_client, course)
    StatedReason.objects.update(expires=timezone.now() + timedelta(microseconds=1))
    assert invite(admin_client, course, "later@example.org") == 403
    assert signed_in(tess).post(link).status_code == 302
    assert tess.memberships.get().role == "instructor"


def test_the_log_says_what_was_given_as_an_administrator_and_why(
    alice_client: Client, admin_client: Client, course: Course, tess: User
) -> None:
    state_reason(admin_client, course)
    for address, form in ways_to_give_access(course, tess).items():
        admin_client.post(address, form)
    logged = AuditEntry.objects.filter(action="people").order_by("pk").values_list("page", "subject")
    assert list(logged) == [
        ("people", f"tess@example.org; instructor; as an administrator: {REASON}"),
        ("add_group", f"cs-tutors; instructor; as an administrator: {REASON}"),
        ("change_role", f"tess: observer; instructor; as an administrator: {REASON}"),
        ("transfer_course", f"alice → tess; as an administrator: {REASON}"),
    ]
    # Of a member, and of an invitation that such a one accepts, it says nothing of that.
    alice_client.post(page_address(course), {"email": "bob@example.org", "role": "observer"})
    assert AuditEntry.objects.latest("pk").subject == "bob@example.org; observer"


def test_nobody_accepts_an_invitation_that_they_made_and_the_log_says_who_made_it(
    alice_client: Client, admin_client: Client, course: Course, tess: User
) -> None:
    state_reason(admin_client, course)
    assert invite(admin_client, course, "admin@example.org") == 302
    response = admin_client.post(link_of(admin_client, course))
    assert response.status_code == 403
    assert "somebody else has to accept it" in response.content.decode()
    assert not Membership.objects.exists()
    Invitation.objects.get().delete()
    for client, maker in ((admin_client, "admin as an administrator"), (alice_client, "alice")):
        invite(client, course)
        signed_in(tess).post(link_of(client, course))
        entry = AuditEntry.objects.latest("pk")
        assert (entry.who, entry.page) == ("tess", "invitation")
        assert entry.subject == f"tess@example.org: instructor; invited by {maker}"


def test_the_owner_is_told_by_mail_what_an_administrator_gave(
    admin_client: Client, course: Course, tess: User, settings: Settings, mailoutbox: list[object]
) -> None:
    settings.MAIL = True
    course.owner.email = "alice@example.org"
    course.owner.save()
    state_reason(admin_client, course)
    ways = ways_to_give_access(course, tess)
    for address, form in ways.items():
        admin_client.post(address, form)
    mails = [mail for mail in mailoutbox if mail.to == ["alice@example.org"]]  # type: ignore[attr-defined]
    assert len(mails) == len(ways)
    assert all(REASON in mail.body for mail in mails)  # type: ignore[attr-defined]
    assert "alice → tess" in mails[-1].body  # type: ignore[attr-defined]
