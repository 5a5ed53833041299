"""Run a command as a user would: wall time of the whole process, peak memory over all of its descendants.

Memory is the sum over the process tree of the proportional set size (PSS, pages shared by n processes count
1/n for each), sampled every 50 ms from Linux's /proc; other systems give time only.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

INTERVAL = 0.05  # seconds between samples
PROC = Path("/proc")
# As installed: where it is set, each start would compile all of its modules anew, and that would be measured.
BYTECODE = {"PYTHONDONTWRITEBYTECODE": ""}


class RunFailed(RuntimeError):
    """A command that ended with an error, or did not end in time; the message carries its last words."""


class Run(NamedTuple):
    """`seconds` of wall time; `peak` bytes over the process tree, None where they cannot be measured."""

    seconds: float
    peak: int | None


def run(command: Sequence[str], env: Mapping[str, str] | None = None, timeout: float = 3600) -> Run:
    """Run to the end and measure; `env` is added to this process's environment, `timeout` is in seconds.

    Raises
    ------
    RunFailed
    """
    with tempfile.TemporaryFile() as errors:
        begin = time.perf_counter()
        process = subprocess.Popen(
            command,
            env={**os.environ, **BYTECODE, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
        sampler = _Sampler(process.pid, begin + timeout)
        try:
            process.wait()
        finally:
            seconds = time.perf_counter() - begin
            sampler.stop()
            _end(process)
        if process.returncode:
            errors.seek(0)
            words = errors.read().decode(errors="replace").strip()[-2000:]
            cause = f"ran for more than {timeout:g} s" if sampler.late else f"ended with {process.returncode}"
            raise RunFailed(f"{' '.join(command)} {cause}: {words}")
    return Run(seconds, sampler.peak or None)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what the command started, its own session, when it did not end by itself."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


class _Sampler:
    """Watches a process tree from a thread, so that the wait for its end is not a poll; ends a late one."""

    def __init__(self, pid: int, deadline: float) -> None:
        self.pid, self.deadline = pid, deadline
        self.peak, self.late = 0, False
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while True:
            self.peak = max(self.peak, tree_memory(self.pid))
            if self._done.wait(INTERVAL):
                return
            if time.perf_counter() > self.deadline:
                self.late = True
                os.killpg(self.pid, signal.SIGKILL)
                return

    def stop(self) -> None:
        self._done.set()
        self._thread.join()


def tree_memory(pid: int) -> int:
    """PSS in bytes of a process and its descendants now; a process that ends meanwhile counts nothing."""
    try:
        rollup = (PROC / str(pid) / "smaps_rollup").read_text()
        threads = list((PROC / str(pid) / "task").iterdir())
        children = [child for thread in threads for child in _children(thread)]
    except (FileNotFoundError, ProcessLookupError):
        return 0
    own = next((int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")), 0)
    return own * 1024 + sum(tree_memory(child) for child in children)


def _children(thread: Path) -> list[int]:
    try:
        return [int(child) for child in (thread / "children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []
