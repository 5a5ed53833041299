"""HTTPS, the headers that protect every answer, and addresses that the server may connect to."""

import sys
from collections.abc import Iterator, Mapping
from email.message import Message
from pathlib import Path
from urllib.parse import urlencode

import pytest
from axes.models import AccessAttempt
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from tests.moss.embedded.test_embedded import environment
from tests.moss.test_settings import evaluate, settings_with
from tests.support.every_page import World, addresses
from tests.support.paths import ROOT
from tests.support.processes import completed
from tests.support.web_server import ask, read_answer, send_raw, web_server

pytestmark = pytest.mark.slow

BEHIND = {"MOSS_HTTPS": "true", "MOSS_PROXIES": "1"}


HOST = "moss.example.org"


# What a client sends that wants to be taken for another one, on another connection, at another host.
LIES = {"X_Forwarded_For": "203.0.113.7", "X_Forwarded_Proto": "https", "X_Forwarded_Host": "evil.example"}


@pytest.mark.long
@pytest.mark.parametrize("days", ["", "0", "1"])
def test_with_https_the_deployment_check_finds_nothing_under_a_path(days: str, tmp_path: Path) -> None:
    variables = BEHIND | {"MOSS_ALLOWED_HOSTS": HOST, "MOSS_URL": f"https://{HOST}/moss", "MOSS_HSTS_DAYS": days}
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level=DEBUG"]
    run = completed(command, env=environment(tmp_path, **variables), cwd=ROOT)
    assert (run.returncode, "no issues" in run.stdout) == (0, True), run.stderr


@pytest.mark.long
def test_with_https_the_deployment_check_finds_nothing(tmp_path: Path) -> None:
    variables = BEHIND | {"MOSS_ALLOWED_HOSTS": HOST}
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level=DEBUG"]
    run = completed(command, env=environment(tmp_path, **variables), cwd=ROOT)
    assert run.returncode == 0, run.stderr
    assert "no issues" in run.stdout


def test_https_without_a_proxy_is_refused_at_the_start(tmp_path: Path) -> None:
    process = settings_with(tmp_path, MOSS_HTTPS="true")
    assert process.returncode != 0
    assert "MOSS_HTTPS needs MOSS_PROXIES" in process.stderr.splitlines()[-1]


def test_cookies_are_bound_to_the_host_and_to_https(tmp_path: Path) -> None:
    names = "s.SESSION_COOKIE_NAME, s.CSRF_COOKIE_NAME"
    assert evaluate(tmp_path, names, **BEHIND) == "__Host-sessionid __Host-csrftoken"
    assert evaluate(tmp_path, names) == "sessionid csrftoken"


def test_the_time_of_hsts_can_be_set(tmp_path: Path) -> None:
    assert evaluate(tmp_path, "s.SECURE_HSTS_SECONDS", **BEHIND) == str(365 * 24 * 60 * 60)
    assert evaluate(tmp_path, "s.SECURE_HSTS_SECONDS", **BEHIND, MOSS_HSTS_DAYS="0") == "0"
    assert evaluate(tmp_path, "s.SECURE_HSTS_SECONDS") == "0"


@pytest.mark.parametrize(("days", "seconds"), [({}, 0), ({"MOSS_HSTS_DAYS": "1"}, 24 * 60 * 60)])
def test_under_a_path_other_services_of_the_host_are_bound_to_nothing(
    tmp_path: Path, days: dict[str, str], seconds: int
) -> None:
    expression = "s.SECURE_HSTS_SECONDS, s.SECURE_HSTS_INCLUDE_SUBDOMAINS"
    under_path = BEHIND | {"MOSS_URL": "https://example.org/moss"} | days
    assert evaluate(tmp_path, expression, **under_path) == f"{seconds} False"


def test_the_pages_for_moss_clients_are_answered_without_https_only_where_that_is_set(tmp_path: Path) -> None:
    exempt = "s.SECURE_REDIRECT_EXEMPT"
    assert evaluate(tmp_path, exempt, **BEHIND) == "['^healthz$']"
    assert evaluate(tmp_path, exempt, **BEHIND, MOSS_RESULTS_HTTP="true") == "['^healthz$', '^results/']"


