"""Read the rows of a CSV file, in whatever encoding, with whatever separator and however badly quoted."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, NamedTuple

from fingerprint.engine import decode
from submissions.intake import roster_sentences as sentences
from submissions.intake.names import replace_invisible
from submissions.intake.rosters.columns import RosterRefused, columns_of, is_header, refuse_header

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 5_000_000
MAX_ROWS = 20_000
SEPARATORS = (",", ";", "\t")
# Rows in which the header is looked for: titles, dates and the like may precede it.
HEADER_ROWS = 10
# Lines that a quoted cell has at most; in a longer one, a quote is missing.
QUOTED_LINES = 20
# Characters of a cell that are kept, as many as the name of a submission has.
MAX_CELL = 400
CONSTANT = re.compile(r'="([^"]*)"')


class Row(NamedTuple):
    """The cells of a row, the number of its first line, and whether its quotes could be read."""

    line: int
    cells: list[str]
    quoted_well: bool = True


class Table(NamedTuple):
    """The header of a file, and the rows after it that are not empty."""

    header: list[str]
    rows: list[Row]


def read_table(data: bytes) -> Table:
    """Return the table in a CSV file.

    Raises
    ------
    RosterRefused
        For a file that is too large, is no text, or has no row that names a column of students.
    """
    lines = re.split(r"\r\n|\r|\n", _decode(data))
    separator, header_line = _header(lines)
    rows: list[Row] = []
    for row in read_rows(lines, separator, header_line):
        if any(row.cells):
            rows.append(row)
        if len(rows) > MAX_ROWS + 1:
            raise RosterRefused(sentences.MANY_ROWS.format(rows=f"{MAX_ROWS:,}"))
    return Table(rows[0].cells, rows[1:])


def check_size(size: int) -> None:
    """Raise RosterRefused for a file of more than MAX_BYTES bytes."""
    if size > MAX_BYTES:
        raise RosterRefused(sentences.MANY_BYTES.format(bytes=f"{size:,}", most=f"{MAX_BYTES:,}"))


def _decode(data: bytes) -> str:
    check_size(len(data))
    try:
        return decode(data).text
    except ValueError as error:
        raise RosterRefused(sentences.UNREADABLE.format(error=error)) from error


def _header(lines: list[str]) -> tuple[str, int]:
    """Return the separator by which most columns are understood, and the index of the header's line."""
    best: tuple[int, int, str, int] | None = None
    for order, separator in enumerate(SEPARATORS):
        for number, row in enumerate(_first_rows(lines, separator)):
            if is_header(row.cells):
                understood = sum(map(len, columns_of(row.cells).values()))
                candidate = (-understood, number * len(SEPARATORS) + order, separator, row.line - 1)
                best = min(best or candidate, candidate)
    if best is None:
        separator = max(SEPARATORS, key=lambda one: len(next(_first_rows(lines, one), Row(1, [])).cells))
        raise refuse_header(next(_first_rows(lines, separator), Row(1, [])).cells)
    return best[2], best[3]


def _first_rows(lines: list[str], separator: str) -> Iterator[Row]:
    first = lines[: HEADER_ROWS * QUOTED_LINES]
    filled = (row for row in read_rows(first, separator) if any(row.cells))
    return (row for row, _ in zip(filled, range(HEADER_ROWS), strict=False))


def read_rows(lines: list[str], separator: str, start: int = 0) -> Iterator[Row]:
    """Yield the rows of `lines` from the index `start` on; a broken quote costs only its own line."""
    index = start
    while index < len(lines):
        cells, used, quoted_well = _row_at(lines, index, separator)
        yield Row(index + 1, [_clean(cell) for cell in cells], quoted_well)
        index += used


def _row_at(lines: list[str], index: int, separator: str) -> tuple[list[str], int, bool]:
    """Return the cells of the row at `index`, the number of its lines, and whether its quotes are right."""
    if '"' not in lines[index]:
        return lines[index].split(separator), 1, True
    quotes = 0
    for used, line in enumerate(lines[index : index + QUOTED_LINES], 1):
        quotes += line.count('"')
        if quotes % 2 == 0:
            if cells := _parse("\n".join(lines[index : index + used]), separator):
                return cells, used, True
            break
    if cells := _parse(lines[index], separator):
        return cells, 1, True
    return [cell.strip().strip('"') for cell in lines[index].split(separator)], 1, False


def _parse(text: str, separator: str) -> list[str] | None:
    """Return the cells of a row; None where `text` is several rows, or none that is well quoted."""
    try:
        source = io.StringIO(text, newline="")
        rows = list(csv.reader(source, delimiter=separator, strict=True, skipinitialspace=separator != "\t"))
    except csv.Error:
        return None
    return rows[0] if len(rows) == 1 else None


def _clean(cell: str) -> str:
    """Return the text of a cell; spreadsheets write `="00042"` for digits that are text."""
    text = " ".join(cell.split())
    text = text if text.isprintable() else replace_invisible(text)
    constant = CONSTANT.fullmatch(text)
    return (constant[1] if constant else text).strip()[:MAX_CELL]
