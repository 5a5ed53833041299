"""Marks of a block on one side: what is equal on both, its common code, and what only this side has."""

from __future__ import annotations

from itertools import chain, pairwise, takewhile
from typing import TYPE_CHECKING, NamedTuple

from submissions.comparison.matching import matching_runs
from submissions.comparison.source_html import LINE_END, PassageMark

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from submissions.comparison.source_html import Span
    from submissions.comparison.written_differences import TokenRun

GAP, COMMON = "gap", "common"


class MarkedPiece(NamedTuple):
    """A piece of a block, or what is between two, in the code points [start, end).

    The other side lacks `cuts`. `others`: how many other submissions have it, for common code; 0 for other.
    """

    start: int
    end: int
    cuts: list[Span]
    others: int = 0


def block_marks(
    text: str, number: int, pieces: Iterable[MarkedPiece], label: str = ""
) -> Iterator[PassageMark]:
    """Yield the marks of a block in text order; the cuts of its pieces are marked as GAP."""
    for piece in pieces:
        kind = COMMON if piece.others else ""
        edges = [piece.start, *chain.from_iterable(piece.cuts), piece.end]
        for at, (start, end) in enumerate(pairwise(edges)):
            if text[start:end].strip():
                cut = at % 2 == 1
                yield PassageMark(start, end, number, label, *((GAP,) if cut else (kind, piece.others)))


def between(this: tuple[str, Span], other: tuple[str, Span] | None) -> MarkedPiece:
    """Return what is between two pieces: a text of each side and a span in it, None if not compared."""
    (text, span), cuts = this, [this[1]]
    if other:
        cuts = list(cuts_between(text, span, other[0][slice(*other[1])]))
    return MarkedPiece(*span, [cut for cut in cuts if text[slice(*cut)].strip()])


def differing_gaps(run: TokenRun, other: TokenRun) -> Iterator[Span]:
    """Yield the spans between two tokens of a run with text, such as a comment, that the other side lacks."""
    spans, others = run.spans(), other.spans()
    for at in range(len(spans) - 1):
        start, end, other_start, other_end = (
            *(spans[at][1], spans[at + 1][0]),
            *(others[at][1], others[at + 1][0]),
        )
        if start < end:
            yield from cuts_between(run.text, (start, end), other.text[other_start:other_end])


def cuts_between(text: str, span: Span, other: str) -> Iterator[Span]:
    """Yield the parts of a span of a text that are not white space, without the lines that `other` has.

    Lines that are equal, but for white space, have to be in the same order on both sides.
    """
    start, end = span
    here = text[start:end]
    if here.isspace() or here == other or "".join(here.split()) == "".join(other.split()):
        return
    same = _equal_beginning(here, other)
    start, here, other = start + same, here[same:], other[same:]
    edges = [start, *(start + edge for edge in chain.from_iterable(_equal_lines(here, other))), end]
    for first, after in zip(edges[::2], edges[1::2], strict=True):
        if text[first:after].strip():
            yield first, after


def _equal_beginning(this: str, other: str) -> int:
    """Return how many characters of their first lines two texts begin with, without a part of a word."""
    first, other_first = (LINE_END.split(text, maxsplit=1)[0] for text in (this, other))
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, other_first, strict=False)))
    if _in_word(first[same : same + 1]) or _in_word(other_first[same : same + 1]):
        same -= sum(1 for _ in takewhile(_in_word, reversed(first[:same])))
    return len(first[:same].rstrip())


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _equal_lines(this: str, other: str) -> list[Span]:
    """Return the spans of runs of lines that both texts have, without white space at their ends."""
    lines = _lines(this)
    runs = matching_runs([key for _, key in lines], [key for _, key in _lines(other)])
    return [(lines[at][0][0], lines[at + size - 1][0][1]) for at, _, size in runs]


def _lines(text: str) -> list[tuple[Span, str]]:
    """Return the lines that are not blank: where each begins and ends, and its text, without white space.

    The text of the first one, which is the rest of a token's line, has a space: it equals no whole line.
    """
    edges = [0, *chain.from_iterable(end.span() for end in LINE_END.finditer(text)), len(text)]
    lines = ((start, text[start:end]) for start, end in zip(edges[::2], edges[1::2], strict=True))
    return [
        (
            (start + len(line) - len(line.lstrip()), start + len(line.rstrip())),
            "".join(line.split()) + " " * (not start),
        )
        for start, line in lines
        if line.strip()
    ]
