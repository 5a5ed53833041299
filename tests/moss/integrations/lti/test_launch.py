"""Launches from a learning platform: accounts, courses, roles and rosters that they give, and deep links."""

import base64
import copy
import json
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import jwt
import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.auth import get_user
from django.contrib.auth.models import User
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from jwt.algorithms import RSAAlgorithm
from pytest_django.fixtures import Settings

from moss.integrations.lti import requests_out
from moss.integrations.lti.models import DeepLinkRequest, Platform, PlatformAccount, PlatformCourse, UsedNonce
from moss.integrations.lti.requests_out import PlatformFailed
from moss.integrations.lti.tokens import RESOURCE
from moss.integrations.lti.views import TOOL
from submissions.models import Assignment, AuditEntry, Course, CourseRoster, EnrolledStudent, Membership
from tests.moss.integrations.lti.test_registration import register
from tests.support.html import Page, get_page, page_of
from tests.support.long_rows import rest_is_long
from tests.support.platform import (
    ADMINISTRATOR,
    ASSISTANT,
    CLAIM,
    CLIENT_ID,
    DEPLOYMENT,
    INSTRUCTOR,
    LEARNER,
    SPEC,
    LearningPlatform,
)

pytestmark = pytest.mark.services


def assert_refused(client: Client, response: HttpResponseBase, *words: str) -> None:
    """Check that the page says why and what to do, and that nothing was created."""
    assert response.status_code == 403
    text = page_of(response).text("main")
    assert [word for word in words if word not in text] == [], text
    assert not get_user(client).is_authenticated
    assert not User.objects.exists()
    assert not Course.objects.exists()


def test_the_question_to_the_platform_is_as_lti_says(lms: LearningPlatform, client: Client) -> None:
    asked = lms.begin(client, lti_message_hint="a hint")
    assert {name: asked[name] for name in ("scope", "response_type", "response_mode", "prompt")} == {
        "scope": "openid",
        "response_type": "id_token",
        "response_mode": "form_post",
        "prompt": "none",
    }
    assert (asked["client_id"], asked["login_hint"], asked["lti_message_hint"]) == (CLIENT_ID, "7", "a hint")
    assert asked["redirect_uri"] == "http://testserver/lti/launch/"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"exp": int(time.time()) - 3600}, "expired"),
        ({"iat": int(time.time()) + 3600}, "not yet valid"),
        ({"aud": "another-tool"}, "Audience"),
        ({"aud": [CLIENT_ID, "another-tool"]}, "azp"),
        ({"azp": "another-tool"}, "azp"),
        ({"iss": "https://other.example"}, "issuer"),
        ({"exp": float("inf")}, "was refused"),
        ({"iat": float("inf")}, "was refused"),
        ({"nonce": "another"}, "the nonce is another one"),
        ({"nonce": None}, "nonce"),
        ({"sub": None}, "sub"),
        ({"version": "1.1"}, "LTI 1.3.0"),
        ({"message_type": "LtiSubmissionReviewRequest"}, "none of LtiResourceLinkRequest"),
        ({"message_type": "LtiAssetProcessorSettingsRequest"}, "none of LtiResourceLinkRequest"),
        ({"message_type": "LtiReportReviewRequest"}, "none of LtiResourceLinkRequest"),
        ({"deployment_id": "deployment-2"}, "add the deployment id deployment-2"),
        ({"context": None}, "Open the link from a course"),
    ],
)
def test_a_token_that_is_not_as_it_has_to_be_is_refused(
    changes: dict[str, Any], words: str, lms: LearningPlatform, client: Client
) -> None:
    assert_refused(client, lms.launch(client, **changes), words)


