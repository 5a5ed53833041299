"""Requests to the API of a server. Redirects are not followed: they would send the token elsewhere."""

from __future__ import annotations

import http.client
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from uuid import uuid4

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

TIMEOUT = 120
PART = 1 << 16
# How often a request is sent again that came too early, and the seconds to wait if the server names none.
TRIES, WAIT = 5, 5
TOO_MANY, FIRST_ERROR = 429, 300


class ServerRefused(Exception):
    """The server did not do what was asked; the message says why."""


@dataclass(frozen=True, slots=True)
class Service:
    """The API of a server, as seen with a token."""

    server: str
    token: str

    def get(self, path: str) -> Any:
        """Return the JSON that a path of the API is answered with.

        Raises
        ------
        ServerRefused
            When the answer is an error, or no JSON.
        """
        for _ in range(TRIES):
            response, content = self._ask("GET", path, None, {})
            if response.status != TOO_MANY:
                break
            wait = response.headers.get("Retry-After", "")
            time.sleep(min(int(wait), 60) if wait.isdecimal() else WAIT)
        return _answer(response, content)

    def upload(self, path: str, archive: Path, name: str, fields: dict[str, str]) -> Any:
        """Send a file, in parts, with fields of a form; return the JSON of the answer."""
        boundary = uuid4().hex
        begin, end = _form_around(boundary, name, fields)
        headers = {
            "Content-Type": f"multipart/form-data; boundary={boundary}",
            "Content-Length": str(len(begin) + archive.stat().st_size + len(end)),
            "Idempotency-Key": boundary,
        }
        return _answer(*self._ask("POST", path, _parts(begin, archive, end), headers))

    def _ask(
        self, method: str, path: str, body: Iterable[bytes] | None, headers: dict[str, str]
    ) -> tuple[http.client.HTTPResponse, bytes]:
        parts = urlsplit(self.server)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(parts.netloc, timeout=TIMEOUT)
        try:
            sent = {"Authorization": f"Bearer {self.token}", "Accept-Language": "en", **headers}
            connection.request(method, f"{parts.path}/api/v1{path}", body, sent)
            response = connection.getresponse()
            return response, response.read()
        except http.client.HTTPException as error:
            raise ServerRefused(f"{self.server} did not answer as a web server does: {error!r}.") from error
        finally:
            connection.close()


def _answer(response: http.client.HTTPResponse, content: bytes) -> Any:
    try:
        document = json.loads(content)
    except ValueError:
        document = None
    if response.status >= FIRST_ERROR or document is None:
        detail = document.get("detail") if isinstance(document, dict) else None
        reason = detail or "that is not the API of moss; check the address of the server"
        raise ServerRefused(f"The server answered {response.status}: {reason}")
    return document


def _form_around(boundary: str, name: str, fields: dict[str, str]) -> tuple[bytes, bytes]:
    """Return what a multipart form has before and after the content of its file."""
    lines = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'
        for field, value in fields.items()
    ]
    safe = "".join(
        character if character.isprintable() and character not in '"\\' else "_" for character in name
    )
    lines.append(
        f'--{boundary}\r\nContent-Disposition: form-data; name="files"; filename="{safe}"\r\n'
        "Content-Type: application/zip\r\n\r\n"
    )
    return "".join(lines).encode(), f"\r\n--{boundary}--\r\n".encode()


def _parts(begin: bytes, archive: Path, end: bytes) -> Iterator[bytes]:
    yield begin
    with archive.open("rb") as file:
        while part := file.read(PART):
            yield part
    yield end
