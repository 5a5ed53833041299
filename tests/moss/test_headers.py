"""Every answer has the headers that protect it, whichever part of the service gives it."""

from collections.abc import Mapping
from email.message import Message

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from tests.support.every_page import World, addresses
from tests.support.web_server import ask, send_raw, web_server

pytestmark = pytest.mark.slow

EXACTLY = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
ICON = "/static/submissions/icon.svg"


def check_headers(headers: Mapping[str, str] | Message, *, static: bool = False) -> None:
    assert {name: headers.get(name) for name in EXACTLY} == EXACTLY
    policy = headers["Content-Security-Policy"]
    for directive in ("default-src 'self'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"):
        assert directive in policy
    assert "unsafe" not in policy
    assert headers["Referrer-Policy"] in {"same-origin", "no-referrer"}
    assert "camera=()" in headers["Permissions-Policy"]
    assert "Access-Control-Allow-Origin" not in headers
    assert static or {"no-store", "private"} <= set(headers["Cache-Control"].split(", "))


@pytest.mark.long
def test_every_address_answers_with_them(world: World, alice_client: Client, client: Client) -> None:
    for address in addresses(world).values():
        for visitor in (alice_client, client):
            check_headers(visitor.get(address).headers)
            check_headers(visitor.post(address).headers)


def test_pages_of_the_installation_answer_with_them(admin_client: Client, client: Client) -> None:
    for address in ("/healthz", "/favicon.ico", reverse("login"), "/admin/", "/admin/auth/user/"):
        for visitor in (admin_client, client):
            check_headers(visitor.get(address).headers)


def test_errors_answer_with_them(
    alice_client: Client, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError

    strict = Client(enforce_csrf_checks=True)
    answers = {
        400: alice_client.get("/", headers={"Host": "evil.example"}),
        403: strict.post(reverse("login")),
        404: alice_client.get("/nowhere/"),
        405: alice_client.get(reverse("switch_names")),
        413: alice_client.generic(
            "POST", reverse("login"), "x" * 3_000_000, "multipart/form-data; boundary=x"
        ),
    }
    monkeypatch.setattr("submissions.courses.views.listed_courses", fail)
    alice_client.raise_request_exception = False
    answers[500] = alice_client.get("/")
    settings.SECURE_SSL_REDIRECT = True
    answers[301] = Client().get("/")
    for status, answer in answers.items():
        assert answer.status_code == status
        check_headers(answer.headers)


@pytest.mark.django_db
def test_static_files_have_them_and_are_cached(client: Client) -> None:
    answer = client.get(ICON)
    assert answer.status_code == 200
    assert b"".join(answer.streaming_content).startswith(b"<svg")  # type: ignore[attr-defined]
    answer.close()
    check_headers(answer.headers, static=True)
    assert "no-store" not in answer.headers["Cache-Control"]


def test_nothing_lists_a_folder_and_nothing_echoes_a_request(client: Client, alice_client: Client) -> None:
    for folder in ("/static/", "/static/submissions/", "/media/", "/.git/config"):
        assert client.get(folder).status_code == 404
    for address in (reverse("courses"), reverse("account")):
        assert alice_client.trace(address).status_code == 405
    assert b"sessionid" not in alice_client.trace(reverse("login")).content


@pytest.mark.long
def test_what_gunicorn_refuses_has_them() -> None:
    """Such as a malformed header, which never reaches Django."""
    with web_server() as port:
        check_headers(ask(port, "/accounts/login/").headers)
        status, headers = send_raw(port, b"GET / HTTP/1.1\r\nHost localhost\r\n\r\n")
    assert status == 400
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Cache-Control"] == "no-store, private"