@pytest.mark.parametrize(
    "payload",
    [b"[" * 50_000, b'{"iss": ' + b"9" * 5_000 + b"}", b"\xff", b"[]"],
    ids=["deep", "a long number", "not text", "a list"],
)
def test_a_signed_token_that_cannot_be_read_is_refused(payload: bytes, lms: LearningPlatform, client: Client) -> None:
    token = jwt.PyJWS().encode(payload, lms.server.key, "RS256", headers={"kid": "key-1"})
    assert_refused(client, lms.send(client, lms.begin(client)["state"], token), "was refused")


def test_a_token_of_somebody_elses_key_is_refused(lms: LearningPlatform, client: Client) -> None:
    lms.launch(Client())
    User.objects.all().delete()
    begun = lms.begin(client)
    lms.server.rotate()
    token = jwt.encode(lms.claims(begun["nonce"]), lms.server.key, "RS256", headers={"kid": "key-1"})
    assert_refused(client, lms.send(client, begun["state"], token), "Signature")


def test_a_new_key_of_the_platform_is_read_and_the_old_one_ends(lms: LearningPlatform, client: Client) -> None:
    opened = lms.launch(client)["Location"]
    assert opened == Course.objects.get().get_absolute_url()
    assert "Algorithms" in page_of(client.get(opened)).text("h1")
    lms.server.rotate()
    assert lms.launch(Client()).status_code == 403  # it was asked a moment ago
    Platform.objects.update(keys_asked=timezone.now() - timedelta(minutes=1))
    assert lms.launch(Client()).status_code == 302
    assert lms.server.asked == ["/keys", "/keys"]
    assert [key["kid"] for key in Platform.objects.get().keys] == ["key-2"]  # type: ignore[attr-defined]


def test_a_platform_that_does_not_answer_is_not_asked_by_every_launch(lms: LearningPlatform, client: Client) -> None:
    assert lms.launch(client).status_code == 302
    lms.server.instead = b"no JSON"
    Platform.objects.update(keys_asked=timezone.now() - timedelta(days=1))
    for _ in range(3):
        assert lms.launch(client).status_code == 403
    assert lms.server.asked == ["/keys", "/keys"]
    lms.server.instead = None
    Platform.objects.update(keys_asked=timezone.now() - timedelta(minutes=1))
    assert lms.launch(client).status_code == 302


def test_a_launch_is_taken_once(lms: LearningPlatform, client: Client) -> None:
    begun = lms.begin(client)
    token = lms.server.sign(lms.claims(begun["nonce"]))
    assert lms.send(client, begun["state"], token).status_code == 302
    again = lms.send(client, begun["state"], token)
    assert again.status_code == 403
    assert "was used already" in page_of(again).text("main")
    assert UsedNonce.objects.count() == 1


def test_a_launch_that_another_browser_began_is_refused(lms: LearningPlatform, client: Client) -> None:
    begun = lms.begin(Client())
    token = lms.server.sign(lms.claims(begun["nonce"]))
    assert_refused(client, lms.send(client, begun["state"], token), "keep cookies")
    lms.begin(client)
    assert_refused(client, lms.send(client, begun["state"], token), "keep cookies")


def test_a_state_that_this_service_did_not_sign_is_refused(lms: LearningPlatform, client: Client) -> None:
    begun = lms.begin(client)
    token = lms.server.sign(lms.claims(begun["nonce"]))
    for state in ("", "x", begun["state"][:-1] + ("a" if begun["state"][-1] != "a" else "b")):
        assert_refused(client, lms.send(client, state, token), "did not begin at this service")


def test_two_tabs_can_launch_at_the_same_time(lms: LearningPlatform, client: Client) -> None:
    begun = [lms.begin(client) for _ in range(2)]
    for one in begun:
        token = lms.server.sign(lms.claims(one["nonce"]))
        assert lms.send(client, one["state"], token).status_code == 302


def test_a_platform_that_is_not_registered_is_sent_nowhere(lms: LearningPlatform, client: Client) -> None:
    for sent in (
        {"iss": "https://evil.example", "login_hint": "1"},
        {"iss": "https://lms.example", "client_id": "other", "login_hint": "1"},
        {"iss": "https://lms.example"},
        {},
    ):
        response = client.get("/lti/login/", sent)
        assert response.status_code == 403
        assert "register it: issuer" in page_of(response).text("main")


