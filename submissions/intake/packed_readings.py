"""Read files together, then alone those that fail; pack readings as bytes, and unpack them. No Django here.

`PackedReading` is the form of the database and of the cache.
Syntax spans are the parts of a text that pages colour, with their Pygments class.
"""

from __future__ import annotations

import json
import re
import struct
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from fingerprint import engine
from fingerprint.kernels.types import Kinds, Lines

if TYPE_CHECKING:
    from fingerprint.engine import Span

    Numbers = npt.NDArray[np.int32]

Item = TypeVar("Item")
Result = TypeVar("Result")

# The lengths of the parts of a packed reading.
PART_LENGTHS = struct.Struct("<8I")
COARSE_LENGTHS = struct.Struct("<2I")
# Two counts, before the columns of tokens; the counts of literals, names and imports, before terms.
HEADER = struct.Struct("<2I")
TERM_COUNTS = struct.Struct("<3I")

# Longer files are shown without syntax colours.
COLOURED_CHARACTERS = 1_000_000
# CSS classes of Pygments that the stylesheet colours; spans of other classes are not stored.
STYLED = re.compile(r"c[a-z]*|c[1s]|k[a-z]?|m[a-z]|il|m|s[a-z]?|s[12]|dl|n[abcdefnt]|bp|fm|ow")


def together_then_alone(
    items: Sequence[Item],
    read: Callable[[Sequence[Item]], Sequence[Result | engine.Unreadable]],
    first: Callable[[Sequence[Item]], int] = len,
    seconds: float | None = None,
) -> Iterator[tuple[Item, Result | engine.Unreadable]]:
    """Yield each item with its result, or with the reason why it has none.

    `read` returns the results of the first of the items that it is given, at least one, or raises Unreadable.
    It gets as many as `first` returns, but each alone once it failed: no file keeps another one from being
    read. After `seconds`, not counting a failure of several, the remaining items are left out.
    """
    started, done, together = time.monotonic(), 0, True
    while done < len(items) and (not done or seconds is None or time.monotonic() - started <= seconds):
        batch = items[done : done + (first(items[done:]) if together else 1)]
        try:
            results = read(batch)
        except engine.Unreadable as error:
            if len(batch) > 1:
                started, together = time.monotonic(), False
                continue
            results = [error]
        yield from zip(batch, results, strict=False)
        done += len(results)


class PackedReading(NamedTuple):
    """A reading as the columns of `Document`; `spelling` and `styles` are empty where they were not read."""

    language: str
    read_share: float
    unclosed: tuple[int, ...]
    disguised: int
    tokens: bytes
    lexical: bytes
    coarse: bytes
    words: bytes
    spelling: bytes
    styles: bytes

    @classmethod
    def of(cls, reading: engine.Reading) -> PackedReading:
        return cls(
            reading.language,
            reading.share,
            reading.unclosed,
            reading.disguised,
            pack_tokens(reading.tokens, reading.lines),
            pack_lexical(reading.lexical),
            pack_coarse(reading.coarse, reading.coarse_lines),
            pack_words(reading.words),
            b"".join(reading.spelling),
            pack_spans(reading.spans) if reading.spans else b"",
        )

    def reading(self) -> engine.Reading:
        """Return the reading, without its text."""
        tokens, lines = unpack_with_lines(self.tokens)
        coarse, coarse_lines = unpack_coarse(self.coarse) or (None, engine.NO_LINES)
        half = len(self.spelling) // 2
        return engine.Reading(
            self.language,
            tokens,
            lines,
            unpack_lexical(self.lexical),
            coarse,
            coarse_lines,
            spans=unpack_span_columns(self.styles) if self.styles else None,
            unclosed=self.unclosed,
            share=self.read_share,
            disguised=self.disguised,
            spelling=engine.Spelling(self.spelling[:half], self.spelling[half:]),
            words=unpack_words(self.words),
        )

    def to_bytes(self) -> bytes:
        """Return the lengths of the parts, then the parts; the first two have name, share and lines."""
        badly = json.dumps([self.read_share, self.unclosed, self.disguised]).encode()
        parts = (self.language.encode(), badly, *self[4:])
        return PART_LENGTHS.pack(*map(len, parts)) + b"".join(parts)

    @classmethod
    def from_bytes(cls, packed: bytes) -> PackedReading:
        ends = list(accumulate(PART_LENGTHS.unpack_from(packed), initial=PART_LENGTHS.size))
        language, badly, *parts = (packed[start:end] for start, end in pairwise(ends))
        share, unclosed, disguised = json.loads(badly)
        return cls(language.decode(), share, tuple(unclosed), disguised, *parts)


def pack_tokens(stream: engine.TokenStream, lines: Lines) -> bytes:
    """Return tokens and their lines as deflated columns of little-endian numbers.

    Starts and lines are stored as differences, which are small.
    """
    kinds, codes = np.unique(stream.kinds, return_inverse=True)
    columns = (
        np.array([len(kinds), len(stream)], dtype="<u4"), kinds.astype("<u8"), codes.astype("<u4"),
        np.diff(stream.starts, prepend=0).astype("<i4"), (stream.ends - stream.starts).astype("<i4"),
        np.diff(lines, prepend=0).astype("<i4"),
    )  # fmt: skip
    return zlib.compress(b"".join(column.tobytes() for column in columns), level=1)


