"""`moss submit` asks a busy server again, so that what it asks for is done once."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from moss.commands.submit import ServerRefused, Service


class BusyServer(HTTPServer):
    """A server that is busy for two requests, and then answers what came with which key."""

    status = 503

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.keys: list[str | None] = []


class Answer(BaseHTTPRequestHandler):
    server: BusyServer

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.keys.append(self.headers.get("Idempotency-Key"))
        busy = len(self.server.keys) <= 2
        body = json.dumps({"id": 7, "detail": "busy"}).encode()
        self.send_response(self.server.status if busy else 200)
        self.send_header("Retry-After", "0")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer  # noqa: N815 - names of the library

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def busy() -> Iterator[BusyServer]:
    with BusyServer() as server:
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def service(busy: BusyServer) -> Service:
    return Service(f"http://127.0.0.1:{busy.server_port}", "a token")


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_asked_again_with_one_key(busy: BusyServer, status: int) -> None:
    busy.status = status
    assert service(busy).post("/courses", {"name": "Sorting"})["id"] == 7
    first, *others = busy.keys
    assert first
    assert others == [first, first]


def test_two_requests_have_two_keys_and_reading_has_none(busy: BusyServer) -> None:
    busy.status = 200
    asked = service(busy)
    asked.post("/courses", {})
    asked.begin("/assignments/1", 3, {"name": "a.zip"})
    asked.get("/courses")
    one, other, none = busy.keys
    assert one
    assert other
    assert (one != other, none) == (True, None)


def test_an_error_of_the_server_is_told_at_once(busy: BusyServer) -> None:
    busy.status = 500
    with pytest.raises(ServerRefused, match="busy"):
        service(busy).get("/courses")
    assert len(busy.keys) == 1
