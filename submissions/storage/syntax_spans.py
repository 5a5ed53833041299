"""Syntax spans: parts of a text with their Pygments class, stored because lexing takes seconds."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np

from submissions.models import Document
from submissions.sandbox.syntax_spans import span_columns, syntax_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fingerprint.engine import Span
    from submissions.sandbox.syntax_spans import SpanColumns


def stored_spans(document: Document, text: str) -> Iterator[Span]:
    """Return the spans of a document; compute and store them if it was stored without."""
    packed = bytes(document.styles)
    if not packed:
        failed = document.state == Document.State.FAILED
        packed = pack_spans([] if failed else syntax_spans(text, document.language))
        Document.objects.filter(pk=document.pk, styles=b"").update(styles=packed)
    return unpack_spans(packed)


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


def unpack_spans(packed: bytes) -> Iterator[Span]:
    """Yield the spans that `pack_spans` packed."""
    raw = zlib.decompress(packed)
    name_bytes, count = (int(n) for n in np.frombuffer(raw, "<u4", 2))
    gaps, lengths, codes = np.frombuffer(raw, "<i4", 3 * count, 8).reshape(3, count)
    names = raw[len(raw) - name_bytes :].decode().split()
    starts = np.cumsum(gaps)
    ends = starts + lengths
    for start, end, code in zip(starts.tolist(), ends.tolist(), codes.tolist(), strict=True):
        yield start, end, names[code]
