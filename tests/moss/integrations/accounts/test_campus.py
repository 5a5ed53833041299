"""Campus accounts: signing in, and changing what is theirs once the campus vouched for their person again."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from moss.integrations.accounts import campus as campus_accounts
from submissions.models import ApiToken, Assignment, CampusGroup, Membership
from tests.conftest import PASSWORD
from tests.support.campus import Campus, use_provider
from tests.support.html import get_page, page_of
from tests.support.identity_provider import IdentityProvider, request_of
from tests.support.loopback import Handler, serving
from tests.support.platform import LearningPlatform
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


class Broken(Handler):
    """A provider whose paths are what is wrong with its answers."""

    ANSWERS: ClassVar = {
        "/error": (500, b"down"),
        "/page": (200, b"<html>"),
        "/other": (200, b"{}"),
        "/list": (200, b"[]"),
    }

    def get(self) -> None:
        status, body = self.ANSWERS[self.path.removesuffix("/.well-known/openid-configuration")]
        self.answer(body, status)


@pytest.fixture
def broken_provider() -> Iterator[str]:
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Broken)) as server:
        yield f"http://127.0.0.1:{server.server_port}"


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


def test_a_group_makes_administrators_and_unmakes_them(campus: Campus, client: Client, settings: Settings) -> None:
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


ACCOUNT, TOKENS = reverse("account"), reverse("api_tokens")


FORM = {"name": "nightly", "scope": "write", "lasting": "30"}


MINUTES = 60.0


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Return a function that sets the clock of the proofs to some seconds after now."""
    now = time.time()
    return lambda seconds: monkeypatch.setattr("moss.integrations.accounts.campus.time.time", lambda: now + seconds)


def can_change(client: Client) -> bool:
    """Return whether tokens are created and revoked and another session is ended; a refusal is a 422."""
    user = User.objects.get(pk=client.session["_auth_user_id"])
    other = Client()
    other.force_login(user)
    statuses = [client.post(ACCOUNT, {"others": "1"}).status_code, client.post(TOKENS, FORM).status_code]
    is_out = other.get(ACCOUNT).status_code == 302
    if token := ApiToken.objects.filter(user=user, revoked=None).first():
        data = {"revoke_chosen": "1", "old-revoke": str(token.pk)}
        statuses.append(client.post(TOKENS, data).status_code)
    assert statuses in ([302, 200, 302], [422, 422]), statuses
    assert is_out == (statuses[0] == 302)
    return is_out


def test_a_campus_account_creates_tokens_and_ends_sessions(campus: Campus, client: Client) -> None:
    campus.sign_in(client, "dora")
    assert can_change(client)


def test_after_ten_minutes_the_campus_is_asked_again(
    campus: Campus, client: Client, later: Callable[[float], None]
) -> None:
    campus.sign_in(client, "dora")
    later(11 * MINUTES)
    assert not can_change(client)
    page = get_page(client, TOKENS)
    assert "Prove first that it is you" in page.text("#prove")
    assert not page.has("button[name=revoke_chosen], form input[name=name]")
    address = page.one("#prove a.button").attributes["href"] or ""
    asked = parse_qs(urlsplit(client.get(address).headers["Location"]).query)
    assert (asked["prompt"], asked["max_age"]) == (["login"], ["0"])
    query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    later(0)  # as the clock of the provider
    assert campus.sign_in(client, "dora", **query).headers["Location"] == TOKENS
    assert can_change(client)


def test_a_provider_that_asked_nobody_for_long_is_no_proof(campus: Campus, client: Client) -> None:
    campus.enrol("dora", auth_time=int(time.time()) - 3600)
    campus.sign_in(client, "dora")
    assert not can_change(client)
    campus.enrol("dora", auth_time=int(time.time()))
    campus.sign_in(client, "dora")
    assert can_change(client)


def test_the_proof_of_one_account_is_not_that_of_another(campus: Campus, client: Client, alice: User) -> None:
    campus.sign_in(client, "dora")
    proof = client.session["proved"]
    client.force_login(alice)
    session = client.session
    session["proved"] = proof
    session.save()
    assert client.post(TOKENS, FORM).status_code == 422
    assert get_page(client, TOKENS).has("#id_password")


def test_an_account_with_both_may_use_either(
    campus: Campus, client: Client, alice: User, later: Callable[[float], None]
) -> None:
    campus.enrol("a.liddell", email=alice.email, email_verified=True)
    campus.sign_in(client, "a.liddell")
    alice.set_password(PASSWORD)  # an administrator does
    alice.save()
    campus.sign_in(client, "a.liddell")
    assert not get_page(client, TOKENS).has("#id_password")
    later(11 * MINUTES)
    page = get_page(client, TOKENS)
    assert page.has("#id_password")
    assert "Instead of the password: sign in with Example University again" in page.text("main")
    assert client.post(TOKENS, FORM | {"password": "guess"}).status_code == 422
    assert client.post(TOKENS, FORM | {"password": PASSWORD}).status_code == 200


@pytest.mark.long
def test_saml_is_asked_again_and_signs_out_as_before(
    identity_provider: IdentityProvider, client: Client, later: Callable[[float], None]
) -> None:
    identity_provider.enrol("dora")
    identity_provider.sign_in(client, "dora")
    assert can_change(client)
    later(11 * MINUTES)
    assert not can_change(client)
    address = get_page(client, TOKENS).one("#prove a.button").attributes["href"] or ""
    query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    asked = client.get(address)
    assert b'ForceAuthn="true"' in request_of(asked.headers["Location"])
    plain = client.get("/accounts/saml/campus/login/").headers["Location"]
    assert b'ForceAuthn="true"' not in request_of(plain)
    later(0)
    assert identity_provider.sign_in(client, "dora", **query).headers["Location"] == TOKENS
    assert can_change(client)
    assert client.session["saml"]["name_id"] == identity_provider.name_ids["dora"]


def test_an_old_session_of_a_saml_provider_is_no_proof(identity_provider: IdentityProvider, client: Client) -> None:
    identity_provider.enrol("dora")
    asked = identity_provider.ask(client)
    hour_ago = datetime.now(UTC) - timedelta(hours=1)
    identity_provider.send(
        client,
        identity_provider.response(asked, identity_provider.assertion(asked, "dora", asked_at=hour_ago)),
    )
    assert client.session["_auth_user_id"]
    assert not can_change(client)


def test_a_launch_is_a_proof_for_ten_minutes(
    lms: LearningPlatform, client: Client, later: Callable[[float], None]
) -> None:
    lms.launch(client)
    assert can_change(client)
    later(11 * MINUTES)
    assert not can_change(client)
    page = get_page(client, TOKENS)
    assert "Open this service once more from your learning platform" in page.text("#prove")
    assert not page.has("#prove a")
    later(0)
    lms.launch(client)
    assert can_change(client)


def test_an_account_without_anything_is_told_whom_to_ask(client: Client, alice: User) -> None:
    alice.set_unusable_password()
    alice.save()
    for browser in (client, Client()):
        browser.force_login(alice)
    assert "Ask the administrator of this service" in get_page(client, TOKENS).text("#prove")
    refused = page_of(client.post(ACCOUNT, {"others": "1"}))
    assert "Prove first that it is you." in refused.text("main")
    assert not get_page(client, ACCOUNT).has(f"a[href='{reverse('change_password')}']")
