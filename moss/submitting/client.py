"""Requests to the API of a server. Redirects are not followed: they would send the token elsewhere."""

from __future__ import annotations

import http.client
import json
import time
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from uuid import uuid4

if TYPE_CHECKING:
    from collections.abc import Mapping

TIMEOUT = 120
# How often a request is sent that came too early, and the seconds to wait if the server names none.
TRIES, WAIT = 12, 5
TOO_MANY, FIRST_ERROR, FIRST_SERVER_ERROR = 429, 300, 500
BUSY = (TOO_MANY, 503)
# Statuses with which the server says how much of an upload has arrived.
TELLS_OFFSET = (200, 204, 409)


class ServerRefused(Exception):
    """The server did not do what was asked; the message says why."""


class NotAnswered(ServerRefused):
    """The server did not answer, or could not just now; the same request may succeed later."""


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
        return _answer(*self._ask_again("GET", path, None, {}))

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Create an object with these fields; return it. Raises as `get` does."""
        headers = {"Content-Type": "application/json"}
        return _answer(*self._ask_again("POST", path, json.dumps(body).encode(), headers))

    def begin(self, path: str, length: int, fields: Mapping[str, str]) -> int:
        """Begin an upload of `length` bytes; return its id."""
        named = (f"{name} {b64encode(value.encode()).decode()}" for name, value in fields.items())
        headers = {"Upload-Length": str(length), "Upload-Metadata": ",".join(named), "Content-Length": "0"}
        return int(_answer(*self._ask_again("POST", f"{path}/resumable", None, headers))["id"])

    def offset(self, upload: int) -> int:
        """Return how many bytes of an upload have arrived."""
        return _offset(*self._ask("HEAD", f"/resumable/{upload}", None, {}))

    def send_part(self, upload: int, offset: int, part: bytes) -> int:
        """Send what follows the first `offset` bytes; return where the next part begins."""
        headers = {
            "Content-Type": "application/offset+octet-stream",
            "Content-Length": str(len(part)),
            "Upload-Offset": str(offset),
        }
        return _offset(*self._ask("PATCH", f"/resumable/{upload}", part, headers))

    def _ask_again(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[http.client.HTTPResponse, bytes]:
        """Ask until there is an answer but that the server is busy; with one key, so that it acts once."""
        keys = {"Idempotency-Key": str(uuid4())} if method == "POST" else {}
        for _ in range(TRIES):
            response, content = self._ask(method, path, body, headers | keys)
            if response.status not in BUSY:
                break
            wait = response.headers.get("Retry-After", "")
            time.sleep(min(int(wait), 60) if wait.isdecimal() else WAIT)
        return response, content

    def _ask(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
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
            raise NotAnswered(f"{self.server} did not answer as a web server does: {error!r}.") from error
        finally:
            connection.close()


def _offset(response: http.client.HTTPResponse, content: bytes) -> int:
    """Return where the next part of an upload begins; a part that began elsewhere was not taken."""
    offset = response.headers.get("Upload-Offset", "")
    if offset.isdecimal() and response.status in TELLS_OFFSET:
        return int(offset)
    if response.status == TOO_MANY or response.status >= FIRST_SERVER_ERROR:
        raise NotAnswered(f"The server answered {response.status}.")
    _answer(response, content)
    raise ServerRefused("The server did not say how much has arrived.")


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


def assignment_named(service: Service, course: str, name: str) -> int:
    """Return the id of the assignment of this name in a course, which is named or known by its id.

    Where the course has none of this name, it is created.

    Raises
    ------
    ServerRefused
        When the token reads no such course, or several, or may not create the assignment.
    """
    path = f"/courses/{_course(service, course)}/assignments"
    same_name = [one for one in service.get(path)["items"] if one["name"] == name]
    return int((same_name[0] if same_name else service.post(path, {"name": name}))["id"])


def _course(service: Service, wanted: str) -> int:
    courses: list[dict[str, Any]] = service.get("/courses")["items"]
    named = [one["id"] for one in courses if one["name"] == wanted]
    ids = named or [one["id"] for one in courses if str(one["id"]) == wanted]
    if len(ids) == 1:
        return int(ids[0])
    if ids:
        raise ServerRefused(f"{len(ids)} courses are called {wanted!r}: name one of the ids {ids}.")
    names = ", ".join(f"{one['name']} ({one['id']})" for one in courses) or "none"
    raise ServerRefused(f"There is no course {wanted!r} for this token. There are: {names}.")
