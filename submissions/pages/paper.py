"""A source as HTML for paper, in rows short enough for a page; a ranking as one self-contained HTML file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from submissions.matches.source_html import (
    Layers,
    PassageMark,
    Piece,
    RenderedLine,
    Spans,
    colour,
    in_cell,
    render_lines,
)

if TYPE_CHECKING:
    from submissions.matches.differences import LinePair

# Longer lines continue on a further row. No row is then higher than a page, even if every character is
# displayed as `‹U+200B›`, and the time to print grows linearly with a line, not with its square.
ROW_CHARACTERS = 300
# A word of this length may be broken, every so many characters.
LONG_WORD = re.compile(r"\S{41,}")
BREAK_EVERY = 20
# Rows, which are lines of sources, in a document: about 700 pages, which need half a gigabyte to print.
MAX_ROWS = 20_000
# Characters of their HTML: about as much memory as so many rows of ordinary code need.
MAX_CHARACTERS = 30_000_000
# Characters of a line; the rest of a longer one is left out.
MAX_LINE = 110_000
TOO_LONG = gettext_lazy(
    "That makes more than {lines} lines or {megabytes} MB, too much for one document: leave the "
    "whole sources out, or export the pairs one by one."
)
EMPTY_CELLS = '<td class="no"></td><td class="code"></td>'
CONTINUED_CELLS = '<td class="no"></td><td class="margin"></td>'

STATIC = Path(__file__).resolve().parents[1] / "static" / "submissions"


class DocumentTooLong(Exception):
    """The document would be too long; the message says what the user can do instead."""


class PaperMarkup:
    """Colours the passages but not the syntax; breaks long words, and cuts long lines into rows."""

    plain_rest = False

    def __init__(self) -> None:
        self._breaks: set[int] = set()

    def row_starts(self, start: int, end: int) -> Sequence[int]:
        return range(start, max(end, start + 1), ROW_CHARACTERS)

    def breaks(self, text: str, start: int, end: int) -> Iterable[int]:
        words = LONG_WORD.finditer(text, start, end)
        self._breaks = set(chain.from_iterable(range(*word.span(), BREAK_EVERY)[1:] for word in words))
        return self._breaks

    def piece(self, html: str, piece: Piece) -> str:
        if piece.differing is not None:
            html = f"<u>{html}</u>"
        if piece.ignored:
            html = f'<span class="ignored">{html}</span>'
        return f"<wbr>{html}" if piece.start in self._breaks else html

    def mark(self, mark: PassageMark, html: str) -> str:
        return f'<mark class="c{colour(mark.number)}{mark.kind and f" {mark.kind}"}">{html}</mark>'


@dataclass(frozen=True, slots=True)
class PrintedSource:
    """A text to print, the offsets of its lines, the spans to mark up in it, the lines above a notebook's cells."""

    text: str
    starts: Sequence[int]
    layers: Layers
    cells: Sequence[int] = ()

    def lines(self, numbers: range | None = None, offset: int = 0) -> Iterator[RenderedLine]:
        """Yield lines, as `in_cell` numbers them, cut after MAX_LINE, from `offset` on if that is in the line."""
        longest = (MAX_LINE, offset)
        lines = render_lines(self.text, self.starts, self.layers, PaperMarkup(), numbers, longest=longest)
        return (line._replace(number=in_cell(self.cells, line.number)[1]) for line in lines)

    def line_text(self, number: int) -> str:
        """Return the text of the line with a number, from 1, and its end."""
        end = self.starts[number] if number < len(self.starts) else len(self.text)
        return self.text[self.starts[number - 1] : end]

    def with_only(self, marks: Iterable[PassageMark]) -> PrintedSource:
        """Return the same text with only these passages marked."""
        spans = Spans((mark.start, mark.end, mark) for mark in marks)
        return replace(self, layers=replace(self.layers, marks=spans))


@dataclass
class RowBudget:
    """Number of rows, and of characters of their HTML, that may still be added to a document."""

    remaining: int = MAX_ROWS
    characters: int = MAX_CHARACTERS

    def join(self, rows: Iterable[str]) -> SafeString:
        """Join rows of safe HTML, and subtract their number from the budget.

        Raises DocumentTooLong when there are more rows or characters than remain.
        """
        joined = []
        for row in islice(rows, self.remaining + 1):
            joined.append(row)
            self.remaining -= 1
            self.characters -= len(row)
            if self.remaining < 0 or self.characters < 0:
                limits = {"lines": f"{MAX_ROWS:,}", "megabytes": MAX_CHARACTERS // 1_000_000}
                raise DocumentTooLong(TOO_LONG.format(**limits))
        return SafeString("".join(joined))


class PassageSide(NamedTuple):
    """A passage on one side: its source, the numbers of its lines, from 1, and where it begins."""

    source: PrintedSource
    lines: range
    offset: int = 0


def passage_rows(left: PassageSide, right: PassageSide, pairs: Iterable[LinePair]) -> Iterator[str]:
    """Yield table rows with the lines of a passage side by side, each side with its line numbers."""
    left_lines, right_lines = (side.source.lines(side.lines, side.offset) for side in (left, right))
    for pair in pairs:
        sides = [
            line_cells(next(lines) if number else None)
            for lines, number in ((left_lines, pair.left), (right_lines, pair.right))
        ]
        for cells in zip_longest(*sides, fillvalue=EMPTY_CELLS):
            yield f"<tr>{''.join(cells)}</tr>"


def line_cells(line: RenderedLine | None) -> Iterator[str]:
    """Yield the two cells of each row of a line."""
    if line:
        for index, html in enumerate(line.rows):
            yield f'<td class="no">{"" if index else line.number or ""}</td><td class="code">{html}</td>'


def source_rows(source: PrintedSource) -> Iterator[str]:
    """Yield the table rows of a whole source, with the numbers of its passages in the margin."""
    badged: set[int] = set()
    for line in source.lines():
        margin = "".join(_badge(number, badged) for number in dict.fromkeys(mark.number for mark in line.marks))
        css = f" in c{colour(line.marks[0].number)}" if line.marks else ""
        for index, html in enumerate(line.rows):
            first_cells = f'<td class="no">{line.number or ""}</td><td class="margin">{margin}</td>'
            yield f'<tr>{CONTINUED_CELLS if index else first_cells}<td class="code{css}">{html}</td></tr>'


def _badge(number: int, badged: set[int]) -> str:
    """Return a passage's number for the margin, as a badge on its first line; add it to `badged`."""
    css = "again" if number in badged else "badge"
    badged.add(number)
    return f'<span class="{css} c{colour(number)}">{number}</span>'


@cache
def style() -> SafeString:
    """Return the styles of the pages and of documents; a document follows the theme of the system."""
    moss, dark, paper = (_text(name) for name in ("moss.css", "dark.css", "paper.css"))
    # Safe: the files are part of this package.
    return SafeString(f"{moss}\n@media screen and (prefers-color-scheme: dark) {{\n{dark}}}\n{paper}")


def _text(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")
