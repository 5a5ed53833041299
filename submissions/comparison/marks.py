"""Marks of a block on one side: its equal pieces, its common code, and what was inserted between them."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from submissions.comparison.source_html import PassageMark

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from submissions.comparison.source_html import Span
    from submissions.comparison.written_differences import TokenRun

GAP, COMMON = "gap", "common"


class MarkedPiece(NamedTuple):
    """A piece of a block in the code points [start, end), without `cuts`: spans that the other side lacks.

    `others`: how many other submissions have it, for common code; 0 for code that counts.
    """

    start: int
    end: int
    cuts: list[Span]
    others: int = 0


def block_marks(
    text: str, number: int, pieces: Iterable[MarkedPiece], label: str = ""
) -> Iterator[PassageMark]:
    """Yield the marks of a block in text order; the text between its equal parts is marked as GAP."""
    end: int | None = None
    for piece in pieces:
        kind = COMMON if piece.others else ""
        edges = [piece.start, *chain.from_iterable(piece.cuts), piece.end]
        for start, after in zip(edges[::2], edges[1::2], strict=True):
            if end is not None and not text[end:start].isspace() and end < start:
                yield PassageMark(end, start, number, label, GAP)
            yield PassageMark(start, after, number, label, kind, piece.others)
            end = after


def differing_gaps(own: TokenRun, other: TokenRun) -> Iterator[Span]:
    """Yield the spans between two tokens of a run in which text, such as a comment, differs.

    White space counts for nothing.
    """
    spans, others = own.spans(), other.spans()
    for at in range(len(spans) - 1):
        (start, end), (other_start, other_end) = (
            (spans[at][1], spans[at + 1][0]),
            (others[at][1], others[at + 1][0]),
        )
        if start == end and other_start == other_end:
            continue
        here, there = own.text[start:end], other.text[other_start:other_end]
        if here != there and "".join(here.split()) != "".join(there.split()):
            yield start, end
