"""The jobs of a child that reads documents: find out their languages, read documents of one language."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from fingerprint import engine
from fingerprint.engine import (
    FILE_SECONDS,
    Reading,
    SpanColumns,
    TooSlow,
    Unreadable,
    identify,
    read_together,
    time_limit,
)
from fingerprint.kernels.types import Kinds, Lines, Offsets, Terms
from submissions.intake.packed_readings import span_columns, styled_columns, syntax_spans

if TYPE_CHECKING:
    from submissions.intake.sandbox.child import Channel, Frame, Header

REFUSALS = (Unreadable,)
REASON_CHARACTERS = 2000
# Lines of literals that never end; nobody needs more of them.
MOST_UNCLOSED = 100
# Reading these loads what libraries import at first use.
_CELLS: list[object] = [{"cell_type": kind, "metadata": {}, "source": "a = 'b'"} for kind in ("code", "markdown")]
_SAMPLES = {
    "python": b"def f(a):\n    return {'a': a + 1.5}\n",
    "text": "Ein Satz, noch ein Satz: Gr\u00fc\u00dfe.\n".encode("cp1252"),
    "notebook": json.dumps({"cells": _CELLS, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}).encode(),
}


def preload() -> None:
    """Load all that reading any file may need."""
    engine.preload()
    for language, data in _SAMPLES.items():
        request = {"language": language, "seconds": FILE_SECONDS, "coarse": True}
        list(_read(request, [data]))


def _identify(request: Header, buffers: list[bytes], _channel: Channel | None = None) -> Iterator[Frame]:
    """Find out the languages of files: for each one the name and "", or "" and why it has none.

    Once this took as long as one file may take, the other files are left for the next request.
    """
    results: list[tuple[str, str]] = []
    deadline = time.monotonic() + request["seconds"]
    for filename, data in zip(request["filenames"], buffers, strict=True):
        if results and time.monotonic() > deadline:
            break
        try:
            chosen, likely = request["language"], request["likely"]
            _, front_end = identify(data, filename, chosen, request["seconds"], likely=likely)
            results.append((front_end.name, ""))
        except Unreadable as error:
            results.append(("", str(error)[:REASON_CHARACTERS]))
    yield {"kind": "identified", "results": results}, []


def _read(request: Header, buffers: list[bytes], _channel: Channel | None = None) -> Iterator[Frame]:
    """Read files of one language: for each one its columns, or why it cannot be read."""
    files, seconds = [(data, "") for data in buffers], request["seconds"]
    wanted = {"coarse": request["coarse"], "spans": True, "spelling": True, "words": True}
    for one in read_together(files, request["language"], seconds, **wanted):
        if isinstance(one, Reading):
            yield _columns(one, seconds)
        else:
            yield {"kind": "unreadable", "reason": str(one)[:REASON_CHARACTERS]}, []


def _columns(reading: Reading, seconds: float) -> Frame:
    spans = _spans(reading, seconds)
    tokens, lexical = reading.tokens, reading.lexical
    columns = (
        tokens.kinds, tokens.starts, tokens.ends, reading.lines, *lexical,
        spans.starts, spans.ends, spans.codes, *_coarse_columns(reading), *reading.words,
    )  # fmt: skip
    header = {
        "kind": "read",
        "language": reading.language,
        "characters": len(reading.text),
        "family": reading.coarse.family if reading.coarse else "",
        "classes": spans.classes,
        "spelling": [digest.hex() for digest in reading.spelling],
        "share": reading.share,
        "disguised": reading.disguised,
        "unclosed": list(reading.unclosed[:MOST_UNCLOSED]),
    }
    return header, [np.ascontiguousarray(column).tobytes() for column in columns]


def _coarse_columns(reading: Reading) -> tuple[Kinds, Offsets, Offsets, Lines, Terms]:
    """Return kinds, starts, ends and lines of the coarse stream, and its terms; empty without one."""
    if not reading.coarse:
        kinds, offsets = np.empty(0, np.uint64), np.empty(0, np.int32)
        return kinds, offsets, offsets, offsets, kinds
    tokens = reading.coarse.tokens
    return tokens.kinds, tokens.starts, tokens.ends, reading.coarse_lines, reading.coarse.terms


def _spans(reading: Reading, seconds: float) -> SpanColumns:
    """Return the syntax spans of a file; no spans where lexing it again for them takes too long."""
    if reading.spans:
        return styled_columns(reading.text, reading.spans)
    try:
        with time_limit(seconds):
            return span_columns(syntax_spans(reading.text, reading.language))
    except TooSlow:
        return span_columns([])


JOBS = {"identify": _identify, "read": _read}
