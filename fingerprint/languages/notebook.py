"""The front-end of Jupyter notebooks: sources of cells, as prose or as code in the notebook's language."""

from __future__ import annotations

import json
import logging
import re
import warnings
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from hashlib import blake2b, md5
from pathlib import PurePath
from typing import Any

import nbformat
import numpy as np
from nbformat import reader, v3, v4, validator
from traitlets.log import get_logger

from fingerprint.distinct import distinct_values
from fingerprint.languages.base import Coarse, FrontEnd, Scan, Span
from fingerprint.languages.decoding import storable
from fingerprint.tokens import CELL, TokenStream, kind_id

# The header above each cell in the shown text; it marks where the cell begins, names its language, and has
# the id of a cell whose metadata say that it was handed out.
_HEADER = re.compile(r"^───── cell \d+, (\S+) ─────(?: marked as handed out: (\S*))?\n?", re.MULTILINE)
_MARK = "───── cell"
_LONGEST_ID = 100
# A shorter cell has no mark: marks between few tokens would hide what they have in common with other code.
_LEAST_TOKENS = 30
# Errors of nbformat and of this module about fields that are missing or of a wrong type.
_BROKEN = (
    AssertionError, AttributeError, LookupError, NameError, RecursionError, TypeError, ValueError,
    nbformat.ValidationError,
)  # fmt: skip


def cell_languages(text: str) -> set[str]:
    """Return the names of the languages of all cells in the shown text of a notebook."""
    return {header[1] for header in _HEADER.finditer(text)}


# nbformat logs what it finds invalid, with the contents of the notebook, to the logger of another library.
logging.getLogger("traitlets").addFilter(lambda record: "nbformat" not in PurePath(record.pathname).parts)


def load_schemas() -> None:
    """Load what nbformat loads later: the schema of each version, its logger at the first invalid file."""
    read_schema = cache(validator._get_schema_json)  # noqa: SLF001 - there is no public way to read them ahead

    def schema(v: Any, version: Any = None, version_minor: Any = None) -> Any:
        newest = v.nbformat_minor + 1  # any later version has the same schema
        return deepcopy(read_schema(v, version, min(version_minor, newest)))

    for module in (v3, v4):
        for version, minor in module.nbformat_schema:
            newest = module.nbformat_minor + 1
            read_schema(module, version or module.nbformat, newest if minor is None else minor)
    validator._get_schema_json = schema  # noqa: SLF001
    get_logger()


class Notebook:
    """The front-end of notebooks. They are shown and compared as the sources of their cells, without outputs.

    Before the tokens of a cell that says that it was handed out, see `_is_handed_out`, are three more: see
    `fingerprint.tokens.CELL`. Students write metadata too, so a ranking decides what is handed out.
    `front_end` returns the front-end of a language, and raises ValueError for an unknown one.
    """

    name = "notebook"
    title = "Jupyter notebook"
    version = 4

    def __init__(self, front_end: Callable[[str], FrontEnd]) -> None:
        self._front_end = front_end
        # Cached, since the lookup of an unknown name takes long and a notebook may repeat it in each cell.
        self._known_front_end = cache(self._find_front_end)

    def text(self, decoded: str) -> str:
        notebook = _read(decoded)
        try:
            language = self._language(notebook)
            cells = [
                f"{_MARK} {number}, {_cell_language(cell, language)} ─────{_mark(cell)}\n{_source(cell)}\n"
                for number, cell in enumerate(notebook["cells"], start=1)
            ]
        except _BROKEN as error:
            raise ValueError(
                f"it is a notebook whose cells cannot be read ({type(error).__name__}: {error})"
            ) from error
        return "\n".join(cells)

    def tokens(self, text: str) -> TokenStream:
        streams = [(start, cell.tokens(text[start:end])) for cell, start, end in self._cells(text)]
        return _concatenated(_with_marks(text, streams))

    def scan(self, text: str, *, coarse: bool = False, spans: bool = False) -> Scan:
        del spans  # The headers of cells have spans too, and are in no scan.
        scans = [(start, cell.scan(text[start:end], coarse=coarse)) for cell, start, end in self._cells(text)]
        tokens = _concatenated(_with_marks(text, [(start, scan.tokens) for start, scan in scans]))
        lexical = _concatenated([(start, scan.lexical) for start, scan in scans])
        directives = _concatenated([(start, scan.directives) for start, scan in scans])
        none = np.empty(0, dtype=np.uint8)
        classes = np.concatenate([none, *(scan.lexical_classes for _, scan in scans)])
        directive_classes = np.concatenate([none, *(scan.directive_classes for _, scan in scans)])
        whole = _concatenated_coarse([(start, scan.coarse) for start, scan in scans if scan.coarse])
        return Scan(tokens, lexical, classes, directives, directive_classes, whole)

    def named_tokens(self, text: str) -> Iterator[Span]:
        for cell, begin, end in self._cells(text):
            for start, stop, kind in cell.named_tokens(text[begin:end]):
                yield begin + start, begin + stop, kind

    def highlight(self, text: str) -> list[Span]:
        spans = [(*header.span(), "gh") for header in _HEADER.finditer(text)]
        for cell, begin, end in self._cells(text):
            spans += [(begin + start, begin + stop, css) for start, stop, css in cell.highlight(text[begin:end])]
        return sorted(spans)

    def _language(self, notebook: dict[str, Any]) -> str:
        """Return the language of the code cells from the metadata; Python if it names no known one."""
        metadata = _dictionary(notebook.get("metadata"))
        for section, key in (("language_info", "name"), ("kernelspec", "language"), ("kernelspec", "name")):
            name = str(_dictionary(metadata.get(section)).get(key) or "").lower()
            front_end = self._known_front_end(name) if name else None
            if front_end:
                return front_end.name
        return "python"

    def _cells(self, text: str) -> Iterator[tuple[FrontEnd, int, int]]:
        """Yield (front-end, start, end) of each cell's source in the shown text."""
        headers = list(_HEADER.finditer(text))
        ends = [*(header.start() for header in headers[1:]), len(text)][: len(headers)]
        for header, end in zip(headers, ends, strict=True):
            yield self._known_front_end(header[1]) or self._front_end("text"), header.end(), end

    def _find_front_end(self, language: str) -> FrontEnd | None:
        try:
            return self._front_end(language)
        except ValueError:
            return None


