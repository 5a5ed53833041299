"""Syntax spans: parts of a text with their Pygments class, stored because lexing takes seconds."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING

import numpy as np

from fingerprint.engine import LexerFailed, front_end
from submissions.models import Document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fingerprint.engine import Span

# Longer files are shown without syntax colours.
COLOURED_CHARACTERS = 1_000_000
# CSS classes of Pygments that the stylesheet colours; spans of other classes are not stored.
STYLED = re.compile(r"c[a-z]*|c[1s]|k[a-z]?|m[a-z]|il|m|s[a-z]?|s[12]|dl|n[abcdefnt]|bp|fm|ow")


def syntax_spans(text: str, language: str) -> list[Span]:
    """Return the spans to colour in `text`; none where it is too long or its lexer fails."""
    if len(text) > COLOURED_CHARACTERS:
        return []
    try:
        spans = front_end(language).highlight(text)
    except LexerFailed:
        return []
    return [span for span in spans if STYLED.fullmatch(span[2])]


def stored_spans(document: Document, text: str) -> Iterator[Span]:
    """Return the spans of a document; compute and store them if it was stored without."""
    packed = bytes(document.styles)
    if not packed:
        failed = document.state == Document.State.FAILED
        packed = pack_spans([] if failed else syntax_spans(text, document.language))
        Document.objects.filter(pk=document.pk, styles=b"").update(styles=packed)
    return unpack_spans(packed)


def pack_spans(spans: Sequence[Span]) -> bytes:
    """Return spans as deflated columns of little-endian numbers, then the class names; never empty."""
    classes = sorted({css for _, _, css in spans})
    code = {css: number for number, css in enumerate(classes)}
    starts = np.array([start for start, _, _ in spans], dtype="<i4")
    ends = np.array([end for _, end, _ in spans], dtype="<i4")
    columns = (
        np.diff(starts, prepend=0).astype("<i4"),
        ends - starts,
        np.array([code[css] for _, _, css in spans], dtype="<i4"),
    )
    names = " ".join(classes).encode()
    sizes = np.array([len(names), len(spans)], dtype="<u4")
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