@pytest.fixture(scope="module")
def behind_a_proxy(django_db_setup: None) -> Iterator[int]:
    """A server that takes this machine for its proxy."""
    with web_server(MOSS_ALLOWED_HOSTS=HOST, **BEHIND) as port:
        yield port


@pytest.fixture(scope="module")
def reached_directly(django_db_setup: None) -> Iterator[int]:
    """A server whose proxy has another address than this machine."""
    with web_server(MOSS_ALLOWED_HOSTS=HOST, MOSS_PROXY_ADDRESSES="192.0.2.1", **BEHIND) as port:
        yield port


@pytest.mark.long
def test_a_stated_proxy_says_whether_the_client_used_https(behind_a_proxy: int) -> None:
    plain = ask(behind_a_proxy, "/accounts/login/", Host=HOST, X_Forwarded_Proto="http")
    assert (plain.status, plain.headers["Location"]) == (301, f"https://{HOST}/accounts/login/")
    encrypted = ask(behind_a_proxy, "/accounts/login/", Host=HOST, X_Forwarded_Proto="https")
    assert encrypted.status == 200
    assert encrypted.headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"
    cookie = encrypted.headers["Set-Cookie"]
    assert cookie.startswith("__Host-csrftoken=")
    assert {"Secure", "HttpOnly", "Path=/", "SameSite=Lax"} <= set(cookie.split("; "))


@pytest.mark.parametrize("host", ["new.example.org", "<script>alert(1)</script>"])
def test_a_host_that_is_not_allowed_is_told_which_variable_names_it(behind_a_proxy: int, host: str) -> None:
    status, page = read_answer(behind_a_proxy, "/accounts/login/", Host=host, X_Forwarded_Proto="https")
    assert status == 400
    assert "add the name to MOSS_ALLOWED_HOSTS" in page
    assert host not in page
    assert "fewer or smaller files" not in page


def test_nobody_else_is_believed(reached_directly: int) -> None:
    answer = ask(reached_directly, "/accounts/login/", Host=HOST, **LIES)
    assert (answer.status, answer.headers["Location"]) == (301, f"https://{HOST}/accounts/login/")


@pytest.mark.long
def test_the_health_check_needs_no_https_and_no_host_name(behind_a_proxy: int) -> None:
    assert ask(behind_a_proxy, "/healthz", Host="localhost").status == 200


@pytest.mark.long
def test_a_forwarded_host_is_believed_from_nobody(behind_a_proxy: int) -> None:
    headers = {**LIES, "X_Forwarded_Proto": "http"}
    answer = ask(behind_a_proxy, "/accounts/login/", Host=HOST, **headers)
    assert answer.headers["Location"] == f"https://{HOST}/accounts/login/"
    assert ask(behind_a_proxy, Host="evil.example", X_Forwarded_Proto="https").status == 400


@pytest.mark.long
def test_without_a_proxy_a_failure_counts_for_the_address_that_connects(transactional_db: None) -> None:
    with web_server() as port:
        token = ask(port, "/accounts/login/", **LIES).headers["Set-Cookie"].split(";")[0].split("=")[1]
        form = urlencode({"csrfmiddlewaretoken": token, "username": "alice", "password": "wrong"})
        fields = {"Cookie": f"csrftoken={token}", "Content_Type": "application/x-www-form-urlencoded", **LIES}
        assert ask(port, "/accounts/login/", "POST", form, **fields).status == 200
    assert AccessAttempt.objects.get().ip_address == "127.0.0.1"


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


def test_errors_answer_with_them(alice_client: Client, monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError

    strict = Client(enforce_csrf_checks=True)
    answers = {
        400: alice_client.get("/", headers={"Host": "evil.example"}),
        403: strict.post(reverse("login")),
        404: alice_client.get("/nowhere/"),
        405: alice_client.get(reverse("switch_names")),
        413: alice_client.generic("POST", reverse("login"), "x" * 3_000_000, "multipart/form-data; boundary=x"),
    }
    monkeypatch.setattr("submissions.courses.read.listed_courses", fail)
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
