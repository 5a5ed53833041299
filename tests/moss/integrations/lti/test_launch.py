"""Launches from a learning platform: which are taken, and which are refused with what to do."""

import base64
import json
import time
from datetime import timedelta
from typing import Any

import jwt
import pytest
from django.contrib.auth import get_user
from django.contrib.auth.models import User
from django.http import HttpResponseBase
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from moss.integrations.lti import requests_out
from moss.integrations.lti.models import Platform, UsedNonce
from moss.integrations.lti.requests_out import PlatformFailed
from submissions.models import Course
from tests.support.html import page_of
from tests.support.platform import CLIENT_ID, DEPLOYMENT, LearningPlatform

pytestmark = pytest.mark.services


def assert_refused(client: Client, response: HttpResponseBase, *words: str) -> None:
    """Check that the page says why and what to do, and that nothing was created."""
    assert response.status_code == 403
    text = page_of(response).text("main")
    assert [word for word in words if word not in text] == [], text
    assert not get_user(client).is_authenticated
    assert not User.objects.exists()
    assert not Course.objects.exists()


def test_a_launch_signs_in_and_opens_the_course(lms: LearningPlatform, client: Client) -> None:
    response = lms.launch(client)
    course = Course.objects.get()
    assert response.headers["Location"] == course.get_absolute_url()
    assert "Algorithms" in page_of(client.get(course.get_absolute_url())).text("h1")


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


def test_a_token_without_a_signature_is_refused(lms: LearningPlatform, client: Client) -> None:
    begun = lms.begin(client)
    parts = [{"alg": "none", "typ": "JWT", "kid": "key-1"}, lms.claims(begun["nonce"])]
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts]
    assert_refused(client, lms.send(client, begun["state"], ".".join([*encoded, ""])), "RS256")


@pytest.mark.parametrize(
    "payload",
    [b"[" * 50_000, b'{"iss": ' + b"9" * 5_000 + b"}", b"\xff", b"[]"],
    ids=["deep", "a long number", "not text", "a list"],
)
def test_a_signed_token_that_cannot_be_read_is_refused(
    payload: bytes, lms: LearningPlatform, client: Client
) -> None:
    token = jwt.PyJWS().encode(payload, lms.server.key, "RS256", headers={"kid": "key-1"})
    assert_refused(client, lms.send(client, lms.begin(client)["state"], token), "was refused")


def test_a_token_with_a_deep_header_is_refused(lms: LearningPlatform, client: Client) -> None:
    header = base64.urlsafe_b64encode(b"[" * 50_000).rstrip(b"=").decode()
    response = lms.send(client, lms.begin(client)["state"], f"{header}.e30.AA")
    assert_refused(client, response, "was refused")


def test_a_token_signed_with_the_public_key_as_a_password_is_refused(
    lms: LearningPlatform, client: Client
) -> None:
    begun = lms.begin(client)
    secret = lms.server.published()["keys"][0]["n"]
    token = jwt.encode(lms.claims(begun["nonce"]), secret, "HS256", headers={"kid": "key-1"})
    assert_refused(client, lms.send(client, begun["state"], token), "RS256")


def test_a_token_of_somebody_elses_key_is_refused(lms: LearningPlatform, client: Client) -> None:
    lms.launch(Client())
    User.objects.all().delete()
    begun = lms.begin(client)
    lms.server.rotate()
    token = jwt.encode(lms.claims(begun["nonce"]), lms.server.key, "RS256", headers={"kid": "key-1"})
    assert_refused(client, lms.send(client, begun["state"], token), "Signature")


def test_a_new_key_of_the_platform_is_read_and_the_old_one_ends(
    lms: LearningPlatform, client: Client
) -> None:
    assert lms.launch(client).status_code == 302
    lms.server.rotate()
    assert lms.launch(Client()).status_code == 403  # it was asked a moment ago
    Platform.objects.update(keys_asked=timezone.now() - timedelta(minutes=1))
    assert lms.launch(Client()).status_code == 302
    assert lms.server.asked == ["/keys", "/keys"]
    assert [key["kid"] for key in Platform.objects.get().keys] == ["key-2"]  # type: ignore[attr-defined]


def test_a_platform_that_does_not_answer_is_not_asked_by_every_launch(
    lms: LearningPlatform, client: Client
) -> None:
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


def test_a_state_holds_ten_minutes(
    lms: LearningPlatform, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = lms.begin(client)
    token = lms.server.sign(lms.claims(begun["nonce"]))
    monkeypatch.setattr("moss.integrations.lti.tokens.HOLDS", timedelta(seconds=-1))
    assert_refused(client, lms.send(client, begun["state"], token), "longer than ten minutes")


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


def test_a_state_of_one_platform_is_not_that_of_another(lms: LearningPlatform, client: Client) -> None:
    begun = lms.begin(client)
    lms.row.client_id, lms.row.issuer = "third", "https://third.example"
    lms.row.save()
    token = lms.server.sign(lms.claims(begun["nonce"]))
    assert_refused(client, lms.send(client, begun["state"], token), "Invalid issuer")


def test_a_platform_that_was_removed_lets_nobody_in(lms: LearningPlatform, client: Client) -> None:
    begun = lms.begin(client)
    Platform.objects.all().delete()
    token = lms.server.sign(lms.claims(begun["nonce"]))
    assert_refused(client, lms.send(client, begun["state"], token), "not registered here any more")


def test_what_the_platform_refuses_is_said(lms: LearningPlatform, client: Client) -> None:
    begun = lms.begin(client)
    response = client.post("/lti/launch/", {"state": begun["state"], "error": "login_required"})
    assert_refused(client, response, "did not sign you in")


@pytest.mark.parametrize(
    "content", [b"no JSON", b"[]", b'{"keys": 1}', b'{"keys": [1, {"kty": "RSA"}]}', b"x" * 3000]
)
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


def test_in_a_frame_there_is_only_a_link_to_a_window_of_its_own(
    lms: LearningPlatform, client: Client
) -> None:
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


def test_a_deployment_that_was_added_is_let_in(lms: LearningPlatform, client: Client) -> None:
    lms.row.deployments = f"{DEPLOYMENT}\ndeployment-2"
    lms.row.save()
    assert lms.launch(client, deployment_id="deployment-2").status_code == 302
