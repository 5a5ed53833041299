"""Normalisation: from the raw tokens of a lexer to the tokens that are compared, on arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.kernels.registry import bare_kernel, bare_njit
from fingerprint.languages.token_rows import (
    CODE,
    END,
    LINE,
    MARKS,
    REMOVED,
    START,
    Mark,
    collect_lexemes,
    collect_tokens,
    join_literals,
    keep_others,
    locate,
    token_rows,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from fingerprint.languages.token_rows import Lexemes, TokenRows
    from fingerprint.types import Ids, Marks, Offsets, PairRows

# A statement without an end after this many tokens is broken code: none of its tokens are dropped.
MAX_STATEMENT = 400
STATEMENT, DECORATOR, STATEMENT_END = Mark.STATEMENT, Mark.DECORATOR, Mark.STATEMENT_END
OPEN, CLOSE, PARENTHESIS, WORD = Mark.OPEN, Mark.CLOSE, Mark.PARENTHESIS, Mark.WORD


@bare_kernel
def find_dropped(rows: TokenRows, by_line: int, ranges: PairRows) -> int:
    """Fill `ranges` with the index range [i, end) of each statement and decorator to drop.

    Return their number. `by_line` is 1 where a statement ends with its line.
    """
    count, end = 0, 0
    for at in range(len(rows)):
        mark = rows[at, MARKS]
        if at < end or mark & (STATEMENT | DECORATOR) == 0:
            continue
        if mark & STATEMENT:
            end = statement_end(rows, at, by_line) if begins_statement(rows, at) else at
        else:
            end = decorator_end(rows, at)
        if at < end:
            ranges[count, 0], ranges[count, 1] = at, end
            count += 1
    return count


@bare_njit
def begins_statement(rows: TokenRows, at: int) -> bool:
    """Return whether a token is the first of its line or follows a `;` or a bracket."""
    if at == 0 or rows[at - 1, LINE] < rows[at, LINE]:
        return True
    return bool(rows[at - 1, MARKS] & (STATEMENT_END | OPEN | CLOSE))


@bare_njit
def statement_end(rows: TokenRows, at: int, by_line: int) -> int:
    """Return the index after the statement that begins at `at`; `at` itself when the statement has no end.

    Also `at` when a parenthesis follows: C# disposes with `using (...) {`, PHP binds with `use (...) {`.
    """
    depth, last = 0, min(len(rows), at + MAX_STATEMENT)
    enclosed = at > 0 and rows[at - 1, MARKS] & PARENTHESIS != 0
    if not by_line and not enclosed and at + 1 < last and rows[at + 1, MARKS] & PARENTHESIS:
        return at
    for index in range(at + 1, last):
        mark = rows[index, MARKS]
        if depth == 0:
            if mark & STATEMENT_END:
                return index + 1
            if mark & CLOSE or (by_line and rows[index - 1, LINE] < rows[index, LINE]):
                return index
        if mark & OPEN:
            depth += 1
        elif mark & CLOSE:
            depth -= 1
    return len(rows) if last == len(rows) and depth == 0 and by_line else at


@bare_njit
def decorator_end(rows: TokenRows, at: int) -> int:
    """Return the index after the decorator at `at` and its arguments in parentheses.

    Its lexeme may be the whole decorator (`@Test`), only its sign (`@` before a name), or the bracket that
    opens it (`#[`).
    """
    last = min(len(rows), at + MAX_STATEMENT)
    if rows[at, MARKS] & OPEN:
        return bracket_end(rows, at, last)
    after = at + 1
    if after < last and rows[at, MARKS] & WORD == 0 and rows[after, MARKS] & WORD:
        after += 1
    if after < last and rows[after, MARKS] & PARENTHESIS:
        return bracket_end(rows, after, last)
    return after


@bare_njit
def bracket_end(rows: TokenRows, at: int, last: int) -> int:
    """Return the index after the bracket that closes the one at `at`; `at + 1` if none does before `last`."""
    depth = 0
    for index in range(at, last):
        mark = rows[index, MARKS]
        depth += (mark & OPEN != 0) - (mark & CLOSE != 0)
        if depth == 0:
            return index + 1
    return at + 1


# Operators that lexers may split. Each is a shorter operator plus one character, so that they can be joined
# step by step. `>>` stays split: it also closes two lists of type arguments.
_OPERATORS = (
    "== != <= >= && || ++ -- += -= *= /= %= &= |= ^= -> => :: << <<= ** **= // //= .. ... ..= ..< "
    "=== !== <=> ?? ??= ?. := ~= =~ !~ <- |> &&= ||= @= <>"
)
OPERATORS = frozenset(_OPERATORS.split())


# The compiled functions that every text needs, to load before a process gives up opening files.
KERNELS = locate, find_dropped, keep_others, join_literals, collect_tokens, collect_lexemes


class Normalised(NamedTuple):
    """The tokens of a text as rows, see `token_rows`.

    `significant` are all but white space and comments; `dropped` int32 [n, 2] the index ranges of those that
    are dropped, such as imports; `complete` the others, with split operators and literals joined.
    `characters` is the number of characters of code, without what is dropped.
    """

    significant: TokenRows
    dropped: PairRows
    complete: TokenRows
    characters: int


def normalise(
    significant: TokenRows, seen: int, join: Callable[[int, int], tuple[int, int]], *, by_line: bool
) -> Normalised:
    """Return what `significant_tokens` returned with the tokens to compare.

    `join` returns the code and marks of the operator that two pieces form; the code is -1 when they form
    none. With `by_line` a statement ends with its line.
    """
    may_drop = seen & (Mark.STATEMENT | Mark.DECORATOR)
    dropped = np.empty((len(significant) if may_drop else 0, 2), dtype=np.int32)
    dropped = dropped[: find_dropped(significant, int(by_line), dropped)] if may_drop else dropped
    kept, touching = token_rows(len(significant)), np.empty(len(significant), dtype=np.int32)
    count, touch_count, characters = keep_others(significant, dropped, kept, touching)
    _join_operators(kept, touching[:touch_count].tolist(), join)
    return Normalised(significant, dropped, with_joined_literals(kept[:count]), characters)


def significant_tokens(
    codes: Ids, starts: Offsets, lexemes: Callable[[], Lexemes], characters: Callable[[int], list[int]]
) -> tuple[TokenRows, int]:
    """Return the tokens that are neither white space nor comments, and the marks that any token has.

    `characters` returns the codes of the characters of a run of punctuation.
    """
    rows = token_rows(len(codes))
    count, seen = locate(codes, starts, lexemes(), rows)
    if seen & Mark.RUN:
        codes, starts = split_runs(codes, starts, lexemes().marks, characters)
        rows = token_rows(len(codes))
        count, seen = locate(codes, starts, lexemes(), rows)
    return rows[:count], seen


def with_joined_literals(rows: TokenRows) -> TokenRows:
    """Return the tokens with the parts of each literal joined."""
    joined = token_rows(len(rows))
    return joined[: join_literals(rows, joined)]


def dropped_statements(tokens: Normalised) -> list[tuple[int, int]]:
    """Return the offsets (start, end) of the dropped ranges that are statements, such as imports."""
    rows = tokens.significant
    return [
        (int(rows[first, START]), int(rows[end - 1, END]))
        for first, end in tokens.dropped.tolist()
        if rows[first, MARKS] & Mark.STATEMENT
    ]


def _join_operators(
    rows: TokenRows, touching: list[int], join: Callable[[int, int], tuple[int, int]]
) -> None:
    """Join the operators that touch the next one, step by step, and mark what is joined as removed."""
    head = -1
    for at in touching:
        if head < 0 or rows[head, END] != rows[at + 1, START] or rows[at, CODE] != REMOVED:
            head = at
        code, marks = join(int(rows[head, CODE]), int(rows[at + 1, CODE]))
        if code >= 0:
            rows[head, CODE], rows[head, MARKS], rows[head, END] = code, marks, rows[at + 1, END]
            rows[at + 1, CODE] = REMOVED


def split_runs(
    codes: Ids, starts: Offsets, marks: Marks, characters: Callable[[int], list[int]]
) -> tuple[Ids, Offsets]:
    """Split each run of punctuation that the lexer returned as one token into a token for each character.

    Without this, `f();` and `f() ;` would differ. `marks` is indexed by code; `characters` returns the codes
    of the characters of a run.
    """
    run = (marks[codes] & np.uint32(Mark.RUN)) != 0
    if not run.any():
        return codes, starts
    parts = {int(code): characters(int(code)) for code in np.unique(codes[run])}
    counts = np.ones(len(codes), dtype=np.int64)
    for code, split in parts.items():
        counts[codes == code] = len(split)
    origin = np.repeat(np.arange(len(codes)), counts)
    nth = (np.arange(len(origin)) - (np.cumsum(counts) - counts)[origin]).astype(np.int32)
    split_codes = codes[origin]
    for code, split in parts.items():
        where = split_codes == code
        split_codes[where] = np.array(split, dtype=np.int32)[nth[where]]
    return split_codes, starts[origin] + nth
