"""The export formats. A new format is one entry in FORMATS. Needs no Django.

HTML is printed as PDF in a separate process, so that no source can crash or block the server.
"""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any, NamedTuple

logger = logging.getLogger(__name__)

PRINTER = Path(__file__).with_name("printing.py")
NO_FONTS = 3  # exit status of the printer
# Types of errors in a traceback.
ERRORS = re.compile(rb"^([\w.]*(?:Error|Exception|Interrupt))\b", re.MULTILINE)
ALTERNATIVE = "Take the HTML file and print it from a browser: that gives the same pages."
TIMEOUT_SECONDS = 60
MEMORY_BYTES = 3 * 1024**3 // 2
# Printers that one server process runs at a time. A further request waits for at most WAIT_SECONDS: it
# occupies one of the few threads of the process, which other pages need.
PRINTERS = BoundedSemaphore(2)
WAIT_SECONDS = 10
# Variables that help to find fonts. The secret key and the database's address are not passed on.
PASSED_VARIABLES = (
    "HOME", "LANG", "PATH", "TZ", "XDG_CACHE_HOME", "XDG_DATA_HOME", "FONTCONFIG_FILE", "FONTCONFIG_PATH",
)  # fmt: skip

# Rows of a CSV file that are written at once.
CHUNK_ROWS = 5_000
# What a cell has between quotes, in which a quote is written twice.
QUOTED = re.compile(r'[",\n]')
# Spreadsheets take a cell that begins with a sign for a formula, some also in the widths of East Asia or after what
# nobody sees: blanks, controls and formats, here without tabs and ends of lines.
BLANKS = '\x00-\x08\x0b-\x20"\x7f-\xa0\xad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff'
BLANKS += "\ufff9-\ufffb\U000e0001-\U000e007f"
FORMULA = f"([{BLANKS}]*)(?=[=+\\-@\uff1d\uff0b\uff0d\uff20])"
# Where a spreadsheet separates cells by semicolons or tabs, quotes within a cell do not hold it together.
FORMULA_WITHIN = re.compile(rf"(?:\A|(?<=[;\t\n])){FORMULA}")

# The same in a file for Excel, which separates by the sign of its reader's language.
EXCEL_QUOTED = re.compile(r'[",;\n]')
EXCEL_WITHIN = re.compile(rf"(?:\A|(?<=[,;\t\n])){FORMULA}")
# Texts that Excel takes for numbers, dates or times; whole numbers without a leading zero stay the same.
NUMBER_LIKE = re.compile(r"[ .,$€]*\d[\d.,:/ eE+-]*(?:%|[AaPp][Mm])?\Z")
MONTHS = "jan|feb|mar|mär|apr|abr|may|mai|jun|jul|aug|ago|sep|oct|okt|nov|dec|dez|ene|dic"
DATE_LIKE = re.compile(rf"(?i) *(?:\d+[ .-]*(?:{MONTHS})|(?:{MONTHS})\w*[ .-]*\d)")
EXACT_DIGITS = 15


class CsvForm(NamedTuple):
    """The separator of cells, the decimal sign, and the first characters of a file.

    `protected` marks what a spreadsheet could take for a formula within a cell. With `protects_numbers`,
    texts that look like numbers, dates or times are marked as texts.
    """

    separator: str = ","
    decimal: str = "."
    begin: str = ""
    is_quoted: Callable[[str], re.Match[str] | None] = QUOTED.search
    protected: Callable[[str, str], str] = FORMULA_WITHIN.sub
    protects_numbers: bool = False


PLAIN_CSV = CsvForm()


def excel_form(language: str) -> CsvForm:
    """Return the form of CSV that Excel opens by a double click where its list separator is of a language."""
    english = language.partition("-")[0] == "en"
    signs = (",", ".") if english else (";", ",")
    return CsvForm(*signs, "\ufeff", EXCEL_QUOTED.search, EXCEL_WITHIN.sub, protects_numbers=True)


