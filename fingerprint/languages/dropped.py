"""The statements and decorators that are dropped: imports, packages, annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.kernels.registry import bare_kernel, bare_njit
from fingerprint.languages.marks import Mark
from fingerprint.languages.token_rows import LINE, MARKS

if TYPE_CHECKING:
    from fingerprint.languages.token_rows import TokenRows
    from fingerprint.types import PairRows

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
