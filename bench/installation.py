"""A running `moss serve` in a home of its own, and its processes."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from pathlib import Path

START_SECONDS = 240
END_SECONDS = 60
# A process of a killed supervisor ends within this time.
ORPHAN_SECONDS = 20


def free_port() -> int:
    """Return a port of this machine that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start_server(home: Path, workers: int = 2) -> subprocess.Popen[bytes]:
    """Start `moss serve` on a free port, and return it when it serves."""
    home.mkdir(parents=True, exist_ok=True)
    installation = Installation(home, workers)
    installation.start()
    return installation.server


class Installation:
    """A running `moss serve`, and the processes of its home, found by its path in their environment."""

    def __init__(self, home: Path, workers: int = 2) -> None:
        self.home, self.workers = str(home), workers
        self.log = home.parent / "serve.log"
        self.fill = home / "fill"
        self.port = free_port()
        self.violated: list[str] = []

    def start(self) -> None:
        """Start the server and return when it serves."""
        command = [sys.executable, "-m", "moss", "serve", "--port", str(self.port)]
        command += ["--workers", str(self.workers)]
        with self.log.open("ab") as file:
            started = file.tell()
            self.server = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + START_SECONDS
        while b"serves at" not in self.log.read_bytes()[started:]:
            if self.server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server did not start; see {self.log}")
            time.sleep(0.2)

    def stop(self) -> list[str]:
        """Stop the server; return what is wrong: processes that remain, besides the earlier violations."""
        from moss.embedded.client import release_services  # noqa: PLC0415 - this process uses them too

        self.recover()
        release_services()
        self.server.terminate()
        self.server.wait(END_SECONDS)
        if left := self._left_after(END_SECONDS):
            self.violated.append(f"processes are left after the end: {left}")
            kill_all(self.processes())
        return self.violated

    def recover(self) -> None:
        """Make room again, and let stopped processes go on."""
        self.fill.unlink(missing_ok=True)

    def _left_after(self, seconds: float, *words: str) -> list[str]:
        deadline = time.monotonic() + seconds
        while (left := self.processes(*words)) and time.monotonic() < deadline:
            time.sleep(0.2)
        return [str(process) for process in left]

    def kill_supervisor(self) -> str:
        """Kill `moss serve`, wait until its children have ended, and start it again."""
        self.server.kill()
        self.server.wait()
        for words in (("celery",), ("gunicorn",), ("moss", "maintain")):
            if left := self._left_after(ORPHAN_SECONDS, *words):
                self.violated.append(f"the killed supervisor left {left}")
        self.start()
        return "its children ended; started again"

    def processes(self, *words: str) -> list[psutil.Process]:
        """Return the processes, other than this one, whose command line contains every one of the words."""
        return [
            process
            for process in psutil.process_iter()
            if process.pid != os.getpid() and self._belongs(process) and self._matches(process, words)
        ]

    def readers(self) -> list[psutil.Process]:
        """Return the children of the workers that read and unpack files."""
        readers: dict[int, psutil.Process] = {}
        for worker in self.processes("celery", "worker"):
            with contextlib.suppress(psutil.Error):  # it has ended
                readers |= {child.pid: child for child in worker.children()}
        return [child for child in readers.values() if self._matches(child, ("submissions.intake.sandbox.child",))]

    def _belongs(self, process: psutil.Process) -> bool:
        try:
            return process.environ().get("MOSS_HOME") == self.home or self.home in " ".join(process.cmdline())
        except psutil.Error:  # it has ended, or belongs to another user
            return False

    @staticmethod
    def _matches(process: psutil.Process, words: tuple[str, ...]) -> bool:
        try:
            line = " ".join(process.cmdline())
        except psutil.Error:
            return False
        return all(word in line for word in words)


def kill_all(processes: list[psutil.Process]) -> str:
    """Kill processes, of which some may have ended; return how many there were, in words."""
    for process in processes:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
    return f"{len(processes)} processes"
