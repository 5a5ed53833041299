"""One client's session: its lines, its files, and the answer."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING, Protocol

from moss.integrations.moss_protocol.protocol import (
    LANGUAGES,
    FileLine,
    Options,
    ProtocolError,
    SentNames,
    file_line,
    front_end_name,
    sent_text,
    split,
    text,
)
from moss.integrations.moss_protocol.uploads import ARCHIVE, BASE_ARCHIVE, Received, Spool, clean_comment
from submissions.intake.limits import format_size

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.contrib.auth.models import User

    from moss.integrations.moss_protocol.connections import Connections, ListeningLimits

logger = logging.getLogger(__name__)

# Bytes of a connection that are in memory at once, at most twice that.
CHUNK = 64 * 1024
# Clients read at most 1,024 bytes of an answer.
ANSWER_BYTES = 1_000
NO_FILES = "No files uploaded to compare."
UNKNOWN = "The user id is not known. Copy it from the page of your account on the server's web pages."
TOO_MANY = "Too many uploads at once. Try again in some minutes."
FAILED = "The server could not take the upload; its log says why. Try again later."


class Server(Protocol):
    """The functions of a server that a session calls; see `ListeningServer`."""

    limits: ListeningLimits
    connections: Connections

    async def account(self, address: str, number: str) -> User | None: ...

    async def store_and_wait(
        self, received: Received, stored: Callable[[], None], is_closing: Callable[[], bool]
    ) -> str: ...


class Session:
    """A connection from its first line to its end.

    A refused session is read to its end without keeping anything, because some clients read no answer before.
    """

    def __init__(self, server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = writer.get_extra_info("peername")
        self.address: str = peer[0] if peer else ""
        self._server, self._reader, self._writer = server, reader, writer
        self._limits = server.limits
        self._options = Options()
        self._user: User | None = None
        self._refusal = ""
        self._is_over = False
        self._names: SentNames | None = None
        self._spools: dict[str, Spool] = {}
        self._files = 0
        self._bytes = 0

    def abort(self) -> None:
        self._writer.transport.abort()

    async def run(self) -> None:
        """Serve the client; leave nothing behind but a complete upload."""
        try:
            await self._exchange()
            if not self._is_over:
                await self._drain()
        except ProtocolError as error:
            await self._answer(f"Error: {error}")
            await self._drain()
        except TimeoutError:
            await self._answer("Error: Nothing arrived for too long, or the upload took too long.")
        finally:
            self._close_spools()

    async def _exchange(self) -> None:
        async with asyncio.timeout(self._limits.session_seconds):
            if not await self._greeting() or not await self._language():
                return
            comment = await self._receive()
        if comment is not None:
            await self._answer(await self._result(comment))

    async def _greeting(self) -> bool:
        """Read the user id; return False where the client ends the session."""
        word, rest = await self._words(self._limits.greeting_seconds)
        if self._is_over:
            return False
        if word != "moss":
            raise ProtocolError("This port takes the files of MOSS clients. The pages are at another port.")
        self._user = await self._server.account(self.address, text(rest))
        if self._user is None:
            self._refuse(UNKNOWN)
        elif not self._server.connections.begin_session(self):
            self._refuse(TOO_MANY)
        return True

    async def _language(self) -> bool:
        """Read the options up to the language, and answer whether the upload is taken."""
        while True:
            word, rest = await self._words()
            if word == "language":
                break
            if self._is_over:
                return False
            self._options.set(word, text(rest))
        self._options.language = text(rest)[:40]
        if front_end_name(self._options.language) is None:
            self._refuse(f"The language is not known. Choose one of: {' '.join(LANGUAGES)}.")
        self._names = SentNames(self._options.directory)
        await self._answer("no" if self._refusal else "yes")
        return True

    async def _receive(self) -> str | None:
        """Read files up to the query and return its comment, or None where the client ends the session."""
        while True:
            word, rest = await self._words()
            if word == "file":
                await self._file(file_line(rest))
            elif word == "query":
                return clean_comment(sent_text(rest.partition(b" ")[2]))
            elif self._is_over:
                return None
            else:
                self._options.set(word, text(rest))

    async def _file(self, file: FileLine) -> None:
        self._check_limits(file)
        spool = self._begin(file)
        left = file.size
        while left:
            async with asyncio.timeout(self._limits.idle_seconds):
                data = await self._reader.read(min(CHUNK, left))
            if not data:
                raise EOFError
            left -= len(data)
            await self._keep(spool, data)
        if spool and not self._refusal:
            spool.end()

    def _check_limits(self, file: FileLine) -> None:
        """Refuse the session for a file that is too much; one that cannot be skipped ends it.

        Raises
        ------
        ProtocolError
            When the stated size is beyond what a whole session may have.
        """
        limits = self._limits
        self._files, self._bytes = self._files + 1, self._bytes + file.size
        if file.size > limits.total_bytes:
            raise ProtocolError(f"A file may have {format_size(limits.file_bytes)}, not {file.size} bytes.")
        if file.size > limits.file_bytes:
            self._refuse(f"File {file.number} has more than {format_size(limits.file_bytes)}. Leave it out.")
        elif self._files > limits.files:
            self._refuse(f"More than {limits.files:,} files. Send fewer at a time.")
        elif self._bytes > limits.total_bytes:
            self._refuse(f"The files have more than {format_size(limits.total_bytes)}. Send fewer at a time.")

    def _begin(self, file: FileLine) -> Spool | None:
        """Begin a file in its archive; return None where the session is refused."""
        assert self._names is not None
        if self._refusal:
            return None
        names = SentNames(directory=False) if file.is_base else self._names
        path = f"{self._files}/{names.path(file.name)}" if file.is_base else names.path(file.name)
        try:
            kind = BASE_ARCHIVE if file.is_base else ARCHIVE
            spool = self._spools.get(kind) or self._spools.setdefault(kind, Spool())
            spool.begin(path, file.size)
        except OSError as error:
            self._fail(error)
            return None
        return spool

    async def _keep(self, spool: Spool | None, data: bytes) -> None:
        if spool is None or self._refusal:
            return
        try:
            await asyncio.to_thread(spool.write, data)
        except OSError as error:
            self._fail(error)

    async def _result(self, comment: str) -> str:
        """Return the last line for the client: an address or an error."""
        if self._refusal:
            return f"Error: {self._refusal}"
        files, base = self._spools.get(ARCHIVE), self._spools.get(BASE_ARCHIVE)
        if not files or not files.files:
            return f"Error: {NO_FILES}"
        assert self._user is not None
        assert self._names is not None
        received = Received(
            self._user,
            self.address,
            self._options,
            front_end_name(self._options.language) or "",
            comment,
            self._names.sent,
            len(self._names.folders),
            files.uploaded(ARCHIVE),
            base.uploaded(BASE_ARCHIVE) if base else None,
        )
        return await self._server.store_and_wait(received, self._close_spools, self._writer.is_closing)

    def _refuse(self, message: str) -> None:
        """Keep nothing of this session; the first reason is told at its end."""
        self._refusal = self._refusal or message
        self._close_spools()

    def _fail(self, error: OSError) -> None:
        logger.warning("an upload of a MOSS client could not be written: %s", error.strerror)
        self._refuse(FAILED)

    async def _words(self, seconds: float | None = None) -> tuple[str, bytes]:
        """Return the first word of the next line, and the rest; note the end of the session."""
        word, rest = split(await self._line(seconds))
        self._is_over = word in {"", "end"}
        return word, rest

    async def _line(self, seconds: float | None = None) -> bytes:
        """Return the next line; empty at the end of the connection.

        Raises
        ------
        ProtocolError
            When it is too long.
        """
        try:
            async with asyncio.timeout(seconds or self._limits.idle_seconds):
                line = await self._reader.readuntil(b"\n")
        except asyncio.IncompleteReadError as end:
            if end.partial:
                raise EOFError from end
            return b""
        except asyncio.LimitOverrunError as error:
            raise ProtocolError("A line is too long.") from error
        if len(line) > self._limits.line_bytes:
            raise ProtocolError(f"A line has more than {self._limits.line_bytes:,} bytes.")
        return line

    async def _answer(self, line: str) -> None:
        """Send one line in one piece."""
        single = " ".join(line.split()).encode()[:ANSWER_BYTES].decode(errors="ignore")
        self._writer.write(f"{single}\n".encode())
        async with asyncio.timeout(self._limits.idle_seconds):
            await self._writer.drain()

    async def _drain(self) -> None:
        """Discard what the client still sends, so that it reads the answer before the connection ends."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._limits.drain_seconds):
                while (data := await self._reader.read(CHUNK)) and not data.endswith((b"end\n", b"end\r\n")):
                    pass

    def _close_spools(self) -> None:
        for spool in self._spools.values():
            spool.close()
        self._spools.clear()
