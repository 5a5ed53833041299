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
from fingerprint.tokens import TokenStream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fingerprint.languages.base import FrontEnd, Span

# Stands above each cell in the shown text, and tells where it begins and what it is in.
_HEADER = re.compile(r"^───── cell \d+, (\S+) ─────\n?", re.MULTILINE)
_BROKEN = (AttributeError, LookupError, RecursionError, TypeError, ValueError, nbformat.ValidationError)


class Notebook:
    """A notebook is shown and compared as its cells' sources; outputs are left out.

    `front_end` finds the front-end of a cell's language, and raises ValueError for an unknown one.
    """

    name = "notebook"
    title = "Jupyter notebook"
    version = 1

    def __init__(self, front_end: Callable[[str], FrontEnd]) -> None:
        self._front_end = front_end
        # An unknown name is looked for among all languages, which takes long in a notebook that repeats it.
        self._known = cache(self._find)

    def text(self, decoded: str) -> str:
        notebook = _read(decoded)
        language = self._language(notebook)
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
        return _shifted([(start, part.tokens(text[start:end])) for part, start, end in self._parts(text)])

    def scan(self, text: str) -> Scan:
        scans = [(start, part.scan(text[start:end])) for part, start, end in self._parts(text)]
        tokens = _shifted([(start, scan.tokens) for start, scan in scans])
        lexical = _shifted([(start, scan.lexical) for start, scan in scans])
        classes = [scan.classes for _, scan in scans]
        return Scan(tokens, lexical, np.concatenate([np.empty(0, dtype=np.uint8), *classes]))

    def named(self, text: str) -> Iterator[Span]:
        for part, begin, end in self._parts(text):
            for start, stop, kind in part.named(text[begin:end]):
                yield begin + start, begin + stop, kind

    def highlight(self, text: str) -> list[Span]:
        spans = [(*header.span(), "gh") for header in _HEADER.finditer(text)]
        for part, begin, end in self._parts(text):
            spans += [
                (begin + start, begin + stop, css) for start, stop, css in part.highlight(text[begin:end])
            ]
        return sorted(spans)

    def _language(self, notebook: dict[str, Any]) -> str:
        """Return the language of the code cells, as the metadata name it; Python when they name none."""
        metadata = notebook.get("metadata", {})
        for section, key in (("language_info", "name"), ("kernelspec", "language"), ("kernelspec", "name")):
            written = str(metadata.get(section, {}).get(key, "")).lower()
            known = self._known(written) if written else None
            if known:
                return known.name
        return "python"

    def _parts(self, text: str) -> Iterator[tuple[FrontEnd, int, int]]:
        """Yield (front-end, start, end) of each cell's source in the shown text."""
        headers = list(_HEADER.finditer(text))
        ends = [*(header.start() for header in headers[1:]), len(text)][: len(headers)]
        for header, end in zip(headers, ends, strict=True):
            yield self._known(header[1]) or self._front_end("text"), header.end(), end

    def _find(self, language: str) -> FrontEnd | None:
        try:
            return self._front_end(language)
        except ValueError:
            return None


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


def _kind(cell: dict[str, Any], language: str) -> str:
    return language if cell["cell_type"] == "code" else "text"


def _source(cell: dict[str, Any]) -> str:
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def _shifted(streams: list[tuple[int, TokenStream]]) -> TokenStream:
    """One stream of many, each moved by where its text begins."""
    kinds = [np.empty(0, dtype=np.uint64), *(stream.kinds for _, stream in streams)]
    starts = [np.empty(0, dtype=np.int32), *(stream.starts + np.int32(shift) for shift, stream in streams)]
    ends = [np.empty(0, dtype=np.int32), *(stream.ends + np.int32(shift) for shift, stream in streams)]
    return TokenStream(np.concatenate(kinds), np.concatenate(starts), np.concatenate(ends))
