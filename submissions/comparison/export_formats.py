"""The export formats. A new format is one entry in FORMATS. Needs no Django."""

from __future__ import annotations

import csv
import io
import json
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from submissions.comparison.pdf import print_pdf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

# Rows of a CSV file that are written at once.
CHUNK_ROWS = 5_000
# Spreadsheets take a cell that begins with one of these for a formula, some also in the widths of East Asia.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


class ExportTable(NamedTuple):
    """Rows to export, with the names of their columns.

    `name` is the kind of the rows: `pairs` or `submissions`. Formats with a header, such as JSON, write
    `about` into it.
    """

    name: str
    columns: tuple[str, ...]
    rows: Iterable[Sequence[object]]
    about: Mapping[str, object]


class ExportFormat(NamedTuple):
    """A file format that writes tables, or documents from their HTML."""

    title: str
    content_type: str
    write_table: Callable[[ExportTable], Iterator[str]] | None = None
    write_document: Callable[[str], bytes] | None = None


def write_csv(table: ExportTable) -> Iterator[str]:
    """Yield a table as CSV, in parts. Lists are joined with semicolons.

    A text that a spreadsheet would take for a formula gets an apostrophe before it, which makes it a text.
    """
    rows = iter(table.rows)
    chunk: Sequence[Sequence[object]] = [table.columns]
    while chunk:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(_cells(chunk))
        yield text.getvalue()
        chunk = list(islice(rows, CHUNK_ROWS))


def _cells(rows: Sequence[Sequence[object]]) -> Iterable[Sequence[object]]:
    """Return rows as they are written; each text is looked at once, as names are in many rows."""
    columns = (_column(values) for values in zip(*rows, strict=True))
    return zip(*columns, strict=True)


def _column(values: Sequence[Any]) -> Iterable[object]:
    types = set(map(type, values))
    if types == {str}:
        cells = {text: _cell(text) for text in set(values)}
        return map(cells.__getitem__, values)
    if types.isdisjoint({str, list}):
        return values
    return [_cell(value) if isinstance(value, str | list) else value for value in values]


def _cell(value: str | list[str]) -> str:
    text = value if isinstance(value, str) else "; ".join(value)
    if "\r" in text:  # Python 3.11 writes a lone one unquoted, as the end of a row.
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def write_json(table: ExportTable) -> Iterator[str]:
    """Yield a table as one JSON object, in parts: the keys of `about`, and a list of one object per row.

    Every row is on a line of its own.
    """
    header = _json(table.about)[1:-1]
    yield f"{{{header},\n" if header else "{"
    yield f"{_json(table.name)}: ["
    for number, row in enumerate(table.rows):
        yield (",\n" if number else "\n") + _json(dict(zip(table.columns, row, strict=True)))
    yield "\n]}\n"


def write_json_lines(table: ExportTable) -> Iterator[str]:
    """Yield a table as JSON Lines: an object a row."""
    for row in table.rows:
        yield _json(dict(zip(table.columns, row, strict=True))) + "\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


FORMATS = {
    "csv": ExportFormat("CSV", "text/csv; charset=utf-8", write_table=write_csv),
    "json": ExportFormat("JSON", "application/json", write_table=write_json),
    "pdf": ExportFormat("PDF", "application/pdf", write_document=print_pdf),
    "html": ExportFormat("HTML file", "text/html; charset=utf-8", write_document=str.encode),
}
TABLE_FORMATS = {name: export_format for name, export_format in FORMATS.items() if export_format.write_table}
DOCUMENT_FORMATS = {
    name: export_format for name, export_format in FORMATS.items() if export_format.write_document
}
