"""The jobs of a child that groups, and harm by a name or a metadata file that says `harm: NAME`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from submissions.intake.layouts.places import Listing
from submissions.intake.sandbox import grouping_jobs
from tests.support.harms import harm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from submissions.intake.sandbox.child import Channel, Frame, Header

REFUSALS = grouping_jobs.REFUSALS


def preload() -> None:
    grouping_jobs.preload()
    Listing.read = _reading_harmfully(Listing.read)  # type: ignore[assignment, method-assign]


def _reading_harmfully(read: Callable[[Listing, str], str]) -> Callable[[Listing, str], str]:
    def harmful(listing: Listing, path: str) -> str:
        text = read(listing, path)
        harm(text)
        return text

    return harmful


def _group(request: Header, buffers: list[bytes], channel: Channel) -> Iterator[Frame]:
    harm(buffers[0].decode())
    for header, answers in grouping_jobs.JOBS["group"](request, buffers, channel):
        lie = LIES.get(request["name"])
        yield header, [lie(answers[0])] if lie else answers


def _preview(request: Header, buffers: list[bytes], channel: Channel) -> Iterator[Frame]:
    harm(buffers[0].decode())
    yield from grouping_jobs.JOBS["preview"](request, buffers, channel)


def _roster(request: Header, buffers: list[bytes], channel: Channel) -> Iterator[Frame]:
    text = buffers[0].decode()
    harm(text)
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
    "other entries": lambda answer: answer.replace(b"ada/a.c", b"../../etc/passwd"),
    "a surrogate": lambda answer: answer.replace(b'"Ada Byron"', rb'"\ud800"'),
    "no layout": lambda answer: answer.replace(b'"layout": "', b'"layout": "no such '),
    "no parts": lambda _: b"{}",
    "no text": lambda answer: answer.replace(b'"Ada Byron"', b"7"),
    "a deep nest": lambda _: b"[" * 100_000,
}
JOBS = {"group": _group, "preview": _preview, "roster": _roster}
