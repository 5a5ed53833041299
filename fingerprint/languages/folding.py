"""From the raw tokens of a lexer to the stream that is compared, on arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from fingerprint.types import Flags, Ids, Lines, Marks, Offsets


# A statement that has not ended after so many tokens is broken code: nothing of it is left out.
LONGEST_STATEMENT = 400

# Operators that lexers may hand out in pieces; each is a shorter one plus a character, so that they join.
# `>>` stays in pieces: it also closes two lists of type arguments.
_OPERATORS = (
    "== != <= >= && || ++ -- += -= *= /= %= &= |= ^= -> => :: << <<= ** **= // //= .. ... ..= ..< "
    "=== !== <=> ?? ??= ?. := ~= =~ !~ <- |> &&= ||= @= <>"
)
OPERATORS = frozenset(_OPERATORS.split())


class Mark:
    """What folding has to know of a lexeme, as bits; plain integers, since enum flags are slow to test."""

    SPACE = 1  # white space or a comment: between tokens, never one
    NEWLINE = 2
    GONE = 4  # vanishes, but only after statements have been found
    STATEMENT = 8
    DECORATOR = 16
    OPEN = 32
    CLOSE = 64
    END = 128
    OPERATOR = 256
    PART = 512  # joins with an equal neighbour
    WORD = 1024
    NUMBER = 2048
    STRING = 4096
    IDENTIFIER = 8192
    ROUND = 32768  # an opening parenthesis
    POINT = 131072  # a full stop
    RUN = 65536  # several marks that the lexer gave as one


class Lexemes(NamedTuple):
    """What is known of each code: the lexeme's marks, and how far it reaches from where the lexer put it."""

    marks: Marks
    leads: Offsets
    lengths: Offsets


@dataclass(frozen=True, slots=True)
class Tokens:
    """Parallel arrays: code of the lexeme, its marks, offsets, and the line it begins on."""

    codes: Ids
    marks: Marks
    starts: Offsets
    ends: Offsets
    lines: Lines

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, which: Flags | npt.NDArray[np.intp]) -> Tokens:
        return Tokens(
            self.codes[which], self.marks[which], self.starts[which], self.ends[which], self.lines[which]
        )

    def having(self, mark: int) -> Flags:
        mask: Flags = (self.marks & np.uint32(mark)) != 0
        return mask


def located(codes: Ids, starts: Offsets, lexemes: Lexemes) -> Tokens:
    """Every token that the lexer gave, white space and comments too, trimmed of white space at its ends."""
    marks = lexemes.marks[codes]
    begins = starts + lexemes.leads[codes]
    newline = (marks & np.uint32(Mark.NEWLINE)) != 0
    lines = np.cumsum(newline, dtype=np.int32) - newline
    return Tokens(codes, marks, begins, begins + lexemes.lengths[codes], lines)


def fold(live: Tokens, join: Callable[[int, int], tuple[int, int]], *, by_line: bool) -> Tokens:
    """Tokens to compare: statements and noise left out, pieces of operators and literals joined.

    `live` tokens are those that are no space; `join` gives code and marks of two pieces of one operator,
    code -1 where they are not.
    """
    live = _without_statements(live, by_line=by_line)
    live = _with_joined_operators(live, join)
    live = with_joined_literals(live)
    return live.take(~live.having(Mark.GONE))


def _without_statements(live: Tokens, *, by_line: bool) -> Tokens:
    starters = np.flatnonzero(live.having(Mark.STATEMENT | Mark.DECORATOR))
    if not len(starters):
        return live
    keep = np.ones(len(live), dtype=np.bool_)
    done = 0
    for i in map(int, starters):
        if i < done:
            continue
        if live.marks[i] & Mark.STATEMENT:
            done = _statement_end(live, i, by_line=by_line) if _begins_statement(live, i) else i
        else:
            done = _decorator_end(live, i)
        keep[i:done] = False
    return live.take(keep)


def _begins_statement(live: Tokens, i: int) -> bool:
    """Whether token `i` is first on its line or after a `;` or a bracket."""
    if i == 0 or live.lines[i - 1] < live.lines[i]:
        return True
    return bool(live.marks[i - 1] & (Mark.END | Mark.OPEN | Mark.CLOSE))


def _statement_end(live: Tokens, i: int, *, by_line: bool) -> int:
    """Index after the statement that begins at `i`; `i` itself when it does not end.

    Also `i` when a parenthesis opens at once: C# disposes with `using (...) {`, PHP binds with `use (...) {`.
    """
    depth = 0
    last = min(len(live), i + LONGEST_STATEMENT)
    enclosed = i > 0 and live.marks[i - 1] & Mark.ROUND
    if not by_line and not enclosed and i + 1 < last and live.marks[i + 1] & Mark.ROUND:
        return i
    for j in range(i + 1, last):
        mark = int(live.marks[j])
        if depth == 0:
            if mark & Mark.END:
                return j + 1
            if mark & Mark.CLOSE or (by_line and live.lines[j - 1] < live.lines[j]):
                return j
        if mark & Mark.OPEN:
            depth += 1
        elif mark & Mark.CLOSE:
            depth -= 1
    return len(live) if last == len(live) and depth == 0 and by_line else i


