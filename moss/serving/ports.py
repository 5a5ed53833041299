"""Open the socket that the web server listens on."""

from __future__ import annotations

import errno
import socket
import time

import click

FIRST_PORT = 8000
PORTS_TO_TRY = 100
# The server that had the port may still be ending.
PATIENCE_SECONDS = 10.0
TICK_SECONDS = 0.2


class NotListening(click.ClickException):
    """The port that was asked for, or every port that was tried, cannot be used."""


def listen(host: str, port: int | None) -> socket.socket:
    """Return a socket that listens on `port`, or on the first free port from 8000 on where it is None.

    Raises
    ------
    NotListening
        When the port is still in use after some seconds, when none is free, or when it is not allowed.
    """
    return _listen_on_first_free(host) if port is None else _listen_on(host, port)


def _listen_on(host: str, port: int) -> socket.socket:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return _open(host, port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise NotListening(f"Cannot listen on port {port} of {host}: {error.strerror}.") from error
            if time.monotonic() > deadline:
                raise NotListening(
                    f"Port {port} is in use by another program. Stop that program, name another port, "
                    "or leave --port out to use any free one."
                ) from error
        time.sleep(TICK_SECONDS)


def _listen_on_first_free(host: str) -> socket.socket:
    last = FIRST_PORT + PORTS_TO_TRY - 1
    for candidate in range(FIRST_PORT, last + 1):
        try:
            return _open(host, candidate)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise NotListening(f"Cannot listen on {host}: {error.strerror}.") from error
    raise NotListening(f"No port from {FIRST_PORT} to {last} is free. Name a free one with --port.")


def _open(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=512)
