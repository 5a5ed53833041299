"""Accounts without a password change what is theirs once the campus vouched for their person again."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from submissions.models import ApiToken
from tests.conftest import PASSWORD
from tests.support.campus import Campus
from tests.support.html import get_page, page_of
from tests.support.identity_provider import IdentityProvider, request_of
from tests.support.platform import LearningPlatform

pytestmark = pytest.mark.django_db
ACCOUNT, TOKENS = reverse("account"), reverse("api_tokens")
FORM = {"name": "nightly", "scope": "write", "lasting": "30"}
MINUTES = 60.0


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Return a function that sets the clock of the proofs to some seconds after now."""
    now = time.time()
    return lambda seconds: monkeypatch.setattr(
        "moss.integrations.accounts.campus.time.time", lambda: now + seconds
    )


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


def test_an_old_session_of_a_saml_provider_is_no_proof(
    identity_provider: IdentityProvider, client: Client
) -> None:
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
