"""Signing in with a campus account, against a provider that runs on loopback."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, ClassVar

import pytest
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from moss.integrations.accounts import campus as campus_accounts
from submissions.models import Assignment, CampusGroup, Membership
from tests.support.campus import Campus, use_provider
from tests.support.html import get_page, page_of
from tests.support.ports import free_port_number

pytestmark = pytest.mark.django_db
ROLE = Membership.Role


def signed_in(client: Client) -> User | None:
    pk = client.session.get("_auth_user_id")
    return User.objects.get(pk=pk) if pk else None


def test_the_sign_in_page_leads_to_the_campus_account_and_back(campus: Campus, client: Client) -> None:
    campus.enrol("dora", email="dora@example.edu", email_verified=True)
    page = get_page(client, reverse("login"), next="/account/")
    assert page.text(".campus") == "Sign in with Example University"
    assert "/accounts/oidc/campus/login/?next=%2Faccount%2F" in page.links()
    assert campus.sign_in(client, "dora", next="/account/").headers["Location"] == "/account/"
    user = signed_in(client)
    assert user
    assert (user.username, user.email, user.has_usable_password()) == ("dora", "dora@example.edu", False)


def test_without_a_provider_nothing_leads_to_one(client: Client, db: None) -> None:
    assert not get_page(client, reverse("login")).has(".campus")
    assert client.get("/accounts/oidc/campus/login/").status_code == 404


class Broken(BaseHTTPRequestHandler):
    """A provider whose paths are what is wrong with its answers."""

    ANSWERS: ClassVar = {
        "/error": (500, b"down"),
        "/page": (200, b"<html>"),
        "/other": (200, b"{}"),
        "/list": (200, b"[]"),
    }

    def do_GET(self) -> None:
        status, body = self.ANSWERS[self.path.removesuffix("/.well-known/openid-configuration")]
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def broken_provider() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Broken) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def assert_no_answer(client: Client, settings: Settings, provider: str) -> None:
    use_provider(settings, provider)
    response = client.get("/accounts/oidc/campus/login/")
    assert response.status_code == 503, provider
    assert "The service with which you sign in does not answer." in page_of(response).text("main")


@pytest.mark.parametrize("answer", sorted(Broken.ANSWERS))
def test_a_provider_that_answers_otherwise_is_told_on_a_page(
    client: Client, settings: Settings, broken_provider: str, answer: str
) -> None:
    assert_no_answer(client, settings, broken_provider + answer)


def test_so_is_a_provider_that_is_down(client: Client, settings: Settings) -> None:
    assert_no_answer(client, settings, f"http://127.0.0.1:{free_port_number()}")


def test_a_second_sign_in_finds_the_same_account(campus: Campus, client: Client) -> None:
    for visitor in (client, Client()):
        campus.sign_in(visitor, "dora")
    assert User.objects.count() == 1


def test_a_verified_address_leads_to_the_account_that_an_administrator_created(
    campus: Campus, client: Client, alice: User
) -> None:
    campus.enrol("a.liddell", email=alice.email, email_verified=True)
    campus.sign_in(client, "a.liddell")
    assert signed_in(client) == alice


def test_an_address_that_the_provider_has_not_verified_leads_to_nobodys_account(
    campus: Campus, client: Client, alice: User
) -> None:
    campus.enrol("mallory", email=alice.email, email_verified=False)
    campus.sign_in(client, "mallory")
    assert signed_in(client) != alice


def test_two_people_with_one_user_name_have_two_accounts(campus: Campus, client: Client, alice: User) -> None:
    campus.enrol("alice", email="another@example.edu", email_verified=True)
    campus.sign_in(client, "alice")
    user = signed_in(client)
    assert user
    assert user != alice
    assert user.username != "alice"


def test_only_groups_that_may_sign_in_do(campus: Campus, client: Client, settings: Settings) -> None:
    settings.CAMPUS_GROUPS = ["cs-staff"]
    campus.enrol("sam", groups=["students"])
    refused = campus.sign_in(client, "sam")
    assert refused.status_code == 403
    assert "is in no group that may use this service" in page_of(refused).text("main")
    assert not User.objects.exists()
    campus.enrol("dora", groups=["cs-staff", "library"])
    campus.sign_in(client, "dora")
    assert signed_in(client)
    campus.enrol("dora", groups=["library"])
    assert campus.sign_in(Client(), "dora").status_code == 403


@pytest.mark.parametrize(
    ("answers", "named"),
    [
        ({"id_token": {"groups": ["1b2e"]}, "userinfo": {"sub": "d"}}, {"1b2e"}),  # Entra ID
        ({"id_token": {"sub": "d"}, "userinfo": {"groups": ["/staff"]}}, {"/staff"}),
        ({"id_token": {"groups": ["staff"]}, "userinfo": {"groups": ["staff"]}}, {"staff"}),  # Keycloak
        ({"id_token": {"groups": "staff"}, "userinfo": None}, {"staff"}),
        ({"id_token": {"sub": "d", "hd": "example.edu"}, "userinfo": {"groups": None}}, set()),  # Google
        ({"id_token": {"groups": {"staff": True}}}, set()),
    ],
)
def test_groups_are_named_in_the_id_token_or_the_user_info(answers: dict[str, Any], named: set[str]) -> None:
    account = SocialAccount(provider="campus", uid="d", extra_data=answers)
    assert campus_accounts.groups(SocialLogin(account=account)) == named


def test_a_group_makes_administrators_and_unmakes_them(
    campus: Campus, client: Client, settings: Settings
) -> None:
    settings.CAMPUS_ADMINISTRATORS = ["cs-admins"]
    campus.enrol("dora", groups="cs-admins")
    campus.sign_in(client, "dora")
    assert User.objects.get().is_staff
    campus.enrol("dora", groups=[])
    campus.sign_in(Client(), "dora")
    assert not User.objects.get().is_staff


def test_a_campus_group_gives_a_role_until_the_account_leaves_it(
    campus: Campus, client: Client, assignment: Assignment
) -> None:
    course = assignment.course
    CampusGroup.objects.create(course=course, group="tutors", role=ROLE.ASSISTANT)
    CampusGroup.objects.create(course=course, group="lecturers", role=ROLE.INSTRUCTOR)
    for groups, role in ((["tutors"], "assistant"), (["tutors", "lecturers"], "instructor"), ([], None)):
        campus.enrol("dora", groups=groups)
        campus.sign_in(Client(), "dora")
        row = Membership.objects.filter(course=course).first()
        assert (row.role if row else None) == role, groups


def test_a_role_that_a_person_gave_is_not_changed_by_a_group(
    campus: Campus, client: Client, assignment: Assignment
) -> None:
    campus.sign_in(client, "dora")
    user = User.objects.get(username="dora")
    Membership.objects.create(course=assignment.course, user=user, role=ROLE.OBSERVER)
    CampusGroup.objects.create(course=assignment.course, group="tutors", role=ROLE.ASSISTANT)
    for groups in (["tutors"], []):
        campus.enrol("dora", groups=groups)
        campus.sign_in(Client(), "dora")
        assert user.memberships.get().role == "observer"


def test_an_answer_of_the_provider_to_another_session_signs_nobody_in(campus: Campus, client: Client) -> None:
    started = client.get("/accounts/oidc/campus/login/").headers["Location"]
    state = started.partition("state=")[2].partition("&")[0]
    answer = Client().get("/accounts/oidc/campus/login/callback/", {"state": state, "code": "x"})
    assert "Signing in with the campus account failed" in page_of(answer).text("main")
    assert not User.objects.exists()


def test_a_closed_account_is_told_so(campus: Campus, client: Client) -> None:
    campus.sign_in(client, "dora")
    User.objects.update(is_active=False)
    visitor = Client()
    answer = campus.sign_in(visitor, "dora")
    assert answer.headers["Location"] == reverse("account_inactive")
    assert "This account was closed" in get_page(visitor, answer.headers["Location"]).text("main")
    assert not signed_in(visitor)