def test_what_the_platform_refuses_is_said(lms: LearningPlatform, client: Client) -> None:
    begun = lms.begin(client)
    response = client.post("/lti/launch/", {"state": begun["state"], "error": "login_required"})
    assert_refused(client, response, "did not sign you in")


@pytest.mark.parametrize("content", [b"no JSON", b"[]", b'{"keys": 1}', b'{"keys": [1, {"kty": "RSA"}]}', b"x" * 3000])
def test_keys_that_cannot_be_read_are_said(
    content: bytes, lms: LearningPlatform, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests_out, "LARGEST_ANSWER", 2000)
    lms.server.instead = content
    assert_refused(client, lms.launch(client), "The keys of Example LMS could not be read", "Try again")


def test_nothing_is_asked_at_an_address_that_is_not_stored(lms: LearningPlatform) -> None:
    for address in (
        "http://127.0.0.1:1/keys",
        "https://lms.example/keys",
        "file:///etc/passwd",
        "http://[::1",
    ):
        with pytest.raises(PlatformFailed, match="no host that is stored"):
            requests_out.get_json(lms.row, address)
    assert lms.server.asked == []


def test_in_a_frame_there_is_only_a_link_to_a_window_of_its_own(lms: LearningPlatform, client: Client) -> None:
    sent = {"iss": "https://lms.example", "client_id": CLIENT_ID, "login_hint": "7"}
    response = client.post("/lti/login/", sent, headers={"Sec-Fetch-Dest": "iframe"})
    assert "X-Frame-Options" not in response.headers
    assert "frame-ancestors *" in response.headers["Content-Security-Policy"]
    link = page_of(response).one("main a[target=_blank]").attributes["href"]
    assert client.get(str(link)).headers["Location"].startswith(f"{lms.url}/auth?")


def test_the_cookie_of_a_launch_reaches_it_from_another_site_over_https(
    lms: LearningPlatform, client: Client, settings: Settings
) -> None:
    lms.begin(client)
    assert client.cookies["lti"]["samesite"] == "Lax"
    settings.HTTPS, settings.COOKIE_PREFIX = True, "__Host-"
    lms.begin(client)
    cookie = client.cookies["__Host-lti"]
    assert (cookie["samesite"], cookie["secure"], cookie["httponly"]) == ("None", True, True)


def read_answer(lms: LearningPlatform, response: HttpResponseBase) -> dict[str, Any]:
    """Return what the page hands to the platform, as the platform reads it."""
    page = page_of(response)
    form = page.one("main form")
    assert form.attributes["action"] == f"{lms.url}/links"
    assert f"form-action {lms.url};" in response.headers["Content-Security-Policy"] + ";"
    lms.server.tool_keys = Client().get("/lti/keys/").json()
    token = page.one("main input[name=JWT]").attributes["value"]
    return lms.server.read(str(token), "https://lms.example")


def test_an_instructor_makes_an_assignment_and_its_link_opens_it(lms: LearningPlatform, client: Client) -> None:
    address = lms.launch(client, **lms.deep_linking(data="what it was")).headers["Location"]
    assert not get_page(client, address).has("select")
    claims = read_answer(lms, client.post(address, {"make": "1", "new-name": "Sheet 1"}))
    assignment = Assignment.objects.get()
    assert (assignment.name, assignment.course.name) == ("Sheet 1", "Algorithms")
    assert (claims["iss"], claims["aud"]) == (CLIENT_ID, "https://lms.example")
    assert claims[f"{CLAIM}message_type"] == "LtiDeepLinkingResponse"
    assert claims[f"{CLAIM}deployment_id"] == DEPLOYMENT
    assert claims[f"{SPEC}dl/claim/data"] == "what it was"
    (item,) = claims[f"{SPEC}dl/claim/content_items"]
    assert (item["type"], item["title"], item["url"]) == (
        "ltiResourceLink",
        "Sheet 1",
        "http://testserver/lti/launch/",
    )
    opened = lms.launch(Client(), sub="2", custom=item["custom"])
    assert opened.headers["Location"] == assignment.get_absolute_url()


