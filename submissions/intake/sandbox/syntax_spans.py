"""Syntax spans: the parts of a text that pages colour, with their Pygments class."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from fingerprint.engine import LexerFailed, SpanColumns, front_end

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def span_columns(spans: Sequence[Span]) -> SpanColumns:
    """Return spans as columns."""
    classes = sorted({css for _, _, css in spans})
    code = {css: number for number, css in enumerate(classes)}
    return SpanColumns(
        np.array([start for start, _, _ in spans], dtype=np.int32),
        np.array([end for _, end, _ in spans], dtype=np.int32),
        np.array([code[css] for _, _, css in spans], dtype=np.int32),
        classes,
    )


def styled_columns(text: str, spans: SpanColumns) -> SpanColumns:
    """Return those spans of a text that `syntax_spans` finds."""
    if len(text) > COLOURED_CHARACTERS:
        return span_columns([])
    styled = np.array([bool(STYLED.fullmatch(css)) for css in spans.classes], dtype=np.bool_)
    kept = styled[spans.codes]
    codes = spans.codes[kept]
    used = sorted(np.unique(codes).tolist(), key=spans.classes.__getitem__)
    numbers = np.zeros(len(spans.classes), dtype=np.int32)
    numbers[used] = np.arange(len(used))
    classes = [spans.classes[code] for code in used]
    return SpanColumns(spans.starts[kept], spans.ends[kept], numbers[codes], classes)
