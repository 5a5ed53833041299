"""A session of a MOSS client as `tests.fuzz` has it: bytes that arrived, and a server that stores nothing."""

from __future__ import annotations

import asyncio
import os
import tarfile
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "moss.settings")
django.setup()

from django.contrib.auth.models import User  # noqa: E402 - Django is started first

from moss.integrations.moss_protocol.server import Connections, ListeningLimits, Session  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

    from moss.integrations.moss_protocol.uploads import Received

LIMITS = ListeningLimits(total_bytes=200_000, files=50, drain_seconds=1)
KNOWN = "1"


class Server:
    """Knows one user id, and checks what it would store."""

    limits = LIMITS

    def __init__(self) -> None:
        self.connections = Connections(LIMITS)

    async def account(self, _address: str, number: str) -> User | None:
        return User(pk=1, username="alice") if number == KNOWN else None

    async def store_and_wait(
        self, received: Received, stored: Callable[[], None], _is_closing: Callable[[], bool]
    ) -> str:
        for upload in filter(None, (received.files, received.base)):
            with tarfile.open(fileobj=cast("Any", upload.file), mode="r:") as tar:
                assert not [name for name in tar.getnames() if name.startswith("/") or ".." in name.split("/")]
        stored()
        return "http://127.0.0.1:8000/results/1/"


class Writer:
    """Keeps what is answered."""

    def __init__(self) -> None:
        self.answers: list[bytes] = []

    def get_extra_info(self, _name: str) -> tuple[str, int]:
        return ("127.0.0.1", 1)

    def write(self, data: bytes) -> None:
        self.answers.append(data)

    async def drain(self) -> None:
        """Wait for nothing: the answers are in memory."""

    def is_closing(self) -> bool:
        return False


async def serve(data: bytes) -> None:
    """Serve a client that sends these bytes and ends; each answer is one line."""
    reader, writer, server = asyncio.StreamReader(limit=2 * 64 * 1024), Writer(), Server()
    reader.feed_data(data)
    reader.feed_eof()
    session = Session(server, reader, cast("Any", writer))
    server.connections.add(session)
    with suppress(EOFError):  # the client went away in the middle
        await session.run()
    assert all(answer.count(b"\n") == 1 and answer.endswith(b"\n") for answer in writer.answers)
