"""The server of MOSS clients: its connections, and the session of each client."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import resource
import signal
import socket
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, ParamSpec, Protocol, TypeVar

from django.conf import settings
from django.contrib.auth.models import User
from django.db import close_old_connections, connections

from moss.integrations.moss_protocol import protocol, uploads
from moss.integrations.moss_protocol.models import account_of
from submissions.core.accounts import QuotaExceeded
from submissions.intake.limits import Limits, format_size

# Wrong user ids of an address are counted for this time.
FAILURE_SECONDS = 300.0
# User ids that are counted, and that are known to be right; beyond this number the oldest is forgotten.
COUNTED = 10_000
# Stands for all user ids of an address.
ANY = ""
# An id with as many digits is not found by trying.
UNGUESSABLE_DIGITS = 12

logger = logging.getLogger(__name__)

# Bytes of a connection that are in memory at once, at most twice that.
CHUNK = 64 * 1024
# Clients read at most 1,024 bytes of an answer.
ANSWER_BYTES = 1_000
NO_FILES = "No files uploaded to compare."
UNKNOWN = "The user id is not known. Copy it from the page of your account on the server's web pages."
TOO_MANY = "Too many uploads at once. Try again in some minutes."
FAILED = "The server could not take the upload; its log says why. Try again later."

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

# Threads that use the database, with a connection each.
DATABASE_THREADS = 4
# Characters of a user id that are looked at.
LONGEST_USER_ID = 40
# Seconds between two looks at whether a report is ready, from the first to the longest.
FIRST_LOOK, LONGEST_PAUSE = 0.25, 2.0
# File descriptors beside those of the connections: their temporary files, the database and the libraries.
OTHER_DESCRIPTORS = 300


class Connection(Protocol):
    address: str

    def abort(self) -> None: ...


class Connections:
    """The open connections of a server.

    A connection waits until its user is known, and then is a session. Where too many wait, the oldest one is
    closed, so that idle connections keep nobody out. A session is never closed to make room.
    """

    def __init__(self, limits: ListeningLimits) -> None:
        self._limits = limits
        self._waiting: OrderedDict[Connection, None] = OrderedDict()
        self._by_address: dict[str, OrderedDict[Connection, None]] = {}
        # The primary key of the account of each session.
        self._sessions: dict[Connection, int] = {}

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def add(self, connection: Connection) -> None:
        """Let a new connection wait; if too many wait, close the oldest, of its address or of all."""
        of_address = self._by_address.setdefault(connection.address, OrderedDict())
        if len(of_address) >= self._limits.waiting_an_address:
            self._close(next(iter(of_address)))
        elif len(self._waiting) >= self._limits.waiting:
            self._close(next(iter(self._waiting)))
        self._by_address.setdefault(connection.address, OrderedDict())[connection] = None
        self._waiting[connection] = None

    def begin_session(self, connection: Connection, account: int) -> bool:
        """Make a waiting connection a session, and return whether there was room for one of the account."""
        if len(self._sessions) >= self._limits.sessions:
            return False
        if [*self._sessions.values()].count(account) >= self._limits.sessions_an_account:
            return False
        self._leave_waiting(connection)
        self._sessions[connection] = account
        return True

    def remove(self, connection: Connection) -> None:
        self._leave_waiting(connection)
        self._sessions.pop(connection, None)

    def _close(self, connection: Connection) -> None:
        self._leave_waiting(connection)
        connection.abort()

    def _leave_waiting(self, connection: Connection) -> None:
        self._waiting.pop(connection, None)
        if of_address := self._by_address.get(connection.address):
            of_address.pop(connection, None)
            if not of_address:
                del self._by_address[connection.address]


class WrongIds:
    """Count the wrong user ids of each address, so that nobody tries ids one after the other.

    Other users behind the same address can go on: an id that was right from there before, or is too long to
    guess, is refused only if this id itself was wrong too often.
    """

    def __init__(self, allowed: int) -> None:
        self._allowed = allowed
        self._wrong: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()
        self._right: OrderedDict[tuple[str, str], None] = OrderedDict()

    def add(self, address: str, user_id: str, now: float) -> None:
        """Count a wrong id, by itself and among all of its address."""
        for key in ((address, user_id), (address, ANY)):
            self._wrong.setdefault(key, deque(maxlen=self._allowed)).append(now)
            self._wrong.move_to_end(key)
        _forget_oldest(self._wrong)

    def note_right(self, address: str, user_id: str) -> None:
        self._right[address, user_id] = None
        self._right.move_to_end((address, user_id))
        _forget_oldest(self._right)

    def is_refused(self, address: str, user_id: str, now: float) -> bool:
        """Return whether this id has to wait at this address."""
        if self._is_full((address, user_id), now):
            return True
        if len(user_id) >= UNGUESSABLE_DIGITS or (address, user_id) in self._right:
            return False
        return self._is_full((address, ANY), now)

    def _is_full(self, key: tuple[str, str], now: float) -> bool:
        times = self._wrong.get(key, deque())
        return len(times) == self._allowed and now - times[0] < FAILURE_SECONDS


def _forget_oldest(rows: OrderedDict[tuple[str, str], Any]) -> None:
    while len(rows) > COUNTED:
        rows.popitem(last=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListeningLimits:
    """Limits of one listening server.

    A file and an upload may be as large as on the pages, see `submissions.intake.limits` and `MOSS_MAX_UPLOAD_MB`.

    total_bytes, files: of one session, base files included.
    line_bytes: of one line of the protocol.
    greeting_seconds: until a connection has named its user.
    idle_seconds: between two pieces of data of a session.
    session_seconds: for all files of a session.
    report_seconds: until the address is sent, though its report is not ready.
    drain_seconds: for reading and discarding what a client still sends after an error.
    sessions, sessions_an_account: at once, of users that are known.
    waiting, waiting_an_address: connections that are no sessions; beyond these numbers the oldest is closed.
    """

    total_bytes: int
    files: int = Limits.entries
    line_bytes: int = 4_096
    greeting_seconds: float = 20.0
    idle_seconds: float = 60.0
    session_seconds: float = 1_800.0
    report_seconds: float = 1_800.0
    drain_seconds: float = 30.0
    sessions: int = 64
    sessions_an_account: int = 16
    waiting: int = 1_000
    waiting_an_address: int = 200


class Server(Protocol):
    """The functions of a server that a session calls; see `ListeningServer`."""

    limits: ListeningLimits
    connections: Connections

    async def account(self, address: str, user_id: str) -> User | None: ...

    async def store_and_wait(
        self, received: uploads.Received, stored: Callable[[], None], is_closing: Callable[[], bool]
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
        self._options = protocol.Options()
        self._user: User | None = None
        self._refusal = ""
        self._is_over = False
        self._names: protocol.SentNames | None = None
        self._spools: dict[str, uploads.Spool] = {}
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
        except protocol.ProtocolError as error:
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
            raise protocol.ProtocolError("This port takes the files of MOSS clients. The pages are at another port.")
        self._user = await self._server.account(self.address, protocol.text(rest))
        if self._user is None:
            self._refuse(UNKNOWN)
        elif not self._server.connections.begin_session(self, self._user.pk):
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
            self._options.set(word, protocol.text(rest))
        self._options.language = protocol.text(rest)[:40]
        if protocol.front_end_name(self._options.language) is None:
            self._refuse(f"The language is not known. Choose one of: {' '.join(protocol.LANGUAGES)}.")
        self._names = protocol.SentNames(self._options.directory)
        await self._answer("no" if self._refusal else "yes")
        return True

    async def _receive(self) -> str | None:
        """Read files up to the query and return its comment, or None where the client ends the session."""
        while True:
            word, rest = await self._words()
            if word == "file":
                await self._file(protocol.file_line(rest))
            elif word == "query":
                return uploads.clean_comment(protocol.sent_text(rest.partition(b" ")[2]))
            elif self._is_over:
                return None
            else:
                self._options.set(word, protocol.text(rest))

    async def _file(self, file: protocol.FileLine) -> None:
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

    def _check_limits(self, file: protocol.FileLine) -> None:
        """Refuse the session when a file exceeds a limit; end it when the file is too large to be skipped.

        Raises ProtocolError when the stated size is beyond what a whole session may have.
        """
        limits = self._limits
        self._files, self._bytes = self._files + 1, self._bytes + file.size
        if file.size > limits.total_bytes:
            raise protocol.ProtocolError(f"A file may have {format_size(limits.total_bytes)}, not {file.size} bytes.")
        if self._files > limits.files:
            self._refuse(f"More than {limits.files:,} files. Send fewer at a time.")
        elif self._bytes > limits.total_bytes:
            self._refuse(f"The files have more than {format_size(limits.total_bytes)}. Send fewer at a time.")

    def _begin(self, file: protocol.FileLine) -> uploads.Spool | None:
        """Begin a file in its archive; return None where the session is refused."""
        assert self._names is not None
        if self._refusal:
            return None
        names = protocol.SentNames(directory=False) if file.is_base else self._names
        path = f"{self._files}/{names.path(file.name)}" if file.is_base else names.path(file.name)
        try:
            kind = uploads.BASE_ARCHIVE if file.is_base else uploads.ARCHIVE
            spool = self._spools.get(kind) or self._spools.setdefault(kind, uploads.Spool())
            spool.begin(path, file.size)
        except OSError as error:
            self._fail(error)
            return None
        return spool

    async def _keep(self, spool: uploads.Spool | None, data: bytes) -> None:
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
        files, base = self._spools.get(uploads.ARCHIVE), self._spools.get(uploads.BASE_ARCHIVE)
        if not files or not files.files:
            return f"Error: {NO_FILES}"
        assert self._user is not None
        assert self._names is not None
        received = uploads.Received(
            self._user,
            self.address,
            self._options,
            protocol.front_end_name(self._options.language) or "",
            comment,
            self._names.sent,
            len(self._names.folders),
            files.uploaded(uploads.ARCHIVE),
            base.uploaded(uploads.BASE_ARCHIVE) if base else None,
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
        word, rest = protocol.split(await self._line(seconds))
        self._is_over = word in {"", "end"}
        return word, rest

    async def _line(self, seconds: float | None = None) -> bytes:
        """Return the next line; empty at the end of the connection.

        Raises ProtocolError when it is too long.
        """
        try:
            async with asyncio.timeout(seconds or self._limits.idle_seconds):
                line = await self._reader.readuntil(b"\n")
        except asyncio.IncompleteReadError as end:
            if end.partial:
                raise EOFError from end
            return b""
        except asyncio.LimitOverrunError as error:
            raise protocol.ProtocolError("A line is too long.") from error
        if len(line) > self._limits.line_bytes:
            raise protocol.ProtocolError(f"A line has more than {self._limits.line_bytes:,} bytes.")
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


class ListeningServer:
    """Takes uploads of clients. `results_at` is the address of the web pages without a slash at its end."""

    def __init__(self, results_at: str, limits: ListeningLimits | None = None) -> None:
        self.limits = limits or default_limits()
        self.connections = Connections(self.limits)
        self._results_at = results_at.rstrip("/")
        self._wrong_ids = WrongIds(settings.SIGN_IN_FAILURES)
        self._database = ThreadPoolExecutor(DATABASE_THREADS, thread_name_prefix="database")

    async def serve(self, listener: socket.socket) -> None:
        """Serve until SIGTERM or SIGINT."""
        stopped = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
        server = await asyncio.start_server(self.handle, sock=listener, limit=CHUNK)
        await stopped.wait()
        server.close()
        self._database.shutdown(wait=True, cancel_futures=True)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        session = Session(self, reader, writer)
        self.connections.add(session)
        try:
            await session.run()
        except (EOFError, ConnectionError, TimeoutError):
            logger.debug("a MOSS client ended its connection early")
        except Exception:
            logger.exception("the session of a MOSS client failed")
        finally:
            self.connections.remove(session)
            writer.close()

    async def account(self, address: str, user_id: str) -> User | None:
        """Return the account of a user id; None where it is wrong, or after too many wrong ones."""
        user_id = user_id[:LONGEST_USER_ID]
        if self._wrong_ids.is_refused(address, user_id, time.monotonic()):
            return None
        user = await self._in_database(account_of, user_id)
        if user is None:
            logger.warning("wrong MOSS user id from %s", address)
            self._wrong_ids.add(address, user_id, time.monotonic())
        else:
            self._wrong_ids.note_right(address, user_id)
        return user

    async def store_and_wait(
        self, received: uploads.Received, stored: Callable[[], None], is_closing: Callable[[], bool]
    ) -> str:
        """Store an upload, wait for its report, and return the line for the client.

        `stored` is called when the received files are no longer needed.
        """
        try:
            result = await self._in_database(uploads.store, received)
        except QuotaExceeded as refusal:
            return f"Error: {refusal}"
        except Exception:
            logger.exception("an upload of a MOSS client could not be stored")
            return f"Error: {FAILED}"
        finally:
            stored()
        logger.info("account %s sent assignment %d with a MOSS client", received.user.pk, result.assignment)
        error = await self._wait(result.assignment, is_closing)
        return f"Error: {error}" if error else f"{self._results_at}{result.path}"

    async def _wait(self, assignment: int, is_closing: Callable[[], bool]) -> str:
        """Return when the report is ready, or after the longest time; return an error where there is one."""
        pause, until = FIRST_LOOK, time.monotonic() + self.limits.report_seconds
        while time.monotonic() < until and not is_closing():
            if (ended := await self._in_database(uploads.outcome, assignment)) is not None:
                return ended.error
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        return ""

    async def _in_database(
        self, function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        work = partial(_with_connection, function, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._database, work)


def default_limits() -> ListeningLimits:
    """Return the limits of the installation: no more than the pages accept."""
    return ListeningLimits(total_bytes=settings.MAX_UPLOAD_BYTES)


def listen_forever(listener: socket.socket, results_at: str) -> None:
    """Serve clients until the process is told to end."""
    limits = default_limits()
    number = limits.waiting + 3 * limits.sessions + OTHER_DESCRIPTORS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = number if hard == resource.RLIM_INFINITY else min(number, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    asyncio.run(ListeningServer(results_at, limits).serve(listener))


def _with_connection(
    function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> Result:
    close_old_connections()
    try:
        return function(*args, **kwargs)
    finally:
        connections.close_all()
