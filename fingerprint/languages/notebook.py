"""The front-end of Jupyter notebooks: cells' sources, code in the notebook's language, the rest prose."""

from __future__ import annotations

import json
import re
import warnings
from functools import cache
from typing import TYPE_CHECKING, Any

import nbformat
import numpy as np

from fingerprint.languages.base import Scan
from fingerprint.languages.registry import front_end
from fingerprint.tokens import TokenStream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fingerprint.languages.base import FrontEnd, Span

# Stands above each cell in the shown text, and tells where it begins and what it is in.
_HEADER = re.compile(r"^───── cell \d+, (\S+) ─────\n?", re.MULTILINE)
_BROKEN = (AttributeError, LookupError, RecursionError, TypeError, ValueError, nbformat.ValidationError)


class Notebook:
    """A notebook is shown and compared as its cells' sources; outputs are left out."""

    name = "notebook"
    title = "Jupyter notebook"
    version = 1

    def text(self, decoded: str) -> str:
        notebook = _read(decoded)
        language = _language(notebook)
        try:
            cells = [(_kind(cell, language), _source(cell)) for cell in notebook["cells"]]
        except _BROKEN as error:
            raise ValueError(
                f"it is a notebook whose cells cannot be read ({type(error).__name__}: {error})"
            ) from error
        return "\n".join(
            f"───── cell {number}, {kind} ─────\n{source}\n"
            for number, (kind, source) in enumerate(cells, start=1)
        )

    def tokens(self, text: str) -> TokenStream:
        return _shifted([(start, part.tokens(text[start:end])) for part, start, end in _parts(text)])

    def scan(self, text: str) -> Scan:
        scans = [(start, part.scan(text[start:end])) for part, start, end in _parts(text)]
        tokens = _shifted([(start, scan.tokens) for start, scan in scans])
        lexical = _shifted([(start, scan.lexical) for start, scan in scans])
        classes = [scan.classes for _, scan in scans]
        return Scan(tokens, lexical, np.concatenate([np.empty(0, dtype=np.uint8), *classes]))

    def named(self, text: str) -> Iterator[Span]:
        for part, begin, end in _parts(text):
            for start, stop, kind in part.named(text[begin:end]):
                yield begin + start, begin + stop, kind

    def highlight(self, text: str) -> list[Span]:
        spans = [(*header.span(), "gh") for header in _HEADER.finditer(text)]
        for part, begin, end in _parts(text):
            spans += [
                (begin + start, begin + stop, css) for start, stop, css in part.highlight(text[begin:end])
            ]
        return sorted(spans)


def _read(decoded: str) -> dict[str, Any]:
    try:
        json.loads(decoded)  # says on which line it breaks, which nbformat does not
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about cells without ids: it is read, not written
            notebook: dict[str, Any] = nbformat.reads(decoded, as_version=4)  # type: ignore[no-untyped-call]  # no stubs
    except json.JSONDecodeError as error:
        raise ValueError(f"it is no notebook: line {error.lineno} is not JSON ({error.msg})") from error
    except _BROKEN as error:
        raise ValueError(f"it is no notebook that can be read ({type(error).__name__}: {error})") from error
    return notebook


def _language(notebook: dict[str, Any]) -> str:
    """Language of the code cells, as the metadata name it; Python when they name none that is known."""
    metadata = notebook.get("metadata", {})
    for section, key in (("language_info", "name"), ("kernelspec", "language"), ("kernelspec", "name")):
        named = str(metadata.get(section, {}).get(key, "")).lower()
        if named and _known(named):
            return front_end(named).name
    return "python"


@cache
def _known(language: str) -> bool:
    try:
        front_end(language)
    except ValueError:
        return False
    return True


def _kind(cell: dict[str, Any], language: str) -> str:
    return language if cell["cell_type"] == "code" else "text"


def _source(cell: dict[str, Any]) -> str:
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def _parts(text: str) -> Iterator[tuple[FrontEnd, int, int]]:
    """(front-end, start, end) of each cell's source in the shown text."""
    headers = list(_HEADER.finditer(text))
    ends = [*(header.start() for header in headers[1:]), len(text)][: len(headers)]
    for header, end in zip(headers, ends, strict=True):
        language = header[1] if _known(header[1]) else "text"
        yield front_end(language), header.end(), end


def _shifted(streams: list[tuple[int, TokenStream]]) -> TokenStream:
    """One stream of many, each moved by where its text begins."""
    kinds = [np.empty(0, dtype=np.uint64), *(stream.kinds for _, stream in streams)]
    starts = [np.empty(0, dtype=np.int32), *(stream.starts + np.int32(shift) for shift, stream in streams)]
    ends = [np.empty(0, dtype=np.int32), *(stream.ends + np.int32(shift) for shift, stream in streams)]
    return TokenStream(np.concatenate(kinds), np.concatenate(starts), np.concatenate(ends))
