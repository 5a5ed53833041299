"""A source for paper: rows of tables, in pieces that fit a page.

A passage is a `mark` in the colour of its number, a token that the other side writes differently is
underlined, ignored code is grey, and a name that the reader may not see is replaced.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import chain, islice, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from django.utils.safestring import SafeString

from submissions.pages.source_view.render import Layers, RenderedLine, Spans, colour, render_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from submissions.pages.exports.aligned_lines import LinePair
    from submissions.pages.source_view.render import Mark, Piece

# Characters in one row of a table. A line is cut there: no row is higher than a page, even when every
# character has to be spelt out, and the work grows with the text, not with the square of its longest line.
CHARACTERS = 300
# A word of this length may be broken, every so many characters.
UNBROKEN = re.compile(r"\S{41,}")
BREAKS = 20
# Rows of a document, which are lines of sources: some seven hundred pages, half a gigabyte to print.
ROWS = 20_000
TOO_LONG = (
    f"That makes more than {ROWS:,} lines, too many for one document:"
    " leave the whole sources out, or take the pairs one by one."
)
EMPTY_CELLS = '<td class="no"></td><td class="code"></td>'
CONTINUED_CELLS = '<td class="no"></td><td class="margin"></td>'


class TooLong(Exception):
    """A document that would be too long; the message says what to do instead."""


class PaperMarkup:
    """Black on white but for passages; long words may break, and long lines are cut into rows."""

    plain_rest = False

    def __init__(self) -> None:
        self._breaks: set[int] = set()

    def row_starts(self, start: int, end: int) -> Sequence[int]:
        return range(start, max(end, start + 1), CHARACTERS)

    def breaks(self, text: str, start: int, end: int) -> Iterable[int]:
        words = UNBROKEN.finditer(text, start, end)
        self._breaks = set(chain.from_iterable(range(*word.span(), BREAKS)[1:] for word in words))
        return self._breaks

    def piece(self, html: str, piece: Piece) -> str:
        if piece.ignored:
            html = f'<span class="ignored">{html}</span>'
        elif piece.differing is not None:
            html = f"<u>{html}</u>"
        return f"<wbr>{html}" if piece.start in self._breaks else html

    def mark(self, mark: Mark, html: str) -> str:
        return f'<mark class="c{colour(mark.number)}">{html}</mark>'


@dataclass(frozen=True, slots=True)
class Sheet:
    """A text to print, where its lines start, and what is drawn on it."""

    text: str
    starts: Sequence[int]
    layers: Layers

    def lines(self, numbers: range | None = None) -> Iterator[RenderedLine]:
        return render_lines(self.text, self.starts, self.layers, PaperMarkup(), numbers)

    def with_only(self, marks: Iterable[Mark]) -> Sheet:
        """Return the same text with these passages only."""
        spans = Spans((mark.start, mark.end, mark) for mark in marks)
        return replace(self, layers=replace(self.layers, marks=spans))


@dataclass
class Budget:
    """How many rows a document may still have."""

    left: int = ROWS

    def join(self, rows: Iterable[str]) -> SafeString:
        """Join rows of safe HTML.

        Raises
        ------
        TooLong
        """
        drawn = list(islice(rows, self.left + 1))
        self.left -= len(drawn)
        if self.left < 0:
            raise TooLong(TOO_LONG)
        return SafeString("".join(drawn))


class PassageSide(NamedTuple):
    """A passage on one side: the sheet that it is on, and the numbers of its lines."""

    sheet: Sheet
    lines: range


def passage_rows(left: PassageSide, right: PassageSide, pairs: Iterable[LinePair]) -> Iterator[str]:
    """Yield table rows that set the lines of a passage side by side, each side with its numbers."""
    left_lines, right_lines = (iter(side.sheet.lines(side.lines)) for side in (left, right))
    for pair in pairs:
        sides = [
            _cells(next(lines) if number else None)
            for lines, number in ((left_lines, pair.left), (right_lines, pair.right))
        ]
        for cells in zip_longest(*sides, fillvalue=EMPTY_CELLS):
            yield f"<tr>{''.join(cells)}</tr>"


def _cells(line: RenderedLine | None) -> Iterator[str]:
    """Yield the two cells of each row of a line."""
    if line:
        for at, html in enumerate(line.rows):
            yield f'<td class="no">{"" if at else line.number}</td><td class="code">{html}</td>'


def source_rows(sheet: Sheet) -> Iterator[str]:
    """Yield table rows of a whole source, with the numbers of its passages in the margin."""
    badged: set[int] = set()
    for line in sheet.lines():
        margin = "".join(_badge(mark.number, badged) for mark in line.marks)
        css = f" in c{colour(line.marks[0].number)}" if line.marks else ""
        for at, html in enumerate(line.rows):
            first = f'<td class="no">{line.number}</td><td class="margin">{margin}</td>'
            yield f'<tr>{CONTINUED_CELLS if at else first}<td class="code{css}">{html}</td></tr>'


def _badge(number: int, badged: set[int]) -> str:
    """Write a passage's number: on its first line as a badge."""
    css = "again" if number in badged else "badge"
    badged.add(number)
    return f'<span class="{css} c{colour(number)}">{number}</span>'
