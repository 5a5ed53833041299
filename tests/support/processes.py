"""Processes that a test looks at or signals: each of them may end at any moment."""

import os
import signal
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from tests.conftest import wait_until

# Stopped or ended; nothing is read of a process that is gone.
STANDS_STILL = b"TZX"


def completed(command: Sequence[str | Path], **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, whatever its status; return that and what it printed."""
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def every_process() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def record(pid: int, name: str) -> bytes:
    """Return a file of /proc about a process; empty if the process has ended or belongs to another user."""
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def command_line(pid: int) -> list[bytes]:
    return record(pid, "cmdline").split(b"\0")


def open_files(pid: int) -> list[str]:
    """Return the files that a process has open, deleted ones included."""
    files = list[str]()
    with suppress(OSError):  # it has ended or belongs to another user
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(FileNotFoundError):  # it was closed since it was listed
                files.append(str(link.readlink()))
    return files


def descendants(pid: int, word: str = "") -> list[psutil.Process]:
    """Return the processes below one, or those of them whose command line has a word."""
    try:
        family = psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    return [process for process in family if not word or word.encode() in command_line(process.pid)]


def pool_children(log: Path) -> list[int]:
    """Return the processes of a worker that run tasks: the children of the one that writes the log."""
    writers = {pid for pid in every_process() if str(log) in open_files(pid)}
    return sorted({child.pid for pid in writers for child in descendants(pid)} & writers)


def send(pids: Iterable[int], number: signal.Signals) -> None:
    """Send a signal to the processes that still run."""
    for pid in pids:
        with suppress(ProcessLookupError):  # it has ended since it was listed
            os.kill(pid, number)


def kill(pids: Iterable[int]) -> None:
    send(pids, signal.SIGKILL)


def kill_group(leader: int, number: signal.Signals = signal.SIGKILL) -> None:
    """Kill what still runs of a process group, or send it another signal."""
    with suppress(ProcessLookupError):  # all of it has ended
        os.killpg(leader, number)


def stop(pids: Iterable[int]) -> None:
    """Stop processes, and wait until they stand still."""
    stopped_pids = list(pids)
    send(stopped_pids, signal.SIGSTOP)
    wait_until(lambda: all(map(_stands_still, stopped_pids)), what="the stopped processes")


def _stands_still(pid: int) -> bool:
    return record(pid, "stat").rpartition(b") ")[2][:1] in STANDS_STILL


@contextmanager
def stopped(pids: Iterable[int]) -> Iterator[None]:
    """Stop processes for the time of a block."""
    stopped_pids = list(pids)
    try:
        stop(stopped_pids)
        yield
    finally:
        send(stopped_pids, signal.SIGCONT)
