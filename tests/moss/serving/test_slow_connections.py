"""Clients that send one byte after another, as many as a server has threads and more, keep nobody out."""

from __future__ import annotations

import json
import socket
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from datetime import timedelta
from threading import Event, Thread
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from moss.serving import gunicorn_worker
from moss.serving.gunicorn_worker import HEADER_SECONDS, TimedBody
from submissions.models import Course
from submissions.shares.links import create_share, share_token
from submissions.uploads.change import create_batch
from tests.moss.serving.test_supervisor import (
    Serve,
    serve as serve,  # noqa: PLC0414 - a fixture
)
from tests.support.sample_class import HONEST, zipped
from tests.support.web_server import web_server

pytestmark = pytest.mark.services
MANY = 80
# Time for a busy machine, beyond that until the slow clients are cut off.
PATIENCE = 40.0


HEADER = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
BODY = (
    b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nCookie: csrftoken=" + b"x" * 32 + b"\r\n\r\n"
)


class SlowClients:
    """Clients that begin a request and go on with one byte a second each, or read the answer so."""

    def __init__(self, port: int, number: int, beginning: bytes, *, reads: bool = False) -> None:
        self.port, self.number, self.beginning, self.reads = port, number, beginning, reads
        self._ended = Event()
        self._thread = Thread(target=self._drip)

    def __enter__(self) -> None:
        self._stack = ExitStack()
        self._sockets = [self._stack.enter_context(self._connected()) for _ in range(self.number)]
        self._thread.start()
        time.sleep(2)

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        self._stack.close()

    def _connected(self) -> socket.socket:
        client = socket.socket()
        if self.reads:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        client.connect(("127.0.0.1", self.port))
        client.sendall(self.beginning)
        return client

    def _drip(self) -> None:
        while not self._ended.wait(1):
            for client in self._sockets:
                with suppress(OSError):  # the server cut it off
                    client.recv(1) if self.reads else client.sendall(b"a")


def health(port: int) -> dict[str, bool]:
    with urllib.request.urlopen(f"http://localhost:{port}/healthz", timeout=HEADER_SECONDS + PATIENCE) as response:
        parts: dict[str, bool] = json.load(response)
        return parts


@pytest.fixture
def web(transactional_db: None) -> Iterator[int]:
    with web_server() as port:
        yield port


@pytest.mark.long
@pytest.mark.parametrize("beginning", [HEADER, BODY], ids=["headers", "bodies"])
def test_a_web_server_whose_threads_all_wait_for_slow_clients_answers(web: int, beginning: bytes) -> None:
    assert health(web)["database"]
    with SlowClients(web, MANY // 2, beginning):
        assert health(web)["database"]


@pytest.mark.long
@pytest.mark.parametrize("beginning", [HEADER, BODY], ids=["headers", "bodies"])
def test_moss_serve_alone_answers_with_eighty_slow_clients(
    serve: Callable[[int | None], Serve], free_port: int, beginning: bytes
) -> None:
    moss = serve(free_port)
    moss.wait_until_serving()
    port = urlsplit(moss.address).port
    assert port
    with SlowClients(port, MANY, beginning):
        assert health(port)["database"]


@pytest.fixture
def large_pair(transactional_db: None, alice: User, eager_tasks: None) -> str:
    """Return the address of a page of more than a megabyte behind a link."""
    assignment = Course.objects.create(owner=alice, name="Course").assignments.create(name="Sheet")
    lines = [
        f"def f{n}(a{n}, b):\n    c = a{n} * {n} + b[{n}]\n    return [x for x in c if x > {n}]\n" for n in range(2500)
    ]
    files = {"ada/a.py": "".join(lines), "ben/a.py": "".join(lines).replace("c =", "d = c ="), "cleo/a.py": HONEST}
    create_batch(assignment, alice, [zipped(files)])
    pair = assignment.reports.get().pairs.get(left__name="ada", right__name="ben")
    token = share_token(create_share(assignment, alice, timezone.now() + timedelta(days=1)))
    return reverse("shared_pair", args=[token, pair.left_id, pair.right_id])


@pytest.mark.long
def test_clients_that_read_a_large_page_behind_one_link_slowly_keep_nobody_out(large_pair: str, web: int) -> None:
    login = f"http://localhost:{web}/accounts/login/"
    asking = f"GET {large_pair} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    with SlowClients(web, MANY, asking, reads=True), urllib.request.urlopen(login, timeout=PATIENCE) as page:
        assert page.status == 200


# Bytes at once, seconds before each, and the constants: of the beginning, the rate, and the whole.
BODIES = {
    "a byte at a time": (1, 0.05, (0.3, 1000.0, 60.0)),
    "more slowly than the rate": (20, 0.05, (0.3, 1000.0, 60.0)),
    "for ever": (500, 0.01, (0.3, 1000.0, 0.1)),
    "fast enough": (500, 0.05, (0.3, 1000.0, 60.0)),
    "nothing": (0, 0.05, (0.3, 1000.0, 60.0)),
}


@pytest.mark.parametrize("body", BODIES)
def test_a_body_has_to_come_with_a_rate_and_to_end(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    size, pause, constants = BODIES[body]
    for name, constant in zip(("BODY_SECONDS", "BODY_RATE", "WHOLE_BODY_SECONDS"), constants, strict=True):
        monkeypatch.setattr(gunicorn_worker, name, constant)
    server, client = socket.socketpair()
    ended = Event()

    def send() -> None:
        for _ in range(40):
            with suppress(OSError):
                client.sendall(b"a" * size)
            if ended.wait(pause):
                return
        client.shutdown(socket.SHUT_WR)

    with server, client:
        thread = Thread(target=send)
        thread.start()
        read, received = TimedBody(server), 0
        refused = False
        try:
            while data := read.recv(8192):
                received += len(data)
        except ConnectionResetError:
            refused = True
        ended.set()
        thread.join()
    assert refused == (body != "fast enough")
    assert received <= 40 * size
    assert refused or received == 40 * size
