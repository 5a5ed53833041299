"""Lines of a source for paper: as text that nothing in it can break out of, in pieces that fit a page.

A passage is a `mark` in the colour of its number, a token that the other side writes differently is
underlined, ignored code is grey, and a name that may not be read gives way to what stands for it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from itertools import chain, groupby, pairwise
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from submissions.pages.source_view.highlight import INDENT, colour, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

T = TypeVar("T")

# Characters in one row of a table. A line is cut there: no row is higher than a page, even when all of them
# have to be spelt out, and the work grows with the text and not with the square of its longest line.
CHARACTERS = 300
# What has no space for so long may be broken, every so many characters.
UNBROKEN = re.compile(r"\S{41,}")
BREAKS = 20


class Line(NamedTuple):
    """A line by its number, from 1: the passages on it, and its pieces of safe HTML, at least one."""

    number: int
    passages: list[int]
    pieces: list[str]


class Spans(Generic[T]):
    """What stretches [start, end) of a text hold; they are in text order and do not overlap."""

    def __init__(self, spans: Iterable[tuple[int, int, T]] = ()) -> None:
        self._spans = list(spans)
        self._starts = [start for start, _, _ in self._spans]

    def at(self, offset: int) -> tuple[int, int, T] | None:
        before = bisect_right(self._starts, offset) - 1
        found = self._spans[before] if before >= 0 else None
        return found if found and offset < found[1] else None

    def edges(self, start: int, end: int) -> Iterator[int]:
        """Give the ends of spans that begin in [start, end), and of the one before."""
        first = max(bisect_left(self._starts, start) - 1, 0)
        for span in self._spans[first : bisect_left(self._starts, end)]:
            yield from span[:2]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A text and what is drawn on it; `edges` are where its lines start, and where the last one ends.

    `marks` hold the numbers of passages, `renamed` what to write instead of a name.
    """

    text: str
    edges: Sequence[int]
    marks: Spans[int] = field(default_factory=Spans)
    differing: Spans[str] = field(default_factory=Spans)
    ignored: Spans[None] = field(default_factory=Spans)
    renamed: Spans[str] = field(default_factory=Spans)

    @property
    def line_count(self) -> int:
        return len(self.edges) - 1

    def line(self, number: int) -> Line:
        """Draw the line of that number, from 1."""
        start = self.edges[number - 1]
        end = start + len(self.text[start : self.edges[number]].rstrip("\r\n"))
        indent = INDENT.match(self.text, start, end)
        code = indent.end() if indent else start
        layers = (self.marks, self.differing, self.ignored, self.renamed)
        long = (
            range(word.start(), word.end(), BREAKS)[1:] for word in UNBROKEN.finditer(self.text, start, end)
        )
        breaks = set(chain.from_iterable(long))
        inside = chain(breaks, *(layer.edges(start, end) for layer in layers))
        cuts = range(start, max(end, start + 1), CHARACTERS)
        pieces = list(
            pairwise(sorted({start, code, end, *cuts, *(edge for edge in inside if start < edge < end)}))
        )
        numbers = dict.fromkeys(mark[2] for mark in map(self.marks.at, (low for low, _ in pieces)) if mark)
        rows: dict[int, list[tuple[int, int]]] = {cut: [] for cut in cuts}
        for low, high in pieces:
            rows[low - (low - start) % CHARACTERS].append((low, high))
        return Line(number, list(numbers), [self._row(row, code, breaks) for row in rows.values()])

    def _row(self, pieces: Iterable[tuple[int, int]], code: int, breaks: set[int]) -> str:
        """Draw pieces that stand beside each other; indentation before `code` is never marked."""

        def passage(piece: tuple[int, int]) -> int:
            mark = self.marks.at(piece[0])
            return mark[2] if mark and piece[0] >= code else 0

        drawn = []
        for number, group in groupby(pieces, passage):
            html = "".join(("<wbr>" if piece[0] in breaks else "") + self._piece(*piece) for piece in group)
            drawn.append(f'<mark class="c{colour(number)}">{html}</mark>' if number and html else html)
        return "".join(drawn)

    def _piece(self, start: int, end: int) -> str:
        if hidden := self.renamed.at(start):
            return f'<span class="made-up">{visible(hidden[2])}</span>' if hidden[0] == start else ""
        html = visible(self.text[start:end])
        if not html or html.isspace():
            return html
        if self.ignored.at(start):
            return f'<span class="ignored">{html}</span>'
        return f"<u>{html}</u>" if self.differing.at(start) else html