def test_an_instructor_chooses_an_assignment_of_the_course_and_of_no_other(
    lms: LearningPlatform, client: Client
) -> None:
    lms.launch(client)
    lms.launch(client, context={"id": "course-2", "title": "Other"})
    of_course, others = (course.assignments.create(name="Sheet 1") for course in Course.objects.order_by("pk"))
    address = lms.launch(client, **lms.deep_linking()).headers["Location"]
    options = get_page(client, address).all("select option")
    assert [option.attributes["value"] for option in options] == [str(of_course.pk)]
    assert client.post(address, {"assignment": others.pk}).status_code == 422
    claims = read_answer(lms, client.post(address, {"assignment": of_course.pk}))
    assert claims[f"{SPEC}dl/claim/content_items"][0]["custom"] == {"moss_assignment": str(of_course.pk)}
    assert f"{SPEC}dl/claim/data" not in claims


def test_a_link_that_was_copied_to_another_course_opens_that_course(lms: LearningPlatform, client: Client) -> None:
    lms.launch(client)
    sheet = Course.objects.get().assignments.create(name="Sheet 1")
    for number, custom in enumerate((sheet.pk, "9" * 30, "x", "²", ["1"]), 2):
        context = {"id": f"course-{number}", "title": "Copy"}
        response = lms.launch(client, context=context, custom={"moss_assignment": custom})
        copy = Course.objects.latest("pk")
        assert response.headers["Location"] == copy.get_absolute_url()
        page = get_page(client, copy.get_absolute_url())
        assert "was deleted, or belongs to another course" in page.text(".notices")


def test_a_question_is_answered_once_in_time_and_by_who_was_asked(
    lms: LearningPlatform, client: Client, admin_client: Client
) -> None:
    other = Client()
    lms.launch(client)
    lms.launch(other, sub="2")
    address = lms.launch(client, **lms.deep_linking()).headers["Location"]
    assert other.get(address).status_code == 404
    assert admin_client.get(address).status_code == 404
    DeepLinkRequest.objects.update(created=timezone.now() - timedelta(hours=3))
    assert client.get(address).status_code == 404
    address = lms.launch(client, **lms.deep_linking()).headers["Location"]
    assert DeepLinkRequest.objects.count() == 1
    client.post(address, {"make": "1", "new-name": "Sheet 1"})
    assert client.get(address).status_code == 404


def test_an_assistant_may_not_choose(lms: LearningPlatform, client: Client) -> None:
    lms.launch(Client())
    address = lms.launch(client, sub="2", roles=[ASSISTANT], **lms.deep_linking()).headers["Location"]
    assert client.get(address).status_code == 403


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"deep_link_return_url": "https://evil.example/"}, "other addresses: https://evil.example/"),
        ({"deep_link_return_url": "javascript:alert(1)"}, "not stored"),
        ({"deep_link_return_url": None}, "not stored"),
        ({"accept_types": ["file"]}, "something else than a link"),
        ({"accept_types": ["ltiAssetProcessor"]}, "something else than a link"),
        ({"accept_types": None}, "something else than a link"),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused(
    asked: dict[str, Any], words: str, lms: LearningPlatform, client: Client
) -> None:
    response = lms.launch(client, **lms.deep_linking(**asked))
    assert response.status_code == 403
    assert words in page_of(response).text("main")
    assert not DeepLinkRequest.objects.exists()


