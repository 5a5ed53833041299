"""Syntax spans: parts of a text with their Pygments class, stored because lexing takes seconds."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from submissions.intake.sandbox.syntax_spans import span_columns, syntax_spans
from submissions.models import Document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from fingerprint.engine import Span, SpanColumns


def stored_spans(document: Document, text: str, start: int = 0, end: int | None = None) -> Iterator[Span]:
    """Return the spans of a document that overlap the code points [start, end).

    Compute and store them all if it was stored without.
    """
    return unpack_spans(_packed_spans(document, text), start, end)


def keyword_offsets(document: Document, text: str) -> frozenset[int]:
    """Return the offsets at which keywords and types begin."""
    columns = _columns(_packed_spans(document, text))
    codes = [code for code, css in enumerate(columns.classes) if css.startswith("k") or css == "ow"]
    return frozenset(columns.starts[np.isin(columns.codes, codes)].tolist())


def _packed_spans(document: Document, text: str) -> bytes:
    packed = bytes(document.styles)
    if not packed:
        is_plain = document.state in (Document.State.FAILED, Document.State.KEPT)
        packed = pack_spans([] if is_plain else syntax_spans(text, document.language))
        Document.objects.filter(pk=document.pk, styles=b"").update(styles=packed)
        document.styles = packed
    return packed


def pack_spans(spans: Sequence[Span]) -> bytes:
    """Return spans as `pack_columns` packs them."""
    return pack_columns(span_columns(spans))


def pack_columns(spans: SpanColumns) -> bytes:
    """Return spans as deflated columns of little-endian numbers, then the class names; never empty."""
    columns = (
        np.diff(spans.starts, prepend=0).astype("<i4"),
        (spans.ends - spans.starts).astype("<i4"),
        spans.codes.astype("<i4"),
    )
    names = " ".join(spans.classes).encode()
    sizes = np.array([len(names), len(spans.starts)], dtype="<u4")
    parts = (sizes.tobytes(), *(column.tobytes() for column in columns), names)
    return zlib.compress(b"".join(parts), level=1)


class _Columns(NamedTuple):
    """Starts, ends and codes of spans; a code is the index of a class."""

    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    codes: npt.NDArray[np.int32]
    classes: list[str]


def _columns(packed: bytes) -> _Columns:
    raw = zlib.decompress(packed)
    name_bytes, count = (int(n) for n in np.frombuffer(raw, "<u4", 2))
    gaps, lengths, codes = np.frombuffer(raw, "<i4", 3 * count, 8).reshape(3, count)
    starts = np.cumsum(gaps)
    return _Columns(starts, starts + lengths, codes, raw[len(raw) - name_bytes :].decode().split())


def unpack_spans(packed: bytes, start: int = 0, end: int | None = None) -> Iterator[Span]:
    """Yield the spans that `pack_spans` packed and that overlap the code points [start, end)."""
    starts, ends, codes, classes = _columns(packed)
    low = int(np.searchsorted(ends, start, side="right"))
    high = len(starts) if end is None else int(np.searchsorted(starts, end))
    part = slice(low, high)
    for first, after, code in zip(
        starts[part].tolist(), ends[part].tolist(), codes[part].tolist(), strict=True
    ):
        yield first, after, classes[code]
