"""Pack the tokens, lines, terms and syntax spans of a document as bytes, and unpack them. No Django here.

Syntax spans are the parts of a text that pages colour, with their Pygments class.
"""

from __future__ import annotations

import re
import struct
import zlib
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import numpy as np

from fingerprint.engine import (
    Coarse,
    LexerFailed,
    LexicalTerms,
    SpanColumns,
    StringWords,
    TokenStream,
    front_end,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from fingerprint.engine import Span
    from fingerprint.kernels.types import Kinds, Lines

    Numbers = npt.NDArray[np.int32]


COARSE_LENGTHS = struct.Struct("<2I")
# Two counts, before the columns of tokens; the counts of literals, names and imports, before terms.
HEADER = struct.Struct("<2I")
TERM_COUNTS = struct.Struct("<3I")

# Longer files are shown without syntax colours.
COLOURED_CHARACTERS = 1_000_000
# CSS classes of Pygments that the stylesheet colours; spans of other classes are not stored.
STYLED = re.compile(r"c[a-z]*|c[1s]|k[a-z]?|m[a-z]|il|m|s[a-z]?|s[12]|dl|n[abcdefnt]|bp|fm|ow")


def pack_tokens(stream: TokenStream, lines: Lines) -> bytes:
    """Return tokens and their lines as deflated columns of little-endian numbers.

    Starts and lines are stored as differences, which are small.
    """
    kinds, codes = np.unique(stream.kinds, return_inverse=True)
    columns = (
        np.array([len(kinds), len(stream)], dtype="<u4"),
        kinds.astype("<u8"),
        codes.astype("<u4"),
        np.diff(stream.starts, prepend=0).astype("<i4"),
        (stream.ends - stream.starts).astype("<i4"),
        np.diff(lines, prepend=0).astype("<i4"),
    )
    return zlib.compress(b"".join(column.tobytes() for column in columns), level=1)


def unpack_tokens(packed: bytes) -> TokenStream:
    """Return the tokens that `pack_tokens` packed."""
    return unpack_with_lines(packed)[0]


def unpack_with_lines(packed: bytes) -> tuple[TokenStream, Lines]:
    """Return the tokens and lines that `pack_tokens` packed."""
    kinds, (gaps, lengths), lines = _unpack(packed)
    starts = np.cumsum(gaps, dtype=np.int32)
    return TokenStream(kinds, starts, starts + lengths.astype(np.int32)), lines


def unpack_kinds(packed: bytes) -> tuple[Kinds, Lines]:
    """Return the kinds and lines of such tokens without their places, which takes half the time."""
    kinds, _, lines = _unpack(packed)
    return kinds, lines


def _unpack(packed: bytes) -> tuple[Kinds, tuple[Numbers, Numbers], Lines]:
    """Return kinds, the distance from token to token and their lengths, and lines."""
    raw = memoryview(zlib.decompress(packed))
    distinct, count = HEADER.unpack_from(raw)
    kinds = np.frombuffer(raw, "<u8", distinct, HEADER.size).astype(np.uint64)
    columns = np.frombuffer(raw, "<i4", -1, HEADER.size + 8 * distinct)
    codes, gaps, lengths, lines = columns.reshape(4, count)
    return kinds[codes], (gaps, lengths), np.cumsum(lines, dtype=np.int32)


def pack_coarse(coarse: Coarse | None, lines: Lines) -> bytes:
    """Return a coarse stream with the line of each symbol as bytes, none for no stream.

    The lengths of the first two parts, then the parts: family, symbols with their lines, terms.
    """
    if coarse is None:
        return b""
    parts = (coarse.family.encode(), pack_tokens(coarse.tokens, lines), coarse.terms.astype("<u8").tobytes())
    return COARSE_LENGTHS.pack(*map(len, parts[:2])) + b"".join(parts)


def unpack_coarse(packed: bytes) -> tuple[Coarse, Lines] | None:
    """Return the coarse stream that `pack_coarse` packed, with its lines."""
    if not packed:
        return None
    family, tokens = COARSE_LENGTHS.unpack_from(packed)
    start = COARSE_LENGTHS.size
    stream, lines = unpack_with_lines(packed[start + family : start + family + tokens])
    terms = np.frombuffer(packed[start + family + tokens :], "<u8").astype(np.uint64)
    return Coarse(packed[start : start + family].decode(), stream, terms), lines


def pack_lexical(lexical: LexicalTerms) -> bytes:
    """Return the numbers of literals, names and imports, then all terms.

    They are not compressed, because they are hashes.
    """
    return TERM_COUNTS.pack(*map(len, lexical.readable)) + np.concatenate(lexical).astype("<u8").tobytes()


def unpack_lexical(packed: bytes) -> LexicalTerms:
    """Return the terms that `pack_lexical` packed."""
    ends = list(accumulate(TERM_COUNTS.unpack_from(packed)))
    terms = np.frombuffer(packed, "<u8", -1, TERM_COUNTS.size).astype(np.uint64)
    return LexicalTerms(*(terms[start:end] for start, end in pairwise([0, *ends, len(terms)])))


def pack_words(words: StringWords) -> bytes:
    """Return the words of strings as deflated columns, because a string is repeated for each word."""
    return zlib.compress(np.concatenate(words).astype("<u8").tobytes(), level=1) if len(words.words) else b""


def unpack_words(packed: bytes) -> StringWords:
    """Return the words that `pack_words` packed."""
    columns = np.frombuffer(zlib.decompress(packed) if packed else b"", "<u8").astype(np.uint64)
    return StringWords(*columns.reshape(2, -1))


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
