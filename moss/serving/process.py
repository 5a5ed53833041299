"""A supervised child process, restarted after increasing pauses. Its output gets its name as a prefix."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from typing import IO, TextIO

from moss.embedded.paths import PACKAGE
from moss.embedded.servers import guarded
from moss.log_lines import LOG_FORMAT, JsonLine

GRACE_SECONDS = 20.0
POLL_SECONDS = 0.05
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0
# After a run of this length the pause before a restart is short again: the process is not in a crash loop.
SETTLED_SECONDS = 60.0


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
            pass_fds=self.inherited,
            start_new_session=True,
        )
        self._started = time.monotonic()
        self._restart_at = None
        assert self.process.stdout is not None
        copy = threading.Thread(
            target=_copy_lines, args=(self.name, self.process.stdout, self.log), daemon=True
        )
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
