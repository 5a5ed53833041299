"""Tokens: created and revoked on the page of the account, and what they let a program do."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from submissions.models import ApiToken, Assignment, Course
from tests.conftest import PASSWORD
from tests.support.api import api_client, client_with, problem_of, secret_of, send
from tests.support.html import get_page, page_of

pytestmark = pytest.mark.services

PAGE = reverse("api_tokens")
FORM = {"name": "nightly upload", "scope": "write", "lasting": "30", "password": PASSWORD}


def test_a_token_is_shown_once_and_stored_as_a_digest(alice_client: Client, assignment: Assignment) -> None:
    page = page_of(alice_client.post(PAGE, FORM))
    secret = str(page.one("#secret").attributes["value"])
    token = ApiToken.objects.get()
    assert secret.startswith(token.prefix)
    assert secret not in str(vars(token))
    assert secret not in get_page(alice_client, PAGE).html
    answer = send(client_with(secret), "get", "/courses").json()
    assert [course["name"] for course in answer["items"]] == ["Programming 1"]


def test_creating_and_revoking_ask_for_the_password(alice: User, alice_client: Client) -> None:
    assert alice_client.post(PAGE, FORM | {"password": "guess"}).status_code == 422
    assert not ApiToken.objects.exists()
    secret = secret_of(alice)
    chosen = {"revoke_chosen": "1", "old-revoke": str(ApiToken.objects.get().pk)}
    assert alice_client.post(PAGE, chosen | {"old-password": "guess"}).status_code == 422
    assert send(client_with(secret), "get", "/courses").status_code == 200
    assert alice_client.post(PAGE, chosen | {"old-password": PASSWORD}).status_code == 302
    assert send(client_with(secret), "get", "/courses").status_code == 401


def test_nobody_revokes_the_token_of_somebody_else(alice: User, bob_client: Client) -> None:
    secret = secret_of(alice)
    key = str(ApiToken.objects.get().pk)
    data = {"revoke_chosen": "1", "old-revoke": key, "old-password": PASSWORD}
    assert bob_client.post(PAGE, data).status_code == 422
    assert send(client_with(secret), "get", "/courses").status_code == 200


@pytest.mark.parametrize("change", ["expired", "revoked", "inactive", "unknown", "missing", "a cookie"])
def test_a_token_that_is_not_valid_is_refused(
    change: str, alice: User, alice_client: Client, client: Client
) -> None:
    secret = secret_of(alice)
    caller = client_with(secret)
    if change == "expired":
        ApiToken.objects.update(expires=timezone.now() - timedelta(seconds=1))
    if change == "revoked":
        ApiToken.objects.update(revoked=timezone.now())
    if change == "inactive":
        alice.is_active = False
        alice.save()
    others = {"unknown": client_with(secret + "x"), "missing": client, "a cookie": alice_client}
    caller = others.get(change, caller)
    response = send(caller, "get", "/courses")
    assert problem_of(response)["status"] == 401
    assert response.headers["WWW-Authenticate"].startswith("Bearer")


def test_a_token_that_reads_cannot_write(alice: User) -> None:
    problem = problem_of(send(api_client(alice, "read"), "post", "/courses", {"name": "New"}))
    assert problem["status"] == 403
    assert not Course.objects.exists()


def test_a_token_for_one_course_knows_no_other(alice: User, assignment: Assignment) -> None:
    other = Course.objects.create(owner=alice, name="Other")
    client = api_client(alice, courses=[assignment.course])
    assert [one["name"] for one in send(client, "get", "/courses").json()["items"]] == ["Programming 1"]
    assert send(client, "get", f"/courses/{assignment.course_id}").status_code == 200
    assert problem_of(send(client, "get", f"/courses/{other.pk}"))["status"] == 404
    assert problem_of(send(client, "post", "/courses", {"name": "New"}))["status"] == 403
    assignment.course.delete()
    assert send(client, "get", "/courses").json()["items"] == []


def test_a_token_never_reaches_the_course_of_somebody_else(bob: User, assignment: Assignment) -> None:
    assert problem_of(send(api_client(bob), "get", f"/courses/{assignment.course_id}"))["status"] == 404


def test_the_last_use_is_noted(alice: User, alice_client: Client) -> None:
    client = api_client(alice)
    assert "never used" in get_page(alice_client, PAGE).text("main")
    send(client, "get", "/courses")
    assert "last used" in get_page(alice_client, PAGE).text("main")


def test_too_many_requests_have_to_wait(alice: User, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.API_REQUESTS_A_MINUTE = 2
    monkeypatch.setattr("moss.integrations.api.requests.time.time", lambda: 1_000_000_000.0)
    client, other = api_client(alice), api_client(alice)
    assert [send(client, "get", "/courses").status_code for _ in range(2)] == [200, 200]
    response = send(client, "get", "/courses")
    assert problem_of(response)["status"] == 429
    assert 0 < int(response.headers["Retry-After"]) <= 60
    assert send(other, "get", "/courses").status_code == 200
