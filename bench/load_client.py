"""A signed-in visitor of the site: sessions, forms and uploads over HTTP, each request timed."""

from __future__ import annotations

import http.client
import re
import secrets
import time
from http.cookies import SimpleCookie
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

TIMEOUT_SECONDS = 120
BLOCK = 1 << 20
# Connections that the server has closed meanwhile are opened again.
CLOSED = (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError)


class Response(NamedTuple):
    """Status, headers and body of a response, and the seconds until its last byte."""

    status: int
    headers: http.client.HTTPMessage
    body: str
    size: int
    seconds: float

    def links(self, pattern: str) -> list[str]:
        """Return the addresses in links whose path matches `pattern` as a whole, each once, in order."""
        return list(dict.fromkeys(re.findall(f'href="({pattern})"', self.body)))


class Visitor:
    """A browser without scripts: it keeps its cookies and its connection."""

    def __init__(self, address: str) -> None:
        self.host = urlsplit(address).netloc
        self.secure = urlsplit(address).scheme == "https"
        self.cookies: dict[str, str] = {}
        self._connection = self._connect()

    def _connect(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self.secure else http.client.HTTPConnection
        return kind(self.host, timeout=TIMEOUT_SECONDS)

    def get(self, path: str, *, htmx: str = "") -> Response:
        """Request a page; `htmx` is the id of the element that htmx would replace."""
        headers = {"HX-Request": "true", "HX-Target": htmx} if htmx else {}
        return self._request("GET", path, None, headers)

    def post(self, path: str, data: dict[str, str]) -> Response:
        """Send a form."""
        headers = {"Content-Type": "application/x-www-form-urlencoded", **self._token()}
        return self._request("POST", path, urlencode(data).encode(), headers)

    def upload(self, path: str, field: str, name: str, content: bytes | Path) -> Response:
        """Send one file in a form; a path is read while it is sent."""
        boundary = secrets.token_hex(16)
        head = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n'
            "Content-Type: application/zip\r\n\r\n"
        ).encode()
        tail = f"\r\n--{boundary}--\r\n".encode()
        size = content.stat().st_size if isinstance(content, Path) else len(content)
        headers = {
            "Content-Type": f"multipart/form-data; boundary={boundary}",
            "Content-Length": str(len(head) + size + len(tail)),
            **self._token(),
        }
        body = _parts(head, content, tail)
        self._connection.close()  # an upload cannot be repeated on a connection that the server has closed
        return self._request("POST", path, body, headers)

    def sign_in(self, user: str, password: str) -> None:
        """Sign in with the form.

        Raises
        ------
        RuntimeError
            When the server refuses.
        """
        self.get("/accounts/login/")
        answer = self.post("/accounts/login/", {"username": user, "password": password})
        if answer.status != http.HTTPStatus.FOUND:
            raise RuntimeError(f"{user} could not sign in: status {answer.status}")

    def _token(self) -> dict[str, str]:
        origin = f"{'https' if self.secure else 'http'}://{self.host}"
        return {"X-CSRFToken": self.cookies.get("csrftoken", ""), "Referer": f"{origin}/", "Origin": origin}

    def _request(self, method: str, path: str, body: object, headers: dict[str, str]) -> Response:
        headers = {**headers, "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        begin = time.perf_counter()
        try:
            answer, content = self._exchange(method, path, body, headers)
        except CLOSED:
            self._connection.close()
            answer, content = self._exchange(method, path, body, headers)
        except (OSError, http.client.HTTPException):
            self._connection.close()
            raise
        seconds = time.perf_counter() - begin
        for cookie in answer.headers.get_all("Set-Cookie", ()):
            self.cookies |= {name: morsel.value for name, morsel in SimpleCookie(cookie).items()}
        return Response(answer.status, answer.headers, content.decode(), len(content), seconds)

    def _exchange(
        self, method: str, path: str, body: object, headers: dict[str, str]
    ) -> tuple[http.client.HTTPResponse, bytes]:
        self._connection.request(method, path, body, headers)  # type: ignore[arg-type]
        answer = self._connection.getresponse()
        return answer, answer.read()


def _parts(head: bytes, content: bytes | Path, tail: bytes) -> bytes | Iterator[bytes]:
    if isinstance(content, bytes):
        return head + content + tail
    return _streamed(head, content, tail)


def _streamed(head: bytes, path: Path, tail: bytes) -> Iterator[bytes]:
    yield head
    with path.open("rb") as file:
        yield from _blocks(file)
    yield tail


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    while block := file.read(BLOCK):
        yield block