class PrintingFailed(Exception):
    """The document was not printed; the message says why, and what the user can do instead."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"{reason} {ALTERNATIVE}")


def print_pdf(html: str, seconds: int = TIMEOUT_SECONDS, memory: int = MEMORY_BYTES) -> bytes:
    """Return the page as PDF.

    Raises PrintingFailed when printing takes more than `seconds` or `memory` bytes, when the printer crashes,
    when there are no fonts, or when no printer becomes free in WAIT_SECONDS.
    """
    if not find_spec("plutoprint"):
        raise PrintingFailed("This server has no printer; its administrator can install moss-server[pdf].")
    environment = {name: os.environ[name] for name in PASSED_VARIABLES if name in os.environ}
    command = [sys.executable, "-I", str(PRINTER), str(seconds), str(memory)]
    with _free_printer():
        try:
            process = subprocess.run(  # noqa: S603 - our own program
                command, input=html.encode(), capture_output=True, env=environment, timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise PrintingFailed(f"Printing took longer than {seconds} seconds.") from error
    if process.returncode == NO_FONTS:
        raise PrintingFailed("This server's fonts are missing; its administrator can install the service again.")
    if process.returncode:
        # The messages of its errors may quote the document.
        kinds = b", ".join(ERRORS.findall(process.stderr)).decode()
        logger.error("printing failed with exit status %s (%s)", process.returncode, kinds or "no error")
        raise PrintingFailed("The printer broke on this document.")
    return process.stdout


@contextmanager
def _free_printer() -> Iterator[None]:
    if not PRINTERS.acquire(timeout=WAIT_SECONDS):
        raise PrintingFailed("This server is printing other documents: try again in a minute.")
    try:
        yield
    finally:
        PRINTERS.release()


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


def write_csv(table: ExportTable, form: CsvForm = PLAIN_CSV) -> Iterator[str]:
    """Yield a table as CSV, in parts. Lists are joined with semicolons.

    A text that a spreadsheet would take for a formula gets an apostrophe before it, which makes it a text.
    """
    rows = iter(table.rows)
    chunk: Sequence[Sequence[object]] = [table.columns]
    yield form.begin
    while chunk:
        columns = (_column(values, form) for values in zip(*chunk, strict=True))
        yield "".join(f"{form.separator.join(cells)}\n" for cells in zip(*columns, strict=True))
        chunk = list(islice(rows, CHUNK_ROWS))


def _column(values: Sequence[Any], form: CsvForm) -> Iterable[str]:
    """Return the cells of a column; each text is looked at once, as names are in many rows."""
    types = set(map(type, values))
    if types <= {int, float}:
        return (repr(value).replace(".", form.decimal) for value in values)
    if types == {str}:
        cells = {text: _cell(text, form) for text in set(values)}
        return map(cells.__getitem__, values)
    return (_cell(value, form) for value in values)


def _cell(value: object, form: CsvForm) -> str:
    """Return a cell as `csv.writer` writes it, which takes three times as long for a million rows."""
    text = "; ".join(value) if isinstance(value, list) else "" if value is None else str(value)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if isinstance(value, str | list):
        text = form.protected(r"\1'", text)
        if text.startswith(("\t", "\n")) or (form.protects_numbers and _looks_like_a_number(text)):
            text = f"'{text}"
    elif isinstance(value, float):
        return text.replace(".", form.decimal)
    if form.is_quoted(text):
        text = text.replace('"', '""')
        return f'"{text}"'
    return text


def _looks_like_a_number(text: str) -> bool:
    is_exact = text.isdecimal() and (text == "0" or text[0] != "0") and len(text) <= EXACT_DIGITS
    return not is_exact and bool(NUMBER_LIKE.match(text) or DATE_LIKE.match(text))


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
DOCUMENT_FORMATS = {name: export_format for name, export_format in FORMATS.items() if export_format.write_document}
