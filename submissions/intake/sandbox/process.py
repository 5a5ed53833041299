"""A child process that does jobs within limits, as its parent sees it. Nothing that it sends is trusted."""

from __future__ import annotations

import atexit
import fcntl
import logging
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from enum import Enum
from functools import cache
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from submissions.intake.sandbox import child as frames

Serve = Callable[[frames.Header], bytes]

logger = logging.getLogger(__name__)

START_SECONDS = 60.0
TRACE_CHARACTERS = 4000
# Bytes that are read or written at a time, as many as a pipe holds.
PIECE, PIPE = 1 << 16, 1 << 20
# Nothing of the parent's environment but this: it holds the keys of the service.
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"}


class Cause(Enum):
    """The cause of the end of a child during a job."""

    TIME = "time"
    MEMORY = "memory"
    CRASH = "crash"


class Ended(Exception):
    """A child ended, or had to be ended, during a job."""

    def __init__(self, cause: Cause, detail: str = "") -> None:
        super().__init__(f"{cause.value} {detail}")
        self.cause, self.detail = cause, detail


class Refused(Exception):
    """A job refused the file; the message is the reason."""


class Broken(Exception):
    """A reader raised an error that it is not known to raise; the message is the error's name."""


class NotStarted(RuntimeError):
    """A child cannot be started, which is no fault of any file."""


class JobLimits(NamedTuple):
    """Limits of one job.

    `seconds`: to wait for each message; `processor_seconds`: of the whole job; `max_bytes`: of one message.
    """

    seconds: float
    processor_seconds: float
    max_bytes: int


