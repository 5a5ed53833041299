"""Gunicorn's threaded worker: connections are closed in their own threads, and all answers have headers."""

from __future__ import annotations

import errno
import socket
import time
from contextlib import suppress
from threading import Thread
from typing import Any

from gunicorn.glogging import Logger
from gunicorn.workers.gthread import TConn, ThreadWorker

from moss.log_lines import FORMATS, LOG_FORMAT

# Requests that gunicorn itself refuses, such as one with a malformed header, never reach Django.
HEADERS_OF_ERRORS = (
    b"Cache-Control: no-store, private\r\n"
    b"Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n"
    b"Referrer-Policy: same-origin\r\n"
    b"X-Content-Type-Options: nosniff\r\n"
    b"X-Frame-Options: DENY\r\n"
)

HEADER_SECONDS, PAUSE_SECONDS = 10.0, 30.0
# A client may be waited for so long while it sends a body, and a second more for so many bytes that came; but
# not longer than for a large upload over a slow line.
BODY_SECONDS, BODY_RATE, WHOLE_BODY_SECONDS = 10.0, 10_000, 6 * 3600.0
# Seconds between two looks for clients that are late.
LOOK_SECONDS = 1.0


class ClosingThreadWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """A threaded worker that goes on accepting connections while it closes others.

    Before gunicorn (27.0) closes a connection, it waits up to two seconds for the client to close its side,
    in the thread that accepts connections. Ten clients that do not would stop the server for twenty seconds.
    Here, the thread that handled the connection waits.

    A client has HEADER_SECONDS to send the headers of a request, so that clients that send one byte after
    another keep nobody out for longer. While a client sends the body or reads the answer, it may pause for
    PAUSE_SECONDS; bodies have a least rate, too (`TimedBody`).
    """

    @classmethod
    def check_config(cls, cfg: object, log: object) -> None:
        """Accept that no connection is kept alive, of which gunicorn would warn at every start."""

    def init_process(self) -> None:
        """Watch the clients and answer them until this process ends."""
        # When the headers of each connection have to be there; one thread watches all, for a thread that is
        # started with each request costs some percent of it.
        self._deadlines: dict[TConn, float] = {}
        Thread(target=self._end_late_clients, name="late clients", daemon=True).start()
        super().init_process()

    def _end_late_clients(self) -> None:
        while True:
            time.sleep(LOOK_SECONDS)
            now = time.monotonic()
            late = [conn for conn, deadline in list(self._deadlines.items()) if deadline < now]
            for conn in late:
                if self._deadlines.pop(conn, None):
                    with suppress(OSError):  # it ended meanwhile
                        conn.sock.shutdown(socket.SHUT_RDWR)

    def set_accept_enabled(self, enabled: bool) -> None:  # noqa: FBT001 - gunicorn calls it by position
        """Start or stop accepting; a worker that ends takes the connections that wait, and refuses new ones.

        Gunicorn would leave the socket open until all requests are answered, so that clients connect,
        wait in vain, and are reset.
        """
        super().set_accept_enabled(enabled)
        if not self.alive:
            for listener in self.sockets:
                before = -1
                while self.nr_conns != before:
                    before = self.nr_conns
                    self.accept(listener)
                listener.close()

    def handle(self, conn: TConn) -> object:
        """Handle a request; close the connection unless it is kept for the next request."""
        self._deadlines[conn] = time.monotonic() + HEADER_SECONDS
        try:
            keep = super().handle(conn)
        finally:
            self._deadlines.pop(conn, None)
        if keep is False:
            conn.close(graceful=True)
            conn.close = _already_closed  # gunicorn closes it again, and counts it as closed
        return keep

    def handle_request(self, request: object, conn: TConn) -> object:
        """Answer a request whose headers have arrived."""
        self._deadlines.pop(conn, None)
        conn.sock.settimeout(PAUSE_SECONDS)
        conn.parser.unreader.sock = TimedBody(conn.sock)
        return super().handle_request(request, conn)

    def handle_error(self, request: object, client: socket.socket, *error: object) -> None:
        super().handle_error(request, _WithHeaders(client), *error)


class TimedBody:
    """Reads a body while its client sends it fast enough; only the time of waiting for the client counts."""

    def __init__(self, client: socket.socket) -> None:
        self._client, self._received, self._waited = client, 0, 0.0

    def recv(self, size: int) -> bytes:
        """Return some bytes of the body.

        Raises ConnectionResetError when the body comes too slowly: the connection is of no use any more.
        """
        allowed = min(BODY_SECONDS + self._received / BODY_RATE, WHOLE_BODY_SECONDS) - self._waited
        self._client.settimeout(max(0.01, min(PAUSE_SECONDS, allowed)))
        started = time.monotonic()
        try:
            data = self._client.recv(size)
        except TimeoutError:
            raise ConnectionResetError(errno.ECONNRESET, "the body came too slowly") from None
        self._client.settimeout(PAUSE_SECONDS)
        self._waited += time.monotonic() - started
        self._received += len(data)
        return data


class _WithHeaders:
    """A socket that adds the headers of errors to the answer that is sent through it."""

    def __init__(self, client: socket.socket) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def sendall(self, answer: bytes) -> None:
        self._client.sendall(answer.replace(b"\r\n", b"\r\n" + HEADERS_OF_ERRORS, 1))


def _already_closed(*, graceful: bool = False) -> None:
    """Do nothing."""


class ServiceLog(Logger):  # type: ignore[misc]  # gunicorn has no types
    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        for log in (self.error_log, self.access_log):
            for handler in log.handlers:
                handler.setFormatter(FORMATS[LOG_FORMAT]())