def unpack_tokens(packed: bytes) -> engine.TokenStream:
    return unpack_with_lines(packed)[0]


def unpack_with_lines(packed: bytes) -> tuple[engine.TokenStream, Lines]:
    kinds, (gaps, lengths), lines = _unpack(packed)
    starts = np.cumsum(gaps, dtype=np.int32)
    return engine.TokenStream(kinds, starts, starts + lengths.astype(np.int32)), lines


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


def pack_coarse(coarse: engine.Coarse | None, lines: Lines) -> bytes:
    """Return a coarse stream with the line of each symbol as bytes, none for no stream.

    The lengths of the first two parts, then the parts: family, symbols with their lines, terms.
    """
    if coarse is None:
        return b""
    parts = (coarse.family.encode(), pack_tokens(coarse.tokens, lines), coarse.terms.astype("<u8").tobytes())
    return COARSE_LENGTHS.pack(*map(len, parts[:2])) + b"".join(parts)


def unpack_coarse(packed: bytes) -> tuple[engine.Coarse, Lines] | None:
    """Return the coarse stream that `pack_coarse` packed, with its lines."""
    if not packed:
        return None
    family, tokens = COARSE_LENGTHS.unpack_from(packed)
    start = COARSE_LENGTHS.size
    stream, lines = unpack_with_lines(packed[start + family : start + family + tokens])
    terms = np.frombuffer(packed[start + family + tokens :], "<u8").astype(np.uint64)
    return engine.Coarse(packed[start : start + family].decode(), stream, terms), lines


def pack_lexical(lexical: engine.LexicalTerms) -> bytes:
    """Return the numbers of literals, names and imports, then all terms.

    They are not compressed, because they are hashes.
    """
    return TERM_COUNTS.pack(*map(len, lexical.readable)) + np.concatenate(lexical).astype("<u8").tobytes()


def unpack_lexical(packed: bytes) -> engine.LexicalTerms:
    ends = list(accumulate(TERM_COUNTS.unpack_from(packed)))
    terms = np.frombuffer(packed, "<u8", -1, TERM_COUNTS.size).astype(np.uint64)
    return engine.LexicalTerms(*(terms[start:end] for start, end in pairwise([0, *ends, len(terms)])))


def pack_words(words: engine.StringWords) -> bytes:
    """Return the words of strings as deflated columns, because a string is repeated for each word."""
    return zlib.compress(np.concatenate(words).astype("<u8").tobytes(), level=1) if len(words.words) else b""


def unpack_words(packed: bytes) -> engine.StringWords:
    columns = np.frombuffer(zlib.decompress(packed) if packed else b"", "<u8").astype(np.uint64)
    return engine.StringWords(*columns.reshape(2, -1))


def pack_spans(spans: engine.SpanColumns) -> bytes:
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


def unpack_span_columns(packed: bytes) -> engine.SpanColumns:
    raw = zlib.decompress(packed)
    name_bytes, count = (int(n) for n in np.frombuffer(raw, "<u4", 2))
    gaps, lengths, codes = np.frombuffer(raw, "<i4", 3 * count, 8).reshape(3, count)
    starts = np.cumsum(gaps, dtype=np.int32)
    return engine.SpanColumns(starts, starts + lengths, codes, raw[len(raw) - name_bytes :].decode().split())


def unpack_spans(packed: bytes, start: int = 0, end: int | None = None) -> Iterator[Span]:
    """Yield the packed spans that overlap the code points [start, end)."""
    starts, ends, codes, classes = unpack_span_columns(packed)
    low = int(np.searchsorted(ends, start, side="right"))
    high = len(starts) if end is None else int(np.searchsorted(starts, end))
    columns = (column[low:high].tolist() for column in (starts, ends, codes))
    for first, after, code in zip(*columns, strict=True):
        yield first, after, classes[code]


def syntax_spans(text: str, language: str) -> list[Span]:
    """Return the spans to colour in `text`; none where it is too long or its lexer fails."""
    if len(text) > COLOURED_CHARACTERS:
        return []
    try:
        spans = engine.front_end(language).highlight(text)
    except engine.LexerFailed:
        return []
    return [span for span in spans if STYLED.fullmatch(span[2])]


def span_columns(spans: Sequence[Span]) -> engine.SpanColumns:
    classes = sorted({css for _, _, css in spans})
    code = {css: number for number, css in enumerate(classes)}
    return engine.SpanColumns(
        np.array([start for start, _, _ in spans], dtype=np.int32),
        np.array([end for _, end, _ in spans], dtype=np.int32),
        np.array([code[css] for _, _, css in spans], dtype=np.int32),
        classes,
    )


def styled_columns(text: str, spans: engine.SpanColumns) -> engine.SpanColumns:
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
    return engine.SpanColumns(spans.starts[kept], spans.ends[kept], numbers[codes], classes)
