"""Bodies that are too large and files that nobody asked for are refused before anything is written."""

import os
import select
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from submissions.models import Assignment, Batch
from submissions.pages.requests import too_much_at_once
from tests.conftest import wait_until
from tests.support.html import page_of
from tests.support.paths import ROOT
from tests.support.web_server import web_server

pytestmark = pytest.mark.services

LARGE, SMALL = 4_000_000, 1_000
BOUNDARY = "a-boundary"
# Without a cookie Django refuses a form unread; any cookie of the right length will do.
CSRF_COOKIE = "c" * 32
FILE_HEADER = (
    f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="a.py"\r\n'
    "Content-Type: text/x-python\r\n\r\n"
).encode()


@pytest.fixture(autouse=True)
def no_temporary_folder(tmp_path: Path, settings: Settings) -> None:
    """Let every attempt to write a file to the temporary folder fail."""
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "none"


def send(client: Client, address: str, size: int) -> HttpResponseBase:
    return client.post(address, {"files": SimpleUploadedFile("a.py", b"x" * size)})


def addresses(assignment: Assignment) -> list[str]:
    uploads = [reverse(name, args=[assignment.pk]) for name in ("upload", "add_boilerplate")]
    return [*uploads, reverse("login"), reverse("switch_names"), reverse("admin:login"), reverse("healthz")]


@pytest.mark.parametrize("checks_token", [True, False])
def test_nobody_sends_a_file_without_signing_in_or_to_a_page_that_takes_none(
    assignment: Assignment, alice_client: Client, *, checks_token: bool
) -> None:
    client = Client(enforce_csrf_checks=checks_token)
    client.cookies["csrftoken"] = CSRF_COOKIE
    for address in addresses(assignment):
        response = send(client, address, LARGE)
        assert response.status_code == 413, address
        assert "Sign in before you send files." in page_of(response).text()
        assert not checks_token or send(client, address, SMALL).status_code == 400, address
    for size, status in ((SMALL, 400), (LARGE, 413)):
        assert send(alice_client, reverse("switch_names"), size).status_code == status


def test_an_upload_of_a_signed_in_user_may_be_larger(
    alice_client: Client, assignment: Assignment, tmp_path: Path, settings: Settings
) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path
    response = send(alice_client, reverse("upload", args=[assignment.pk]), LARGE)
    assert response.headers["Location"] == Batch.objects.get().get_absolute_url()


def test_an_upload_over_the_limit_is_refused_before_it_is_read(
    alice_client: Client, assignment: Assignment, settings: Settings
) -> None:
    settings.MAX_UPLOAD_BYTES, settings.DATA_UPLOAD_MAX_NUMBER_FILES = 1_000_000, 10
    response = send(alice_client, reverse("upload", args=[assignment.pk]), LARGE)
    assert response.status_code == 413
    assert "Send fewer or smaller files at once" in page_of(response).text()


@pytest.fixture
def gunicorn(django_db_setup: None, tmp_path: Path) -> Iterator[int]:
    """Return the port of a real web server; its temporary folder is `tmp_path`."""
    with web_server(TMPDIR=os.fspath(tmp_path)) as port:
        yield port


@contextmanager
def unfinished_request(port: int, framing: str, body: bytes) -> Iterator[socket.socket]:
    """Send the start of a form with a file, and leave the request open."""
    head = (
        "POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\n"
        f"Cookie: csrftoken={CSRF_COOKIE}\r\n"
        f"Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n{framing}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(head.encode() + body)
        yield connection


def answer_or_files(connection: socket.socket, folder: Path) -> tuple[str, list[str]]:
    """Wait until the server answers or writes a file; return its status and the names of the files."""

    def files() -> list[str]:
        return [path.name for path in folder.iterdir() if ".upload" in path.name]

    def answered() -> bool:
        return bool(select.select([connection], [], [], 0)[0])

    wait_until(lambda: answered() or bool(files()), what="an answer or a file")
    return connection.recv(12).decode() if answered() else "", files()


@pytest.mark.long
def test_a_real_server_writes_nothing_of_a_form_that_is_large_or_without_a_length(
    gunicorn: int, tmp_path: Path
) -> None:
    body = FILE_HEADER + b"x" * 200_000
    chunk = b"%x\r\n%s\r\n" % (len(body), body)
    for framing, sent, status in (
        (f"Content-Length: {LARGE}", body, 413),
        ("Transfer-Encoding: chunked", chunk, 403),
    ):
        with unfinished_request(gunicorn, framing, sent) as connection:
            assert answer_or_files(connection, tmp_path) == (f"HTTP/1.1 {status}", [])


@pytest.mark.parametrize("proxy", ["compose.yaml", "deploy/kubernetes/proxy.conf"])
def test_a_proxy_says_of_too_large_an_upload_what_the_service_says(proxy: str, settings: Settings) -> None:
    settings.MAX_UPLOAD_BYTES = 200_000_000
    answers = (ROOT / proxy).read_text().replace("${MOSS_MAX_UPLOAD_MB:-200}", "200")
    assert answers.count(too_much_at_once()) == 2