def test_an_address_for_the_answer_has_at_most_as_many_characters_as_its_column(
    lms: LearningPlatform, client: Client
) -> None:
    longest = f"{lms.url}/links?".ljust(2000, "x")
    refused = lms.launch(Client(), **lms.deep_linking(deep_link_return_url=f"{longest}x"))
    assert refused.status_code == 403
    assert lms.launch(client, **lms.deep_linking(deep_link_return_url=longest)).status_code == 302
    assert DeepLinkRequest.objects.get().return_url == longest


def test_a_platform_with_another_host_for_its_courses_gets_the_answer_there(
    lms: LearningPlatform, client: Client
) -> None:
    lms.row.service_urls = "https://courses.example/"
    lms.row.save()
    asked = lms.deep_linking(deep_link_return_url="https://courses.example/links?x=1")
    address = lms.launch(client, **asked).headers["Location"]
    response = client.post(address, {"make": "1", "new-name": "Sheet 1"})
    assert "form-action https://courses.example" in response.headers["Content-Security-Policy"]


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


def member(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "user_id": f"user-{number}",
        "name": f"Student {number}",
        "email": f"s{number}@lms.example",
        "lis_person_sourcedid": f"100{number}",
        "roles": [LEARNER],
        "status": "Active",
    } | changes


def fill(lms: LearningPlatform, client: Client, *pages: list[dict[str, Any]]) -> Page:
    """Launch as an instructor, read the people from the platform, and return the page of the roster."""
    lms.server.members = list(pages)
    lms.launch(client)
    lms.server.tool_keys = client.get(reverse("lti_keys")).json()
    course = Course.objects.get()
    page = get_page(client, reverse("roster", args=[course.pk]))
    address = page.one("form[aria-labelledby=platform-heading]").attributes["action"]
    assert client.post(str(address)).headers["Location"] == reverse("roster", args=[course.pk])
    return get_page(client, reverse("roster", args=[course.pk]))


def test_the_students_of_all_pages_become_the_roster(lms: LearningPlatform, client: Client) -> None:
    page = fill(
        lms,
        client,
        [member(1), member(2, roles=[INSTRUCTOR]), member(3, status="Inactive")],
        [
            member(4, status=None, name=None, given_name="Ada", family_name="Four"),
            member(5, roles=["Mentor"]),
        ],
    )
    assert "2 students were read from Example LMS." in page.text(".notices")
    rows = list(EnrolledStudent.objects.values_list("name", "identifier", "email", "other_ids"))
    assert rows == [
        ("Ada Four", "1004", "s4@lms.example", ["user-4"]),
        ("Student 1", "1001", "s1@lms.example", ["user-1"]),
    ]
    assert CourseRoster.objects.get().name == "Example LMS"
    assert lms.server.asked[-3:] == ["/token", "/members", "/members?page=1"]


def test_a_platform_that_keeps_names_to_itself_is_said(lms: LearningPlatform, client: Client) -> None:
    page = fill(lms, client, [{"user_id": "user-1", "roles": [LEARNER]}, member(2)])
    assert "The platform gave no name for 1 student:" in page.text(".problems")
    assert EnrolledStudent.objects.count() == 2


def test_a_list_without_students_changes_nothing(lms: LearningPlatform, client: Client) -> None:
    fill(lms, client, [member(1)])
    page = fill(lms, client, [member(1, roles=[INSTRUCTOR])])
    assert "lists no student" in page.text(".notices")
    assert EnrolledStudent.objects.get().name == "Student 1"


@pytest.mark.parametrize("wrong", ["token", "list", "next page"])
def test_a_platform_that_does_not_give_its_list_is_said_and_changes_nothing(
    wrong: str, lms: LearningPlatform, client: Client
) -> None:
    fill(lms, client, [member(1)])
    if wrong == "token":
        lms.row.client_id = "another"
        lms.row.save()
        PlatformCourse.objects.update(platform=lms.row)
    pages: list[Any] = [7] if wrong == "list" else [[member(2)], [member(3)]]
    lms.server.members, lms.server.next_page = (
        pages,
        "http://127.0.0.1:1/members" if wrong == "next page" else "",
    )
    course = Course.objects.get()
    client.post(reverse("lti_fill_roster", args=[course.pk]))
    page = get_page(client, reverse("roster", args=[course.pk]))
    assert "did not give the list of its students" in page.text(".notices")
    assert EnrolledStudent.objects.get().name == "Student 1"


