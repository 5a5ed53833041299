"""What colours a document for reading, stored with it: lexing it again for every view would take seconds."""

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

# Above this a file is shown without colours for its syntax.
COLOURED_CHARACTERS = 1_000_000
# Pygments classes that the stylesheet colours; a span for any other would only weigh.
STYLED = re.compile(r"c[a-z]*|c[1s]|k[a-z]?|m[a-z]|il|m|s[a-z]?|s[12]|dl|n[abcdefnt]|bp|fm|ow")


def styles_in(text: str, language: str) -> list[Span]:
    """Lex `text` for what colours it; nothing where it is too long or its lexer fails."""
    if len(text) > COLOURED_CHARACTERS:
        return []
    try:
        found = front_end(language).highlight(text)
    except LexerFailed:
        return []
    return [span for span in found if STYLED.fullmatch(span[2])]


def styles_of(document: Document, text: str) -> Iterator[Span]:
    """Give the stored colours of a document; those of one from before they were stored are found now."""
    packed = bytes(document.styles)
    if not packed:
        failed = document.state == Document.State.FAILED
        packed = pack_styles([] if failed else styles_in(text, document.language))
        Document.objects.filter(pk=document.pk, styles=b"").update(styles=packed)
    return unpack_styles(packed)


def pack_styles(spans: Sequence[Span]) -> bytes:
    """Columns of little-endian numbers and the names of the classes, deflated; never empty."""
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


def unpack_styles(packed: bytes) -> Iterator[Span]:
    """Inverse of `pack_styles`, one span at a time."""
    raw = zlib.decompress(packed)
    named, count = (int(n) for n in np.frombuffer(raw, "<u4", 2))
    gaps, lengths, codes = np.frombuffer(raw, "<i4", 3 * count, 8).reshape(3, count)
    names = raw[len(raw) - named :].decode().split()
    starts = np.cumsum(gaps)
    ends = starts + lengths
    for start, end, code in zip(starts.tolist(), ends.tolist(), codes.tolist(), strict=True):
        yield start, end, names[code]
