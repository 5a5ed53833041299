"""Every format that can be exported. A new format is one entry in FORMATS. Needs no Django."""

from __future__ import annotations

import csv
import io
import json
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from submissions.pages.exports.pdf import print_pdf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

# Rows of a CSV that are written at once.
CHUNK = 5_000


class Table(NamedTuple):
    """Rows to export, with the names of their columns; formats with a head write `about` into it.

    `name` says what the rows are: pairs, submissions.
    """

    name: str
    columns: tuple[str, ...]
    rows: Iterable[Sequence[object]]
    about: Mapping[str, object]


class Format(NamedTuple):
    """A format writes tables, or documents from their HTML."""

    title: str
    content_type: str
    write_table: Callable[[Table], Iterator[str]] | None = None
    write_document: Callable[[str], bytes] | None = None


def write_csv(table: Table) -> Iterator[str]:
    """Write a table for programs. Lists are joined by semicolons.

    Names are written unchanged. One that begins with `=`, `+`, `-`, `@`, a tab or CR is a formula to a
    spreadsheet, which should import the columns with names as text.
    """
    rows = iter(table.rows)
    part: Sequence[Sequence[object]] = [table.columns]
    while part:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(map(_cells, part))
        yield text.getvalue()
        part = list(islice(rows, CHUNK))


def _cells(row: Sequence[object]) -> Sequence[object]:
    if any(type(value) is list for value in row):
        return ["; ".join(value) if isinstance(value, list) else value for value in row]
    return row


def write_json(table: Table) -> Iterator[str]:
    """Write one object: what the table is about, and its rows, an object each, on lines of their own."""
    head = _json(table.about)[1:-1]
    yield f"{{{head},\n" if head else "{"
    yield f"{_json(table.name)}: ["
    for number, row in enumerate(table.rows):
        yield (",\n" if number else "\n") + _json(dict(zip(table.columns, row, strict=True)))
    yield "\n]}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


FORMATS = {
    "csv": Format("CSV", "text/csv; charset=utf-8", write_table=write_csv),
    "json": Format("JSON", "application/json", write_table=write_json),
    "pdf": Format("PDF", "application/pdf", write_document=print_pdf),
    "html": Format("HTML file", "text/html; charset=utf-8", write_document=str.encode),
}
TABLE_FORMATS = {name: form for name, form in FORMATS.items() if form.write_table}
DOCUMENT_FORMATS = {name: form for name, form in FORMATS.items() if form.write_document}
