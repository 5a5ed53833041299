"""Run the parts of the service as processes: find ports, start, watch and stop them."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import http.client
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from types import FrameType, TracebackType
from typing import IO, Self, TextIO

import click

from moss.embedded.client import (
    PACKAGE,
    InstallationPaths,
    ensure_services,
    installation_paths,
    release_services,
    services_lost,
)
from moss.embedded.servers import guarded
from moss.environment import without_owner
from moss.installation import prepare
from moss.log_lines import LOG_FORMAT, JsonLine
from submissions.work.kinds import INTERACTIVE, QUEUES

FIRST_PORT = 8000
PORTS_TO_TRY = 100
# The server that had the port may still be ending.
PATIENCE_SECONDS = 10.0
TICK_SECONDS = 0.2

GRACE_SECONDS = 20.0
POLL_SECONDS = 0.05
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0
# After a run of this length the pause before a restart is short again: the process is not in a crash loop.
SETTLED_SECONDS = 60.0

READY_SECONDS = 120.0
AS_ROOT = (
    "This runs as root, and so does everything that reads students' files; a private Postgres is "
    "of the user nobody, and so are its data. Use an account of its own."
)
WEB_COMMAND = [sys.executable, "-m", "gunicorn", "--config=python:moss.serving.gunicorn_conf"]
LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 - the address of a server that listens on all interfaces


class NotListening(click.ClickException):
    """The port that was asked for, or every port that was tried, cannot be used."""


def listen(host: str, port: int | None) -> socket.socket:
    """Return a socket that listens on `port`, or on the first free port from 8000 on where it is None.

    Raises NotListening when the port is still in use after some seconds, when none is free, or when it is not allowed.
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


def write_line(name: str, line: str, log: TextIO) -> None:
    """Write a line of a process to the log: with its name before it, or as a JSON object."""
    if LOG_FORMAT == "text":
        line = f"{name:>11} | {line}"
    elif not line.startswith("{"):  # Not written by `JsonLine`: by the interpreter or by the supervisor.
        line = JsonLine().format(logging.LogRecord(name, logging.INFO, "", 0, "%s", (line,), None))
    log.write(f"{line}\n")
    log.flush()


def _copy_lines(name: str, lines: IO[bytes], log: TextIO) -> None:
    with lines:
        for line in lines:
            write_line(name, line.decode(errors="replace").removesuffix("\n"), log)


class SupervisedProcess:
    """A command that runs in its own session, so that Ctrl-C reaches only the supervisor.

    Its output is written to `log`; it inherits the file descriptors `inherited`.
    """

    def __init__(
        self, name: str, command: list[str], inherited: tuple[int, ...] = (), log: TextIO = sys.stderr
    ) -> None:
        self.name = name
        self.command = command
        self.inherited = inherited
        self.log = log
        self.grace = GRACE_SECONDS
        self.pause = FIRST_PAUSE
        self.process: subprocess.Popen[bytes] | None = None
        self._started = 0.0
        self._restart_at: float | None = None

    def start(self) -> None:
        # The child gets SIGQUIT when the supervisor dies: Celery drops its tasks, which are then delivered to
        # other workers, and gunicorn drops its connections.
        self.process = subprocess.Popen(  # noqa: S603 - a command of this package
            guarded(self.command, signal.SIGQUIT),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=PACKAGE.parent,
            env=without_owner(),
            pass_fds=self.inherited,
            start_new_session=True,
        )
        self._started = time.monotonic()
        self._restart_at = None
        assert self.process.stdout is not None
        copy = threading.Thread(target=_copy_lines, args=(self.name, self.process.stdout, self.log), daemon=True)
        copy.start()

    def tick(self) -> None:
        """Check whether the process has ended, and restart it after a pause; call this regularly."""
        if self.process is None or self.process.poll() is None:
            return
        now = time.monotonic()
        if self._restart_at is None:
            self._kill_group()
            if now - self._started > SETTLED_SECONDS:
                self.pause = FIRST_PAUSE
            self._write(f"ended with status {self.process.returncode}; restarting in {self.pause:.0f} s")
            self._restart_at = now + self.pause
            self.pause = min(2 * self.pause, LONGEST_PAUSE)
        elif now >= self._restart_at:
            self.start()

    def stop(self) -> None:
        """Send SIGTERM, wait up to `grace` seconds, then kill what is left of the process group."""
        if self.process is None:
            return
        self._send(signal.SIGTERM)
        start = time.monotonic()
        while self.process.poll() is None and time.monotonic() < start + self.grace:
            time.sleep(POLL_SECONDS)
        if self.process.poll() is None:
            self._write("did not end after SIGTERM; killing it")
        self._kill_group()
        self.process.wait()

    def _send(self, number: int) -> None:
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(number)

    def _kill_group(self) -> None:
        assert self.process is not None
        with contextlib.suppress(ProcessLookupError):  # The group has no process left.
            os.killpg(self.process.pid, signal.SIGKILL)

    def _write(self, text: str) -> None:
        write_line(self.name, text, self.log)


class AlreadyServing(click.ClickException):
    """Another process serves from the same MOSS_HOME."""