def _decorator_end(live: Tokens, i: int) -> int:
    """Index after the decorator at `i` and the arguments in parentheses that follow it.

    Its lexeme may be the whole (`@Test`), only its mark (`@` before a name), or a bracket that opens it
    (`#[`).
    """
    last = min(len(live), i + LONGEST_STATEMENT)
    if live.marks[i] & Mark.OPEN:
        return _bracket_end(live, i, last)
    after = i + 1
    if after < last and not live.marks[i] & Mark.WORD and live.marks[after] & Mark.WORD:
        after += 1
    if after < last and live.marks[after] & Mark.ROUND:
        return _bracket_end(live, after, last)
    return after


def _bracket_end(live: Tokens, i: int, last: int) -> int:
    """Index after the bracket that closes the one at `i`; after `i` itself when none does before `last`."""
    depth = 0
    for j in range(i, last):
        mark = int(live.marks[j])
        depth += bool(mark & Mark.OPEN) - bool(mark & Mark.CLOSE)
        if depth == 0:
            return j + 1
    return i + 1


def _with_joined_operators(live: Tokens, join: Callable[[int, int], tuple[int, int]]) -> Tokens:
    operator = live.having(Mark.OPERATOR)
    touching = np.flatnonzero(operator[:-1] & operator[1:] & (live.ends[:-1] == live.starts[1:]))
    if not len(touching):
        return live
    keep = np.ones(len(live), dtype=np.bool_)
    codes, marks, ends = live.codes.copy(), live.marks.copy(), live.ends.copy()
    head = -1
    for i in map(int, touching):
        if head < 0 or ends[head] != live.starts[i + 1] or keep[i]:
            head = i
        joined, mark = join(int(codes[head]), int(codes[i + 1]))
        if joined >= 0:
            codes[head], marks[head], ends[head], keep[i + 1] = joined, mark, ends[i + 1], False
    return Tokens(codes, marks, live.starts, ends, live.lines).take(keep)


def with_joined_literals(live: Tokens) -> Tokens:
    """Join parts of one literal: string pieces side by side, and what is glued to a number (`5u8`, `1.5`)."""
    if not len(live):
        return live
    part = live.having(Mark.PART)
    sort = live.marks & np.uint32(Mark.STRING)
    inner = part[1:] & part[:-1] & (sort[1:] == sort[:-1])
    inner |= _glued_to_numbers(live)
    if not inner.any():
        return live
    heads = np.flatnonzero(np.concatenate(([True], ~inner)))
    tails = np.append(heads[1:], len(live)) - 1
    joined = live.take(heads)
    return Tokens(joined.codes, joined.marks, joined.starts, live.ends[tails], joined.lines)


def _glued_to_numbers(live: Tokens) -> Flags:
    """For each token but the first, whether it goes on with the number before it."""
    number = live.having(Mark.NUMBER)
    glued = live.starts[1:] == live.ends[:-1]
    inner: Flags = live.having(Mark.WORD | Mark.NUMBER)[1:] & number[:-1] & glued
    point = live.having(Mark.POINT) & (live.ends - live.starts == 1)  # not one that has become `..`
    fraction = number[:-2] & point[1:-1] & number[2:] & glued[:-1] & glued[1:]
    inner[:-1] |= fraction
    inner[1:] |= fraction
    return inner


def split_runs(
    codes: Ids, starts: Offsets, marks: Marks, pieces: Callable[[int], list[int]]
) -> tuple[Ids, Offsets]:
    """Put a token for each character where the lexer gave several marks as one; `marks` go by code.

    Otherwise `f();` and `f() ;` would differ.
    """
    run = (marks[codes] & np.uint32(Mark.RUN)) != 0
    if not run.any():
        return codes, starts
    parts = {int(code): pieces(int(code)) for code in np.unique(codes[run])}
    counts = np.ones(len(codes), dtype=np.int64)
    for code, split in parts.items():
        counts[codes == code] = len(split)
    origin = np.repeat(np.arange(len(codes)), counts)
    nth = (np.arange(len(origin)) - (np.cumsum(counts) - counts)[origin]).astype(np.int32)
    finer = codes[origin]
    for code, split in parts.items():
        where = finer == code
        finer[where] = np.array(split, dtype=np.int32)[nth[where]]
    return finer, starts[origin] + nth
