"""Hashes of the lines of a text, by which a page counts who else has a line. Needs no Django."""

from __future__ import annotations

from hashlib import blake2b
from string import punctuation, whitespace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from submissions.matches.source_html import line_starts

if TYPE_CHECKING:
    from fingerprint.engine import TokenStream

# Lines of a text that have marks, and letters of a comment that has one: shorter ones say nothing.
MARKED_LINES, LEAST_LETTERS = 20_000, 6
FACTOR = np.uint64(0x9E3779B97F4A7C15)


class LineMarks(NamedTuple):
    """Hashes by line, from 1: of the kinds of its tokens, of the words after them, and of blanks at its end.

    Words after the last token are a comment, or an import that is no token.
    """

    code: dict[int, int]
    comments: dict[int, int]
    blanks: dict[int, int]


def line_marks(text: str, tokens: TokenStream) -> LineMarks:
    """Return the marks of the first MARKED_LINES lines; no later line or token changes them."""
    bounds = np.append(line_starts(text), len(text))[: MARKED_LINES + 1]
    starts, ends = bounds[:-1], bounds[1:]
    token_starts = tokens.starts[tokens.starts < ends[-1]]
    lines = np.searchsorted(starts, token_starts, side="right")
    firsts = np.flatnonzero(np.diff(lines, prepend=0))
    places = np.arange(len(lines)) - np.repeat(firsts, np.diff(firsts, append=len(lines)))
    hashes = np.add.reduceat(tokens.kinds[: len(lines)] * FACTOR ** places.astype(np.uint64), firsts)
    marks = LineMarks(dict(zip(lines[firsts].tolist(), hashes.tolist(), strict=True)), {}, {})
    after_tokens = np.append(0, tokens.ends)[np.searchsorted(tokens.starts, ends)]
    rows = zip(starts.tolist(), ends.tolist(), np.maximum(starts, after_tokens).tolist(), strict=True)
    for number, (start, end, rest) in enumerate(rows, 1):
        words = " ".join(text[rest:end].strip(punctuation + whitespace).split())
        if sum(map(str.isalpha, words)) >= LEAST_LETTERS:
            marks.comments[number] = _hash(words)
        line = text[start:end].rstrip("\r\n")
        blanks = line[len(line.rstrip(" \t")) :]
        if blanks and (known := marks.code.get(number, marks.comments.get(number))):
            marks.blanks[number] = _hash(f"{known}{blanks}")
    return marks


def packed_marks(text: str, tokens: TokenStream) -> bytes:
    hashes = [number for marks in line_marks(text, tokens) for number in marks.values()]
    return np.unique(np.array(hashes, dtype="<u8")).tobytes()


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
