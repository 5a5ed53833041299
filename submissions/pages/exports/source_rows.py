"""Rows of tables for paper, each line of a source in one or more of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

from django.utils.safestring import SafeString

from submissions.pages.source_view.highlight import colour

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from submissions.pages.exports.aligned_lines import Row
    from submissions.pages.exports.drawing import Sheet


# Rows of a document, which are lines of sources: some seven hundred pages, half a gigabyte to print.
ROWS = 20_000
LONG = (
    f"That makes more than {ROWS:,} lines, too many for one document:"
    " leave the whole sources out, or take the pairs one by one."
)
EMPTY = '<td class="no"></td><td class="code"></td>'
AGAIN = '<td class="no"></td><td class="margin"></td>'


class TooLong(Exception):
    """Says what to do instead."""


@dataclass
class Budget:
    """How many rows a document may still have."""

    left: int = ROWS

    def draw(self, rows: Iterable[str]) -> SafeString:
        """Join rows of safe HTML.

        Raises
        ------
        TooLong
        """
        drawn = list(islice(rows, self.left + 1))
        self.left -= len(drawn)
        if self.left < 0:
            raise TooLong(LONG)
        return SafeString("".join(drawn))


def passage_rows(left: Sheet, right: Sheet, rows: Iterable[Row]) -> Iterator[str]:
    """Set the lines of a passage side by side, each side with its numbers."""
    for row in rows:
        sides = [_cells(sheet, number) for sheet, number in ((left, row.left), (right, row.right))]
        for cells in zip_longest(*sides, fillvalue=EMPTY):
            yield f"<tr>{''.join(cells)}</tr>"


def _cells(sheet: Sheet, number: int | None) -> Iterator[str]:
    """Give the two cells of each row of a line."""
    for n, piece in enumerate(sheet.line(number).pieces if number else ()):
        yield f'<td class="no">{"" if n else number}</td><td class="code">{piece}</td>'


def source_rows(sheet: Sheet) -> Iterator[str]:
    """Give every line of a source, with the numbers of its passages in the margin."""
    badged: set[int] = set()
    for number in range(1, sheet.line_count + 1):
        line = sheet.line(number)
        margin = "".join(_badge(passage, badged) for passage in line.passages)
        css = f" in c{colour(line.passages[0])}" if line.passages else ""
        for n, piece in enumerate(line.pieces):
            first = f'<td class="no">{number}</td><td class="margin">{margin}</td>'
            yield f'<tr>{AGAIN if n else first}<td class="code{css}">{piece}</td></tr>'


def _badge(number: int, badged: set[int]) -> str:
    """Write a passage's number: on its first line as a badge."""
    css = "again" if number in badged else "badge"
    badged.add(number)
    return f'<span class="{css} c{colour(number)}">{number}</span>'
