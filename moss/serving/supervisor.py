"""Web, worker and beat as children of one command: watched, restarted, and gone when it is gone."""

from __future__ import annotations

import contextlib
import fcntl
import http.client
import os
import signal
import socket
import sys
import time
from typing import TYPE_CHECKING, Self, TextIO

import click

from moss.embedded import client as embedded
from moss.installation import prepare
from moss.serving.process import Child

if TYPE_CHECKING:
    from types import FrameType, TracebackType

    from moss.embedded.client import Place

PORTS_TRIED = 100
READY_SECONDS = 120.0
TICK_SECONDS = 0.2
LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 - where to reach a server that listens on all


class AlreadyServing(click.ClickException):
    """Another process serves from the same MOSS_HOME."""


def listen(host: str, port: int) -> socket.socket:
    """Listen on the first free port from `port` on; raise OSError when there is none."""
    last = min(port + PORTS_TRIED, 65536) - 1
    for candidate in range(port, last + 1):
        try:
            return socket.create_server((host, candidate), family=_family(host), backlog=512)
        except OSError:
            if candidate == last:
                raise
    raise OSError(f"no port from {port} on")


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _locks(file: TextIO, how: int) -> bool:
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def serving(where: Place) -> int | None:
    """Give the process that serves from this place, if one does."""
    path = where.home / "serve.lock"
    if not path.exists():
        return None
    with path.open() as lock:
        # Shared, so that those who ask do not take one another for a server.
        while not _locks(lock, fcntl.LOCK_SH):
            lock.seek(0)
            if pid := lock.read():
                return int(pid)
            # It has just come and will say who it is.
            time.sleep(TICK_SECONDS)
    return None


def wait_until_free(where: Place, seconds: float) -> bool:
    """Wait until nothing serves from this place; False when the time is over first."""
    deadline = time.monotonic() + seconds
    while serving(where) is not None:
        if time.monotonic() > deadline:
            return False
        time.sleep(TICK_SECONDS)
    return True


def commands(fd: int, workers: int) -> dict[str, list[str]]:
    """Give the command lines of the children, in the order of their start."""
    celery = [sys.executable, "-m", "celery", "--quiet", "-A", "moss"]
    quiet = ["--without-gossip", "--without-mingle", "--loglevel=WARNING"]
    threads = ["--worker-class=gthread", "--workers=2", "--threads=4", "--timeout=120", "--no-control-socket"]
    return {
        "worker": [*celery, "worker", f"--concurrency={workers}", *quiet],
        "beat": [*celery, "beat", "--pidfile=", "--loglevel=WARNING"],
        "web": [
            sys.executable,
            "-m",
            "gunicorn",
            "moss.wsgi",
            *threads,
            f"--bind=fd://{fd}",
            "--log-level=warning",
        ],
    }


class Supervisor:
    """Runs the service while its `with` block does; Ctrl-C and SIGTERM leave the block as KeyboardInterrupt.

    The block has to stand in the main thread: the kernel ends the children when the thread that started them
    does.
    """

    def __init__(
        self, host: str = "127.0.0.1", port: int = 8000, workers: int = 1, log: TextIO = sys.stderr
    ) -> None:
        self.host = host
        self.wanted_port = port
        self.workers = workers
        self.log = log
        self.children: list[Child] = []
        self.place = embedded.place()
        self._exits = contextlib.ExitStack()

    @property
    def address(self) -> str:
        port = self._socket.getsockname()[1]
        return f"http://{LOOPBACK.get(self.host, self.host)}:{port}/"

    def __enter__(self) -> Self:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.default_int_handler)
        try:
            self._claim()
            self._socket = self._exits.enter_context(listen(self.host, self.wanted_port))
        except BaseException:
            self._exits.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Stop everything; an interrupt is how it was meant to end."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._hurry)
        # The web first, so that no job comes in; the worker last, so that it may finish one.
        for child in reversed(self.children):
            child.stop()
        embedded.release()
        self._exits.close()
        return kind is KeyboardInterrupt

    def start(self) -> None:
        """Prepare the installation, start the children and wait until the web server answers."""
        prepare()
        port = self._socket.getsockname()[1]
        if port != self.wanted_port:
            click.echo(f"Port {self.wanted_port} is taken; using {port}.")
        fd = self._socket.fileno()
        for name, command in commands(fd, self.workers).items():
            self.children.append(Child(name, command, (fd,) if name == "web" else (), self.log))
            self.children[-1].start()
        self._wait_until_ready()

    def tick(self) -> None:
        """Start again what has ended; to be called now and then from the main thread."""
        if embedded.is_lost():
            self._say("The keeper of the private servers has ended; starting it and them again.")
            embedded.release()
            embedded.ensure()
            self._say("The private servers are back.")
        for child in self.children:
            child.tick()

    def run(self) -> None:
        """Watch the children until the process is interrupted."""
        while True:
            self.tick()
            time.sleep(TICK_SECONDS)

    def _claim(self) -> None:
        self.place.create()
        lock = self._exits.enter_context((self.place.home / "serve.lock").open("a+"))
        while not _locks(lock, fcntl.LOCK_EX):
            if (pid := serving(self.place)) is not None:
                raise AlreadyServing(
                    f"Process {pid} serves from {self.place.home} already; `moss stop` ends it."
                )
            # Somebody only asked who serves.
            time.sleep(TICK_SECONDS)
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()

    def _say(self, text: str) -> None:
        self.log.write(f"{text}\n")
        self.log.flush()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not self._is_healthy():
            if time.monotonic() > deadline:
                raise click.ClickException(
                    f"The web server did not answer within {READY_SECONDS:.0f} seconds."
                )
            self.tick()
            time.sleep(TICK_SECONDS)

    def _is_healthy(self) -> bool:
        host, port = LOOPBACK.get(self.host, self.host).strip("[]"), self._socket.getsockname()[1]
        link = http.client.HTTPConnection(host, port, timeout=10)
        try:
            link.request("GET", "/healthz", headers={"Host": "localhost"})
            return link.getresponse().status == http.HTTPStatus.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            link.close()

    def _hurry(self, _signal: int, _frame: FrameType | None) -> None:
        for child in self.children:
            child.grace = 0.0
