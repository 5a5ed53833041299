"""The lines on which tokens begin; LF, CRLF and a lone CR end a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint.kernels.registry import bare_kernel
from fingerprint.languages.joined import joined, parts
from fingerprint.languages.raw_tokens import code_points

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from fingerprint.tokens import TokenStream
    from fingerprint.types import Bounds, Lines, Offsets, Positions


def _line_starts(text: str) -> npt.NDArray[np.int64]:
    """Return the offsets at which lines begin (int64, code points); LF, CRLF and a lone CR end a line."""
    chars = code_points(text)
    ends = chars == ord("\n")
    if "\r" in text:
        lone = chars == ord("\r")
        lone[:-1] &= ~ends[1:]
        ends |= lone
    return np.concatenate(([0], np.flatnonzero(ends) + 1))


def lines_of_offsets(text: str, offsets: tuple[int, ...]) -> tuple[int, ...]:
    """Return the lines, from 1, that have these offsets."""
    if not offsets:
        return ()
    lines = np.searchsorted(_line_starts(text), np.array(offsets), side="right")
    return tuple(sorted({int(line) for line in lines}))


def token_lines(text: str, tokens: TokenStream) -> Lines:
    """Return the line, counted from 1, on which each token begins: int32 [n]."""
    return lines_of_texts([text], [tokens])[0]


def lines_of_texts(texts: Sequence[str], streams: Sequence[TokenStream]) -> list[Lines]:
    """Return `token_lines` of each text."""
    tokens, ends = joined(streams)
    lines = np.empty(ends[-1], np.int32)
    bounds = np.cumsum([0, *(len(text) + 1 for text in texts)])
    fill_lines(_line_starts("\0".join(texts)), bounds, tokens.starts, ends, lines)
    return [lines[rows] for rows in parts(ends)]


@bare_kernel
def fill_lines(line_starts: Positions, bounds: Bounds, starts: Offsets, ends: Bounds, lines: Lines) -> None:
    """Fill `lines` with the line of each token of texts, one text after another.

    `line_starts` and `bounds` are the offsets at which lines and texts begin, `starts` those of the tokens in
    their text, most of them ascending; `ends` has the number of tokens up to the end of each text.
    """
    token, line = 0, 0
    for text in range(len(ends)):
        while line < len(line_starts) and line_starts[line] <= bounds[text]:
            line += 1
        first = line - 1
        while token < ends[text]:
            place = bounds[text] + starts[token]
            while line < len(line_starts) and line_starts[line] <= place:
                line += 1
            while line_starts[line - 1] > place:
                line -= 1
            lines[token] = line - first
            token += 1