def _read(decoded: str) -> dict[str, Any]:
    try:
        json.loads(decoded)  # its error has the line number, unlike the error of nbformat
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about cells without ids, which matter only when writing
            notebook: dict[str, Any] = nbformat.convert(reader.reads(decoded), 4)  # type: ignore[no-untyped-call]  # no stubs
    except json.JSONDecodeError as error:
        raise ValueError(f"it is no notebook: line {error.lineno} is not JSON ({error.msg})") from error
    except _BROKEN as error:
        raise ValueError(f"it is no notebook that can be read ({type(error).__name__}: {error})") from error
    return notebook


def _dictionary(field: object) -> dict[str, Any]:
    return field if isinstance(field, dict) else {}


def _cell_language(cell: dict[str, Any], language: str) -> str:
    return language if cell["cell_type"] == "code" else "text"


def _source(cell: dict[str, Any]) -> str:
    """Return the source of a cell, in which no line is a header."""
    source = cell["source"]
    text = storable(source if isinstance(source, str) else "".join(source))
    return f"\n{text}".replace(f"\n{_MARK}", f"\n {_MARK}")[1:]


def _is_handed_out(cell: dict[str, Any]) -> bool:
    """Return whether nbgrader locked a cell, or its checksum says that a student has not changed it."""
    grader = _dictionary(_dictionary(cell.get("metadata")).get("nbgrader"))
    grade, solution, locked = (grader.get(key) is True for key in ("grade", "solution", "locked"))
    is_locked = (grade or locked) and not solution
    content = [_source(cell), cell["cell_type"], grade, solution, is_locked, grader.get("grade_id")]
    try:
        content += [float(grader["points"])] if grade else []
    except (LookupError, OverflowError, TypeError, ValueError):
        return is_locked
    digest = md5("".join(map(str, content)).encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
    return is_locked or grader.get("checksum") == digest


def _mark(cell: dict[str, Any]) -> str:
    if not _is_handed_out(cell):
        return ""
    name = re.sub(r"\s", "", storable(str(cell["metadata"]["nbgrader"].get("grade_id"))))
    return f" marked as handed out: {name[:_LONGEST_ID]}"


def _with_marks(text: str, cells: list[tuple[int, TokenStream]]) -> list[tuple[int, TokenStream]]:
    """Return the streams of all cells of a text, with the tokens of marks before cells that have one."""
    streams = []
    headers = list(_HEADER.finditer(text))
    for number, (header, (start, stream)) in enumerate(zip(headers, cells, strict=True)):
        if header[2] is not None and len(stream) >= _LEAST_TOKENS:
            end = headers[number + 1].start() if number + 1 < len(headers) else len(text)
            digest = blake2b(text[start:end].strip().encode("utf-8", "surrogatepass")).hexdigest()
            kinds = (CELL, kind_id(header[2], digest), len(stream))
            marks = [(kind, place, place + 1) for place, kind in enumerate(kinds)]
            streams.append((header.start(), TokenStream.from_triples(marks)))
        streams.append((start, stream))
    return streams


def _concatenated_coarse(cells: list[tuple[int, Coarse]]) -> Coarse | None:
    """Return the coarse stream of the cells that have one; all of them are in one language."""
    if not cells:
        return None
    return Coarse(
        cells[0][1].family,
        _concatenated([(start, coarse.tokens) for start, coarse in cells]),
        distinct_values(np.concatenate([coarse.terms for _, coarse in cells])),
    )


def _concatenated(streams: list[tuple[int, TokenStream]]) -> TokenStream:
    """Return one stream of (start of the cell, stream of the cell) pairs, with offsets in the whole text."""
    kinds = [np.empty(0, dtype=np.uint64), *(stream.kinds for _, stream in streams)]
    starts = [np.empty(0, dtype=np.int32), *(stream.starts + np.int32(shift) for shift, stream in streams)]
    ends = [np.empty(0, dtype=np.int32), *(stream.ends + np.int32(shift) for shift, stream in streams)]
    return TokenStream(np.concatenate(kinds), np.concatenate(starts), np.concatenate(ends))
