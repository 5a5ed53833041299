"""The server that MOSS clients connect to: one process, one event loop."""

from __future__ import annotations

import asyncio
import logging
import resource
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from django.conf import settings
from django.db import close_old_connections, connections

from moss.integrations.moss_protocol.connections import Connections, ListeningLimits, WrongIds
from moss.integrations.moss_protocol.models import account_of
from moss.integrations.moss_protocol.session import CHUNK, FAILED, Session
from moss.integrations.moss_protocol.uploads import outcome, store
from submissions.core.accounts import QuotaExceeded

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from django.contrib.auth.models import User

    from moss.integrations.moss_protocol.uploads import Received

logger = logging.getLogger(__name__)

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
        self, received: Received, stored: Callable[[], None], is_closing: Callable[[], bool]
    ) -> str:
        """Store an upload, wait for its report, and return the line for the client.

        `stored` is called when the received files are no longer needed.
        """
        try:
            result = await self._in_database(store, received)
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
            if (ended := await self._in_database(outcome, assignment)) is not None:
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
    _allow_descriptors(limits.waiting + 3 * limits.sessions + OTHER_DESCRIPTORS)
    asyncio.run(ListeningServer(results_at, limits).serve(listener))


def _allow_descriptors(number: int) -> None:
    """Let the process open that many files and connections, as far as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = number if hard == resource.RLIM_INFINITY else min(number, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


def _with_connection(
    function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> Result:
    close_old_connections()
    try:
        return function(*args, **kwargs)
    finally:
        connections.close_all()
