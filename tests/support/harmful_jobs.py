"""The jobs of children that read or unpack, and harm that is done to the child meanwhile.

A file with `harm: NAME` in its first line does the harm of that name while it is read; an entry of an archive
with that in its name does it when it is unpacked or grouped, and a metadata file that says so when a layout
reads it.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING

from fingerprint import engine
from fingerprint.engine import Unreadable
from fingerprint.languages.content import AMBIGUOUS
from submissions.intake.layouts.listing import Listing
from submissions.intake.limits import BadArchive
from submissions.intake.rosters import RosterRefused
from submissions.intake.sandbox import archive_jobs, document_jobs, grouping_jobs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from submissions.intake.sandbox.child import Channel
    from submissions.intake.sandbox.frames import Frame, Header

REFUSALS = (Unreadable, BadArchive, RosterRefused)
HARM = re.compile(r"harm: (\w+)")
SLEEP_SECONDS = 600


def preload() -> None:
    document_jobs.preload()
    archive_jobs.preload()
    grouping_jobs.preload()
    Listing.read = _reading_harmfully(Listing.read)  # type: ignore[assignment, method-assign]


def _reading_harmfully(read: Callable[[Listing, str], str]) -> Callable[[Listing, str], str]:
    def harmful(listing: Listing, path: str) -> str:
        text = read(listing, path)
        _harm(text)
        return text

    return harmful


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
# The columns that a file makes impossible: starts of the tokens, starts of the coarse stream.
NONSENSE = {b"harm: nonsense": 1, b"harm: symbols": 12}


def _identify(request: Header, buffers: list[bytes], channel: Channel) -> Iterator[Frame]:
    if any(b"harm: match" in data for data in buffers):
        _match(request["seconds"])
    yield from document_jobs.JOBS["identify"](request, buffers, channel)


def _match(seconds: float) -> None:
    """Search for a pattern that takes years to find out that it does not match, within the limit of a job."""
    AMBIGUOUS[".h"] = ((r"^(?:a|aa)+$", "c"),)
    engine.identify(b"a" * 200 + b"!\n", "x.h", "", seconds)


def _read(request: Header, buffers: list[bytes], channel: Channel) -> Iterator[Frame]:
    _harm(buffers[0].split(b"\n", 1)[0].decode(errors="replace"))
    for header, columns in document_jobs.JOBS["read"](request, buffers, channel):
        if (column := NONSENSE.get(buffers[0].split(b"\n", 1)[0])) is not None:
            columns[column] = columns[column][:-4] + b"\xff\xff\xff\x7f"
        yield header, columns


def _unpack(request: Header, buffers: list[bytes], channel: Channel) -> Iterator[Frame]:
    for header, data in archive_jobs.JOBS["unpack"](request, buffers, channel):
        _harm(header["name"])
        yield header, data


def _harm(text: str) -> None:
    harm = HARM.search(text)
    if harm and harm[1] in HARMS:
        HARMS[harm[1]]()


def _group(request: Header, buffers: list[bytes], channel: Channel) -> Iterator[Frame]:
    _harm(buffers[0].decode())
    for header, answers in grouping_jobs.JOBS["group"](request, buffers, channel):
        lie = LIES.get(request["name"])
        yield header, [lie(answers[0])] if lie else answers


def _preview(request: Header, buffers: list[bytes], channel: Channel) -> Iterator[Frame]:
    _harm(buffers[0].decode())
    yield from grouping_jobs.JOBS["preview"](request, buffers, channel)


def _roster(request: Header, buffers: list[bytes], channel: Channel) -> Iterator[Frame]:
    text = buffers[0].decode()
    _harm(text)
    for header, answers in grouping_jobs.JOBS["roster"](request, buffers, channel):
        lies = [lie(answers[0]) for word, lie in ROSTER_LIES.items() if f"lie: {word}" in text]
        yield header, lies or answers


ROSTER_LIES: dict[str, Callable[[bytes], bytes]] = {
    "no json": lambda _: b"{",
    "no parts": lambda _: b"{}",
    "nobody": lambda answer: answer.replace(b'"Ada"', b'""').replace(b'"1"', b'""'),
    "no text": lambda answer: answer.replace(b'"Ada"', b"7"),
    "long": lambda answer: answer.replace(b'"Ada"', b'"' + b"a" * 401 + b'"'),
    "no lists": lambda _: b'{"students": {}, "problems": 7}',
}
# What a child answers instead, by the name of the upload.
LIES: dict[str, Callable[[bytes], bytes]] = {
    "no json": lambda _: b"{",
    "no parts": lambda _: b"{}",
    "other entries": lambda answer: answer.replace(b"ada/a.c", b"../../etc/passwd"),
    "no text": lambda answer: answer.replace(b'"Ada Byron"', b"7"),
    "a surrogate": lambda answer: answer.replace(b'"Ada Byron"', rb'"\ud800"'),
    "no layout": lambda answer: answer.replace(b'"layout": "', b'"layout": "no such '),
    "a deep nest": lambda _: b"[" * 100_000,
}
JOBS = {
    "identify": _identify,
    "read": _read,
    "unpack": _unpack,
    "group": _group,
    "preview": _preview,
    "roster": _roster,
}