class Child:
    """A child with the jobs of the module `jobs` and `memory` bytes of address space."""

    def __init__(self, jobs: str, memory: int) -> None:
        program = [sys.executable, "-P", "-m", "submissions.intake.sandbox.child"]
        self._process = subprocess.Popen(  # noqa: S603 - this program, with arguments of the settings
            [*program, jobs, str(memory), str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd="/",
            env={**ENVIRONMENT, "PYTHONPATH": os.pathsep.join(str(Path(path).absolute()) for path in sys.path)},
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._target, self._source = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._target, False)
        os.set_blocking(self._source, False)
        _enlarge(self._source)
        self._received = bytearray()
        self._ready = False
        self._deadline = 0.0

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def wait_until_ready(self) -> None:
        """Return once it gave up all that it gives up; raise NotStarted."""
        if self._ready:
            return
        self._deadline = time.monotonic() + START_SECONDS
        try:
            header, _ = frames.receive(self._read_exactly, 0)
        except (Ended, frames.BadFrame) as error:
            self.end()
            raise NotStarted("the process that reads files does not start; the log has its error") from error
        if not header.get("landlock"):
            _warn_of_no_landlock()
        self._ready = True

    def do(
        self, request: frames.Header, buffers: Sequence[bytes], limits: JobLimits, serve: Serve | None = None
    ) -> Iterator[frames.Frame]:
        """Yield the messages of a job; `serve` answers what it asks for.

        After Refused and Broken the process can do further jobs, after Ended it cannot.
        """
        self.wait_until_ready()
        finished = False
        try:
            self._send({**request, "processor_seconds": limits.processor_seconds}, buffers, limits)
            while not finished:
                header, results = self._receive(limits)
                if header["kind"] == "want" and serve:
                    self._send({}, [serve(header)], limits)
                elif header["kind"] in _ENDS:
                    finished = header["kind"] != "no memory"
                    _ENDS[header["kind"]](header)
                else:
                    yield header, results
        finally:
            if not finished:
                self.end()

    def end(self) -> int:
        """Kill the process if it runs; return its exit status."""
        with suppress(ProcessLookupError):
            self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()
        return self._process.wait()

    def _send(self, header: frames.Header, buffers: Sequence[bytes], limits: JobLimits) -> None:
        self._deadline = time.monotonic() + limits.seconds
        message = memoryview(frames.packed(header, buffers))
        while message:
            self._wait(self._target, select.POLLOUT)
            try:
                message = message[os.write(self._target, message[:PIECE]) :]
            except BrokenPipeError:
                raise self._ended() from None

    def _receive(self, limits: JobLimits) -> frames.Frame:
        self._deadline = time.monotonic() + limits.seconds
        try:
            header, buffers = frames.receive(self._read_exactly, limits.max_bytes)
        except frames.BadFrame as error:
            raise Ended(Cause.CRASH, f"it answered with {error}") from error
        if not isinstance(header.get("kind"), str):
            raise Ended(Cause.CRASH, "it answered with no kind of message")
        return header, buffers

    def _read_exactly(self, size: int) -> bytes:
        while len(self._received) < size:
            self._wait(self._source, select.POLLIN)
            piece = os.read(self._source, PIECE)
            if not piece:
                raise self._ended()
            self._received += piece
        data = bytes(self._received[:size])
        del self._received[:size]
        return data

    def _wait(self, descriptor: int, event: int) -> None:
        poll = select.poll()
        poll.register(descriptor, event)
        left = self._deadline - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            raise Ended(Cause.TIME)

    def _ended(self) -> Ended:
        try:
            status = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return Ended(Cause.CRASH, "it closed its end")
        if status == -signal.SIGXCPU:
            return Ended(Cause.TIME)
        return Ended(Cause.CRASH, signal.Signals(-status).name if status < 0 else f"exit status {status}")


def _enlarge(pipe: int) -> None:
    """Let a child work ahead by more than the 64 kB that a pipe holds, where the system has larger ones."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE)


def _done(_header: frames.Header) -> None:
    """Do nothing: the job ended well."""


def _refused(header: frames.Header) -> None:
    raise Refused(str(header.get("reason")))


def _no_memory(_header: frames.Header) -> None:
    raise Ended(Cause.MEMORY)


def _broken(header: frames.Header) -> None:
    trace = (c for c in str(header.get("trace"))[-TRACE_CHARACTERS:] if c.isprintable() or c == "\n")
    logger.error("a reader broke:\n%s", "".join(trace))
    raise Broken(str(header.get("error")))


_ENDS = {"done": _done, "refused": _refused, "no memory": _no_memory, "broken": _broken}


@cache
def _warn_of_no_landlock() -> None:
    """Log, once in each process, that the kernel does not help to confine its children."""
    logger.warning("this kernel has no Landlock: the children that read files can open none, but could delete some")


class ReusedChild:
    """A child with the jobs of a module; it is started when it is needed, and does about `max_jobs`.

    Whoever has it do a job holds `lock`, and adds one to `jobs_done`, or calls `done`.
    """

    def __init__(self, memory: int, jobs: str, max_jobs: int) -> None:
        self.memory = memory
        self.lock = Lock()
        self.max_jobs, self._jobs = max_jobs, jobs
        self._child: Child | None = None
        self._owner, self.jobs_done = os.getpid(), 0
        atexit.register(self.close)

    def start(self) -> Child:
        """Return the child; start one if there is none. It loads what it needs while this process goes on."""
        if self._owner != os.getpid():  # A fork of the owner, whose child is not ours.
            self._owner, self._child, self.lock = os.getpid(), None, Lock()
        if self._child and (self.jobs_done >= self.max_jobs or not self._child.running):
            self.close()
        if self._child is None:
            self._child, self.jobs_done = Child(self._jobs, self.memory), 0
        return self._child

    def done(self) -> None:
        """Count a job; after the last one of a child, start the next child, which loads while nobody waits."""
        self.jobs_done += 1
        if self.jobs_done >= self.max_jobs:
            with suppress(OSError):  # This job is done: the next one tries again.
                self.start()

    def close(self) -> None:
        """End the child; the next job starts another one."""
        if self._child and self._owner == os.getpid():
            self._child.end()
        self._child = None