def test_a_platform_without_the_service_has_no_button(lms: LearningPlatform, client: Client) -> None:
    fill(lms, client, [member(1)])
    PlatformCourse.objects.update(memberships_url="")
    course = Course.objects.get()
    assert not get_page(client, reverse("roster", args=[course.pk])).has("#platform-heading")
    assert client.post(reverse("lti_fill_roster", args=[course.pk])).status_code == 404


@pytest.mark.parametrize("forged", ["without a signature", "with a deep header", "with the public key as a password"])
def test_a_token_without_a_signature_of_the_platform_is_refused(
    forged: str, lms: LearningPlatform, client: Client
) -> None:
    begun = lms.begin(client)
    claims, none = lms.claims(begun["nonce"]), {"alg": "none", "typ": "JWT", "kid": "key-1"}
    public = lms.server.published()["keys"][0]["n"]
    token, words = {
        "without a signature": (f"{encoded(json.dumps(none))}.{encoded(json.dumps(claims))}.", "RS256"),
        "with a deep header": (f"{encoded('[' * 50_000)}.e30.AA", "was refused"),
        "with the public key as a password": (
            jwt.encode(claims, public, "HS256", headers={"kid": "key-1"}),
            "RS256",
        ),
    }[forged]
    assert_refused(client, lms.send(client, begun["state"], token), words)


def encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


