"""The proxy of compose.yaml, run by a real nginx in front of nothing: its own answers, and its log."""

import json
import re
import shutil
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from email.message import Message
from http.client import HTTPResponse
from pathlib import Path

import pytest

from submissions.models import Assignment
from tests.conftest import wait_until
from tests.support.api import PROBLEM, secret_of
from tests.support.nginx import running_nginx
from tests.support.web_server import ask, web_server
from tests.test_compose import COMPOSE

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif(not shutil.which("nginx"), reason="nginx is not installed"),
]


def configuration(folder: Path, port: int) -> str:
    """Return the configuration with paths and ports of the test."""
    text: str = COMPOSE["configs"]["proxy"]["content"]
    text = re.sub(r"\$\{\w+:-(\w+)\}", r"\1", text).replace("$$", "$")
    for name, here in (("/dev/stdout", f"{folder}/access.log"), ("/dev/stderr", f"{folder}/error.log")):
        text = text.replace(name, here)
    return text.replace("web:8000", "127.0.0.1:1").replace("listen 8000", f"listen 127.0.0.1:{port}")


@contextmanager
def nginx(folder: Path, port: int, web: int = 1) -> Iterator[int]:
    """Run the proxy in front of a port, which is that of nothing here; yield its own."""
    with running_nginx(folder, configuration(folder, port).replace("127.0.0.1:1;", f"127.0.0.1:{web};")):
        yield port


@pytest.fixture
def proxy(tmp_path: Path, free_port: int) -> Iterator[int]:
    """Return the port of the proxy."""
    with nginx(tmp_path, free_port) as port:
        yield port


def test_answers_of_the_proxy_itself_have_headers(proxy: int) -> None:
    answer = ask(proxy, "/")
    assert answer.status == 502
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Server"] == "nginx"


def test_the_log_has_paths_without_share_links_and_searches(proxy: int, tmp_path: Path) -> None:
    ask(proxy, "/shared/the-secret-token/pairs/1/2/?q=Ada+Lovelace")
    ask(proxy, "/results/7/the-secret-key/match0.html")
    ask(proxy, "/assignments/1/?q=Ada+Lovelace")
    ask(proxy, "/moss/shared/the-secret-token/cases/")
    ask(proxy, "/moss/results/7/the-secret-key/match0.html")
    wait_until(lambda: (tmp_path / "access.log").read_text().count("\n") == 5, what="five lines")
    log = (tmp_path / "access.log").read_text()
    assert " 127.0.0.1 GET /shared/-/pairs/1/2/ 502 " in log
    assert " 127.0.0.1 GET /results/- 502 " in log
    assert " 127.0.0.1 GET /moss/shared/-/cases/ 502 " in log
    assert " 127.0.0.1 GET /moss/results/- 502 " in log
    assert " 127.0.0.1 GET /assignments/1/ 502 " in log
    everything = log + (tmp_path / "error.log").read_text()
    assert "Ada" not in everything
    assert "secret" not in everything


def answer_to(connection: socket.socket, head: str, body: bytes = b"") -> tuple[int, Message, str]:
    """Send a request, of whose body the rest may never come; return the answer."""
    connection.sendall(f"{head}\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode() + body)
    response = HTTPResponse(connection)
    response.begin()
    return response.status, response.headers, response.read().decode()


@pytest.fixture
def connect(stack: ExitStack) -> Callable[[int], socket.socket]:
    """Return a function that connects to a port until the test has ended."""
    return lambda port: stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=100))


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


FORM = "Content-Type: multipart/form-data; boundary=x\r\nContent-Length:"
FILE = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.py"\r\n\r\n%s\r\n--x--\r\n'


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_an_upload_that_is_too_large_is_answered_with_the_limit(
    tmp_path: Path, free_port: int, assignment: Assignment, connect: Callable[[int], socket.socket]
) -> None:
    api = f"/api/v1/assignments/{assignment.pk}/uploads HTTP/1.1\r\nAuthorization: Bearer "
    api += secret_of(assignment.course.owner)
    page = f"/assignments/{assignment.pk}/upload/ HTTP/1.1"
    with web_server(MOSS_MAX_UPLOAD_MB="1", MOSS_PROXIES="1") as web, nginx(tmp_path, free_port, web) as port:
        for size, status in ((100, 202), (12_000_000, 413)):
            body = FILE % (b"x" * size)
            answer = answer_to(connect(port), f"POST {api}\r\n{FORM} {len(body)}", body)
            assert answer[0] == status, answer
        assert answer[1]["Content-Type"] == PROBLEM
        assert "11,000,000 bytes" in json.loads(answer[2])["detail"]
        for prefix in ("", "/moss"):
            status, headers, text = answer_to(connect(port), f"POST {prefix}{api}\r\n{FORM} 300000000")
            assert (status, headers["Content-Type"]) == (413, PROBLEM)
            assert json.loads(text)["status"] == 413
            assert "One upload may have 200 MB." in json.loads(text)["detail"]
        status, headers, text = answer_to(connect(port), f"POST {page}\r\n{FORM} 300000000")
        assert (status, headers["Content-Type"], headers["Retry-After"]) == (413, "text/html", None)
        assert "Nothing was stored. One upload may have 200 MB." in text
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_who_asks_too_much_at_once_is_told_how_much_is_answered(
    proxy: int, connect: Callable[[int], socket.socket]
) -> None:
    for _ in range(100):  # their bodies never come
        connect(proxy).sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nx")
    asked = {path: answer_to(connect(proxy), f"GET {path} HTTP/1.1") for path in ("/api/v1/courses", "/")}
    assert [(status, headers["Retry-After"]) for status, headers, _ in asked.values()] == [(429, "5")] * 2
    assert asked["/api/v1/courses"][1]["Content-Type"] == PROBLEM
    assert json.loads(asked["/api/v1/courses"][2])["detail"].startswith("100 requests from one address")
    assert "100 from one address" in asked["/"][2]
