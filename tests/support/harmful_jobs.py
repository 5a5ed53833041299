"""The jobs of a child that reads documents, and harm by a file with `harm: NAME` in its first line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint import engine
from fingerprint.languages.detection import AMBIGUOUS
from submissions.intake.sandbox import document_jobs
from tests.support.harms import harm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from submissions.intake.sandbox.child import Channel, Frame, Header

REFUSALS = document_jobs.REFUSALS
preload = document_jobs.preload
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
    first_lines = [data.split(b"\n", 1)[0] for data in buffers]
    for line in first_lines:
        harm(line.decode(errors="replace"))
    answers = document_jobs.JOBS["read"](request, buffers, channel)
    for line, (header, columns) in zip(first_lines, answers, strict=True):
        if (column := NONSENSE.get(line)) is not None:
            columns[column] = columns[column][:-4] + b"\xff\xff\xff\x7f"
        yield header, columns


JOBS = {"identify": _identify, "read": _read}