@pytest.mark.parametrize(
    ("meanwhile", "words"),
    [
        ("ten minutes pass", "longer than ten minutes"),
        ("the platform is another one", "Invalid issuer"),
        ("the platform is removed", "not registered here any more"),
    ],
)
def test_a_launch_that_began_otherwise_is_refused(
    meanwhile: str, words: str, lms: LearningPlatform, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = lms.begin(client)
    if meanwhile == "ten minutes pass":
        monkeypatch.setattr("moss.integrations.lti.tokens.HOLDS", timedelta(seconds=-1))
    elif meanwhile == "the platform is another one":
        Platform.objects.update(client_id="third", issuer="https://third.example")
    else:
        Platform.objects.all().delete()
    token = lms.server.sign(lms.claims(begun["nonce"]))
    assert_refused(client, lms.send(client, begun["state"], token), words)


@pytest.mark.parametrize(
    ("named", "words"),
    [
        *((named, "Students have no access") for named in ([LEARNER], [], ["Mentor"])),
        ([f"{INSTITUTION}Instructor", f"{INSTITUTION}Administrator"], "Students have no access"),
        ([ASSISTANT], "An instructor of the course has to open the link first"),
    ],
)
def test_a_learner_and_the_first_assistant_get_nothing_but_a_page(
    named: list[str], words: str, lms: LearningPlatform, client: Client
) -> None:
    assert_refused(client, lms.launch(client, roles=named), words)


Path = tuple[str | int, ...]
ODD: list[Any] = [
    5, float("nan"), None, True, -1.5, 10**400, "", "x", "\ud800", [], [1], ["x", None], {}, {"x": [1]},
]  # fmt: skip
MORE = {
    "given_name": "Ina", "family_name": "Structor", "azp": "moss-client", "email_verified": True, "nbf": 1,
    "jti": "1", "locale": "en", "auth_time": 1, f"{CLAIM}custom": {"moss_assignment": "1", "x": "y"},
    f"{CLAIM}launch_presentation": {"document_target": "window", "width": 1},
    f"{CLAIM}tool_platform": {"guid": "1", "name": "LMS"},
}  # fmt: skip


def paths(value: Any, start: Path = ()) -> Iterator[Path]:
    """Yield the way to each value within a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in items:
        yield (*start, key)
        yield from paths(one, (*start, key))


def with_value(whole: Any, path: Path, value: Any) -> Any:
    result = part = copy.deepcopy(whole)
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return result


def claims_of(lms: LearningPlatform, nonce: str) -> dict[str, Any]:
    claims = lms.claims(nonce, **lms.deep_linking(data="x", accept_media_types="*/*", text="t"))
    return MORE | claims


ODD_ROWS = [pytest.param(odd, marks=[pytest.mark.long] * (number > 1)) for number, odd in enumerate(ODD)]


@pytest.mark.parametrize("kind", rest_is_long(["LtiDeepLinkingRequest", RESOURCE]))
@pytest.mark.parametrize("odd", ODD_ROWS, ids=repr)
def test_each_claim_may_have_any_type(odd: Any, kind: str, lms: LearningPlatform, client: Client) -> None:
    answers = dict[Path, int]()
    for path in paths(claims_of(lms, "")):
        begun = lms.begin(client)
        claims = claims_of(lms, begun["nonce"]) | {f"{CLAIM}message_type": kind}
        token = lms.server.sign(with_value(claims, path, odd))
        answers[path] = lms.send(client, begun["state"], token).status_code
    assert set(answers.values()) <= {302, 403}
    assert {answers[name,] for name in ("nonce", "iss", "aud")} == {403}


@pytest.mark.parametrize("odd", ODD_ROWS, ids=repr)
def test_each_value_of_a_published_key_may_have_any_type(odd: Any, lms: LearningPlatform, client: Client) -> None:
    published = lms.server.published()
    for path in paths(published):
        Platform.objects.update(keys=[], keys_asked=None)
        lms.server.instead = json.dumps(with_value(published, path, odd)).encode()
        assert lms.launch(client).status_code in {302, 403}, path


def test_a_private_key_that_a_platform_publishes_is_not_stored(lms: LearningPlatform, client: Client) -> None:
    published = {**RSAAlgorithm.to_jwk(lms.server.key, as_dict=True), "kid": "key-1"}
    lms.server.instead = json.dumps({"keys": [published]}).encode()
    assert lms.launch(client).status_code == 302
    stored: Any = Platform.objects.get().keys
    assert [{*key} for key in stored] == [{"kty", "kid", "n", "e"}]
    # As earlier versions stored it.
    Platform.objects.update(keys=[published])
    assert lms.launch(client).status_code == 302
    assert Platform.objects.get().keys == [published]


@pytest.mark.parametrize("odd", ODD_ROWS, ids=repr)
def test_each_value_of_a_registration_may_have_any_type(odd: Any, lms: LearningPlatform, admin_client: Client) -> None:
    configured, own = lms.server.configured(), {TOOL: {"deployment_id": "1"}, "client_id": "tool-8"}
    for part, whole in (("configuration", configured), ("registration_answer", own)):
        for path in paths(whole):
            lms.server.configuration, lms.server.registration_answer = {}, own
            setattr(lms.server, part, with_value(whole, path, odd))
            Platform.objects.exclude(pk=lms.row.pk).delete()
            (field,) = page_of(admin_client.post(reverse("lti_offer_registration"))).all(".copy input")
            address = str(field.attributes["value"]).removeprefix("http://testserver")
            assert register(lms, address).status_code in {200, 403, 422}, path


@pytest.mark.parametrize("odd", ODD_ROWS, ids=repr)
def test_each_value_of_a_list_of_people_may_have_any_type(odd: Any, lms: LearningPlatform, client: Client) -> None:
    lms.launch(client)
    lms.server.tool_keys = client.get(reverse("lti_keys")).json()
    course = Course.objects.get()
    for path in paths([member(1)]):
        lms.server.members = [with_value([member(1)], path, odd)]
        assert client.post(reverse("lti_fill_roster", args=[course.pk])).status_code == 302, path
        assert client.get(reverse("roster", args=[course.pk])).status_code == 200, path