def _try_lock(file: TextIO, operation: int) -> bool:
    try:
        fcntl.flock(file, operation | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def serving_process(paths: InstallationPaths) -> int | None:
    """Return the id of the process that serves from this installation, or None."""
    path = paths.home / "serve.lock"
    if not path.exists():
        return None
    with path.open() as lock:
        # Use a shared lock, so that two processes that check at once do not mistake each other for a server.
        while not _try_lock(lock, fcntl.LOCK_SH):
            lock.seek(0)
            if pid := lock.read():
                return int(pid)
            # The server has just started and has not written its process id yet.
            time.sleep(TICK_SECONDS)
    return None


def wait_until_stopped(paths: InstallationPaths, seconds: float) -> bool:
    """Wait until no process serves from this installation; return False if one still does after `seconds`."""
    deadline = time.monotonic() + seconds
    while serving_process(paths) is not None:
        if time.monotonic() > deadline:
            return False
        time.sleep(TICK_SECONDS)
    return True


def commands(fd: int, workers: int, results_at: str = "") -> dict[str, list[str]]:
    """Return the command lines of the child processes by name, in the order in which to start them.

    `fd` is the file descriptor of the listening socket, `workers` the number of processes for any work. One
    more takes only interactive work, so that it never waits for heavy work. With `results_at`, the address of
    the web server, MOSS clients are listened to as well.
    """
    moss = [sys.executable, "-m", "moss"]
    listen = {"listen": [*moss, "listen", f"--results-at={results_at}"]} if results_at else {}
    return {
        "worker": worker_command("worker", QUEUES, workers),
        "interactive": worker_command("interactive", (INTERACTIVE,), 1),
        "maintenance": [*moss, "maintain"],
        "web": [*WEB_COMMAND, f"--bind=fd://{fd}", "--log-level=warning"],
        **listen,
    }


def worker_command(name: str, queues: Sequence[str], processes: int) -> list[str]:
    """Return the command line of a worker that serves `queues`; its name is unique on this machine."""
    celery = [sys.executable, "-m", "celery", "--quiet", "-A", "moss", "worker"]
    options = [f"--queues={','.join(queues)}", f"--hostname={name}@%h", f"--concurrency={processes}"]
    return [*celery, *options, "--without-gossip", "--without-mingle"]


class Supervisor:
    """A context manager that runs the service until its `with` block ends.

    Without a port, it listens on the first free one from 8000 on. With `listens`, MOSS clients, too.

    Ctrl-C and SIGTERM raise KeyboardInterrupt in the block. The block must run in the main thread: the kernel
    ends the children when the thread that started them ends.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int | None = None,
        workers: int = 1,
        log: TextIO = sys.stderr,
        *,
        listens: bool = False,
    ) -> None:
        self.host = host
        self.listens = listens
        self.requested_port = port
        self.workers = workers
        self.log = log
        self.children: list[SupervisedProcess] = []
        self.paths = installation_paths()
        self._exits = contextlib.ExitStack()

    @property
    def address(self) -> str:
        port = self._socket.getsockname()[1]
        return f"http://{LOOPBACK.get(self.host, self.host)}:{port}/"

    def __enter__(self) -> Self:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.default_int_handler)
        try:
            self._lock_installation()
            self._socket = self._exits.enter_context(listen(self.host, self.requested_port))
        except BaseException:
            self._exits.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Stop all processes; suppress KeyboardInterrupt, the usual way to end the service."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop_at_once)
        # Stop the web server first, so that no task is added; the worker last, so that it may finish a task.
        for child in reversed(self.children):
            child.stop()
        release_services()
        self._exits.close()
        return kind is KeyboardInterrupt

    def start(self) -> None:
        """Prepare the installation, start the children and wait until the web server answers."""
        prepare()
        port = self._socket.getsockname()[1]
        if self.requested_port is None and port != FIRST_PORT:
            click.echo(f"Port {FIRST_PORT} is in use; using {port}.")
        fd = self._socket.fileno()
        for name, command in commands(fd, self.workers, self._results_at()).items():
            self.children.append(SupervisedProcess(name, command, (fd,) if name == "web" else (), self.log))
            self.children[-1].start()
        deadline = time.monotonic() + READY_SECONDS
        while not self._is_healthy():
            if time.monotonic() > deadline:
                raise click.ClickException(f"The web server did not answer within {READY_SECONDS:.0f} seconds.")
            self.tick()
            time.sleep(TICK_SECONDS)

    def _results_at(self) -> str:
        """Return the address of the pages for MOSS clients; empty where there are none."""
        return (os.environ.get("MOSS_RESULTS_URL") or self.address) if self.listens else ""

    def tick(self) -> None:
        """Restart processes that have ended; call this regularly, from the main thread."""
        if services_lost():
            self._write("The daemon of the private servers has ended; restarting it and the servers.")
            release_services()
            ensure_services()
            self._write("The private servers are running again.")
        for child in self.children:
            child.tick()

    def run(self) -> None:
        """Watch the children until the process is interrupted."""
        while True:
            self.tick()
            time.sleep(TICK_SECONDS)

    def _lock_installation(self) -> None:
        self.paths.create()
        lock = self._exits.enter_context((self.paths.home / "serve.lock").open("a+"))
        while not _try_lock(lock, fcntl.LOCK_EX):
            if (pid := serving_process(self.paths)) is not None:
                raise AlreadyServing(f"Process {pid} already serves from {self.paths.home}; stop it with `moss stop`.")
            # Another process has the shared lock for a moment, to read the id of the server.
            time.sleep(TICK_SECONDS)
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        if os.geteuid() == 0:
            self._write(AS_ROOT)

    def _write(self, text: str) -> None:
        write_line("serve", text, self.log)

    def _is_healthy(self) -> bool:
        host, port = LOOPBACK.get(self.host, self.host).strip("[]"), self._socket.getsockname()[1]
        connection = http.client.HTTPConnection(host, port, timeout=10)
        try:
            connection.request("GET", "/healthz", headers={"Host": "localhost"})
            return connection.getresponse().status == http.HTTPStatus.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def _stop_at_once(self, _signal: int, _frame: FrameType | None) -> None:
        """Kill the children instead of waiting for them: Ctrl-C was pressed a second time."""
        for child in self.children:
            child.grace = 0.0
