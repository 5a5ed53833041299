"""The harm that a file or a name of `harm: NAME` does to the child that reads it."""

from __future__ import annotations

import os
import re
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path

from fingerprint.engine import Unreadable

HARM = re.compile(r"harm: (\w+)")
SLEEP_SECONDS = 600


def allocate() -> None:
    bytearray(10_000_000_000)


def compute() -> None:
    """Compute without an end; the signal of a time limit does not interrupt it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    while True:
        pass


def sleep() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    time.sleep(SLEEP_SECONDS)


def crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def leave() -> None:
    os._exit(0)


def fail() -> None:
    raise KeyError("unheard of")


def attack() -> None:
    """Try all that a child gave up; the refusals of the system are the reason why the file is refused."""
    parent, scratch = os.getppid(), Path("/tmp/harm")
    attempts: dict[str, Callable[[], object]] = {
        "read": lambda: Path("/etc/passwd").read_bytes(),
        "write": lambda: scratch.write_bytes(b"harm"),
        "list": lambda: list(Path("/").iterdir()),
        "delete": lambda: Path(__file__).unlink(),
        "rename": lambda: Path(__file__).rename(scratch),
        "make": scratch.mkdir,
        "socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
        "pipe": os.pipe,
        "copy": lambda: os.dup(0),
        "signal": lambda: os.kill(parent, 0),
    }
    raise Unreadable(" ".join(f"{name}={_error(attempt)}" for name, attempt in attempts.items()))


def _error(attempt: Callable[[], object]) -> str:
    try:
        attempt()
    except OSError as error:
        return type(error).__name__
    return "done"


HARMS = {harm.__name__: harm for harm in (allocate, compute, sleep, crash, leave, fail, attack)}


def harm(text: str) -> None:
    word = HARM.search(text)
    if word and word[1] in HARMS:
        HARMS[word[1]]()
