"""Clients that send one byte after another, as many as a server has threads and more, keep nobody out."""

from __future__ import annotations

import json
import socket
import time
import urllib.request
from contextlib import ExitStack, suppress
from threading import Event, Thread
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from moss.serving.gunicorn_worker import HEADER_SECONDS
from tests.moss.serving.test_supervisor import serve as serve  # noqa: PLC0414 - a fixture
from tests.support.web_server import web_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.moss.serving.test_supervisor import Serve

pytestmark = pytest.mark.services
MANY = 80
# Time for a busy machine, beyond that until the slow clients are cut off.
PATIENCE = 40.0


class SlowClients:
    """Clients that send a header without an end, one byte a second each."""

    def __init__(self, port: int, number: int) -> None:
        self.port, self.number = port, number
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
        client = socket.create_connection(("127.0.0.1", self.port))
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        return client

    def _drip(self) -> None:
        while not self._ended.wait(1):
            for client in self._sockets:
                with suppress(OSError):  # the server cut it off
                    client.sendall(b"a")


def health(port: int) -> dict[str, bool]:
    with urllib.request.urlopen(
        f"http://localhost:{port}/healthz", timeout=HEADER_SECONDS + PATIENCE
    ) as response:
        parts: dict[str, bool] = json.load(response)
        return parts


@pytest.fixture
def web(transactional_db: None) -> Iterator[int]:
    with web_server() as port:
        yield port


@pytest.mark.long
def test_a_web_server_whose_threads_all_wait_for_slow_clients_answers(web: int) -> None:
    assert health(web)["database"]
    with SlowClients(web, MANY // 2):
        assert health(web)["database"]


@pytest.mark.long
def test_moss_serve_alone_answers_with_eighty_slow_clients(
    serve: Callable[[int | None], Serve], free_port: int
) -> None:
    moss = serve(free_port)
    moss.wait_until_serving()
    port = urlsplit(moss.address).port
    assert port
    with SlowClients(port, MANY):
        assert health(port)["database"]
