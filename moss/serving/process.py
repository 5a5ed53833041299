"""One supervised process: its lines prefixed, started again with growing pauses, ended for certain."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from typing import IO, TextIO

from moss.embedded.client import PACKAGE
from moss.embedded.servers import guarded

GRACE_SECONDS = 20.0
POLL_SECONDS = 0.05
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0
# Whoever ran for this long is not in a loop of crashes.
SETTLED_SECONDS = 60.0


def _echo(name: str, lines: IO[bytes], log: TextIO) -> None:
    with lines:
        for line in lines:
            log.write(f"{name:>6} | {line.decode(errors='replace')}")
            log.flush()


class Child:
    """A command in a session of its own, so that Ctrl-C reaches its supervisor only; writes to `log`."""

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
        self._start_again_at: float | None = None

    def start(self) -> None:
        # SIGQUIT makes Celery drop its tasks, which others will be handed, and gunicorn its connections.
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
        self._start_again_at = None
        assert self.process.stdout is not None
        threading.Thread(target=_echo, args=(self.name, self.process.stdout, self.log), daemon=True).start()

    def tick(self) -> None:
        """Notice an end, and start again when the pause is over."""
        if self.process is None or self.process.poll() is None:
            return
        now = time.monotonic()
        if self._start_again_at is None:
            self._end_group()
            if now - self._started > SETTLED_SECONDS:
                self.pause = FIRST_PAUSE
            self._report(f"ended with status {self.process.returncode}; starting again in {self.pause:.0f} s")
            self._start_again_at = now + self.pause
            self.pause = min(2 * self.pause, LONGEST_PAUSE)
        elif now >= self._start_again_at:
            self.start()

    def stop(self) -> None:
        """Ask to end, wait for the grace, then kill whatever is left of the group."""
        if self.process is None:
            return
        self._signal(signal.SIGTERM)
        deadline = time.monotonic()
        while self.process.poll() is None and time.monotonic() < deadline + self.grace:
            time.sleep(POLL_SECONDS)
        if self.process.poll() is None:
            self._report("did not end when asked and is killed")
        self._end_group()
        self.process.wait()

    def _signal(self, number: int) -> None:
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(number)

    def _end_group(self) -> None:
        assert self.process is not None
        with contextlib.suppress(ProcessLookupError):  # nobody is left of it
            os.killpg(self.process.pid, signal.SIGKILL)

    def _report(self, text: str) -> None:
        self.log.write(f"{self.name:>6} | {text}\n")
        self.log.flush()
