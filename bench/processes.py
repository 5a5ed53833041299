"""Run a command and measure the wall time of the whole process and the peak memory of its process tree.

Memory is the proportional set size (PSS: a page shared by n processes counts 1/n for each), summed over the
process and its descendants and sampled every 50 ms from Linux's /proc. Other systems measure time only.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, ParamSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

INTERVAL = 0.05  # seconds between samples
PROC = Path("/proc")
# Let the command write bytecode, as an installed one does. Otherwise each run would compile all its modules.
BYTECODE = {"PYTHONDONTWRITEBYTECODE": ""}


class BenchError(Exception):
    """Data or a tool of a measurement cannot be used; the message says why."""


class RunFailed(BenchError):
    """A command ended with an error or did not end in time; the message has the end of its error output."""


Given = ParamSpec("Given")


def command(run: Callable[Given, None]) -> Callable[Given, int]:
    """Make a function return the exit status of its command; where data or a tool fail, one line says why."""

    @wraps(run)
    def main(*given: Given.args, **named: Given.kwargs) -> int:
        try:
            run(*given, **named)
        except BenchError as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
        return 0

    return main


class ProcessRun(NamedTuple):
    """`seconds` of wall time, and the `peak` memory in bytes; None where it cannot be measured."""

    seconds: float
    peak: int | None


def run(command: Sequence[str], env: Mapping[str, str] | None = None, timeout: float = 3600) -> ProcessRun:
    """Run a command to its end and measure it.

    `env` is added to this process's environment; `timeout` is in seconds.

    Raises
    ------
    RunFailed
        When the command fails, or runs longer than `timeout` and is killed.
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
            _kill_session(process)
        if process.returncode:
            errors.seek(0)
            message = errors.read().decode(errors="replace").strip()[-2000:]
            cause = f"ran for more than {timeout:g} s" if sampler.timed_out else f"ended with {process.returncode}"
            raise RunFailed(f"{' '.join(command)} {cause}: {message}")
    return ProcessRun(seconds, sampler.peak or None)


def _kill_session(process: subprocess.Popen[bytes]) -> None:
    """Kill the command and all processes of its session, if it still runs."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


class _Sampler:
    """A thread that samples the memory of a process tree, and kills it at the deadline.

    A thread, so that the main thread can block until the process ends instead of polling it.
    """

    def __init__(self, pid: int, deadline: float) -> None:
        self.pid, self.deadline = pid, deadline
        self.peak, self.timed_out = 0, False
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while True:
            self.peak = max(self.peak, tree_memory(self.pid))
            if self._done.wait(INTERVAL):
                return
            if time.perf_counter() > self.deadline:
                self.timed_out = True
                os.killpg(self.pid, signal.SIGKILL)
                return

    def stop(self) -> None:
        self._done.set()
        self._thread.join()


def tree_memory(pid: int) -> int:
    """Return the current PSS in bytes of a process and its descendants; an ended process counts 0."""
    try:
        rollup = (PROC / str(pid) / "smaps_rollup").read_text()
        threads = list((PROC / str(pid) / "task").iterdir())
        children = [child for thread in threads for child in _children(thread)]
    except (FileNotFoundError, ProcessLookupError):
        return 0
    kilobytes = next((int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")), 0)
    return kilobytes * 1024 + sum(tree_memory(child) for child in children)


def _children(thread: Path) -> list[int]:
    try:
        return [int(child) for child in (thread / "children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []
