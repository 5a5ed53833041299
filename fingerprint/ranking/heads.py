"""Lines that say little without their neighbours: heads of functions, and last lines before a head."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.kernels.registry import kernel
from fingerprint.languages import salts
from fingerprint.tokens import kind_id

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.types import Bounds, Flags, Kinds, Positions

    Marks = npt.NDArray[np.uint8]

# Words whose line is a head; in other languages a head ends with an opening brace.
HEAD_WORDS = {
    "python": ("def", "class"), "ruby": ("def", "class", "module"), "matlab": ("function",),
    "pascal": ("procedure", "function"), "ada": ("procedure", "function"),
    "fortran": ("subroutine", "function"), "vb": ("sub", "function"),
}  # fmt: skip
# A line with one of these and such a word is no head: `end function`, `exit sub`.
LEAVING_WORDS = {"fortran": ("end",), "vb": ("end", "exit")}
# Languages whose statements have an end that is seen: so a head may have several lines.
WITH_SEMICOLONS = ("c", "cpp", "csharp", "java", "php", "perl", "glsl", "hlsl")
OPENING, CLOSING = "{", "}"
# Lines before a head that belong to no function.
IMPORT_WORDS = ("import", "from")
# A line with one of these is no head: what is inserted after a condition makes no other function of it.
CONTROL_WORDS = (
    "if", "else", "elif", "for", "foreach", "while", "do", "switch", "case", "try", "catch", "finally",
    "with", "using", "lock", "synchronized", "unless", "until", "loop", "match", "select",
)  # fmt: skip


# A token may have several of these marks, one bit each.
WORD, CONTROL, OPENS, CLOSES, ENDS, IMPORTS, LEAVES, SEMICOLONS = (1 << bit for bit in range(8))
MARKED = (
    (CONTROL, CONTROL_WORDS), (OPENS, (OPENING,)), (CLOSES, (CLOSING,)),
    (ENDS, (CLOSING, ";")), (IMPORTS, IMPORT_WORDS),
)  # fmt: skip


@cache
def _mark_table() -> tuple[Kinds, Marks]:
    """Return the kinds that have marks, in all languages, and their marks, as a hash table.

    A kind is in the row of its low bits, or where that is taken in the next row that is free. The number of
    rows is a power of two; a row without marks is free.
    """
    families = salts()
    marked = [(WORD, families[name], word) for name, texts in HEAD_WORDS.items() for word in texts]
    marked += [(LEAVES, families[name], word) for name, texts in LEAVING_WORDS.items() for word in texts]
    marked += [(SEMICOLONS, families[name], OPENING) for name in WITH_SEMICOLONS]
    marked += [
        (mark, one, lexeme) for mark, texts in MARKED for lexeme in texts for one in set(families.values())
    ]
    rows = 1 << (4 * len(marked)).bit_length()
    kinds, marks = np.zeros(rows, dtype=np.uint64), np.zeros(rows, dtype=np.uint8)
    for mark, family, lexeme in marked:
        kind = kind_id(family, lexeme)
        row = int(kind) & (rows - 1)
        while marks[row] and kinds[row] != kind:
            row = (row + 1) & (rows - 1)
        kinds[row] = kind
        marks[row] |= mark
    return kinds, marks


@kernel
def fill_marks(kinds: Kinds, table_kinds: Kinds, table_marks: Marks, marks: Marks) -> None:
    """Fill the marks of each token from the table of `_mark_table`."""
    last = np.uint64(len(table_kinds) - 1)
    for at in range(len(kinds)):
        row = kinds[at] & last
        while table_marks[row] and table_kinds[row] != kinds[at]:
            row = (row + np.uint64(1)) & last
        marks[at] = table_marks[row]


class LineMarks(NamedTuple):
    """The lines of a cohort by the marks of their tokens, as parallel arrays.

    `any`, `last`: the marks of all tokens and of the last one; `sizes`, `opened`, `closed`, `ends` int64: how
    many tokens there are, and how many have the mark.
    """

    any: Marks
    last: Marks
    sizes: Positions
    opened: Positions
    closed: Positions
    ends: Positions

    def have(self, mark: int) -> Flags:
        """Return which lines have a token with the mark."""
        flags: Flags = self.any & mark > 0
        return flags


def mark_lines(kinds: Kinds, firsts: Positions) -> LineMarks:
    """Return the marks of the lines whose first tokens are `firsts`, in order; no line is empty."""
    marks = np.empty(len(kinds), dtype=np.uint8)
    fill_marks(kinds, *_mark_table(), marks)
    lasts = np.append(firsts[1:], len(kinds)) - 1
    counts = (np.add.reduceat((marks & mark) > 0, firsts, dtype=np.int64) for mark in (OPENS, CLOSES, ENDS))
    return LineMarks(np.bitwise_or.reduceat(marks, firsts), marks[lasts], lasts + 1 - firsts, *counts)


def head_lines(lines: LineMarks) -> Flags:
    """Return which lines are heads, or are followed by a line with an opening brace alone: bool [lines]."""
    has_control = lines.have(CONTROL)
    opens = lines.last & OPENS > 0
    alone = opens & (lines.sizes == 1)
    # A brace alone belongs to the line before it.
    has_control[1:] |= alone[1:] & has_control[:-1]
    heads: Flags = lines.have(WORD) & ~lines.have(LEAVES) | (opens & ~has_control)
    heads[:-1] |= alone[1:] & ~has_control[:-1]
    return heads


def first_lines(lines: LineMarks, heads: Flags) -> Flags:
    """Return which lines of a file begin a head that ends on a later one: no statement ends before its brace.

    Such lines have parameters, annotations, and what a constructor calls.
    """
    goes_on = ((lines.last & (ENDS | OPENS)) == 0) & ~lines.have(CONTROL)
    numbers = np.arange(len(heads))
    following = np.minimum.accumulate(np.where(goes_on, len(heads) - 1, numbers)[::-1])[::-1]
    begins: Flags = goes_on & (heads & (lines.last & SEMICOLONS > 0))[following]
    return begins


def tail_lines(lines: LineMarks, heads: Flags) -> Flags:
    """Return which lines end what is before a head: its last statement, and braces after it; bool [lines]."""
    closers = (lines.closed > 0) & (lines.ends == lines.sizes)
    numbers = np.arange(len(heads))
    next_other = np.minimum.accumulate(np.where(closers, len(heads) - 1, numbers)[::-1])[::-1]
    following = np.minimum(numbers + 1, len(heads) - 1)
    ends_block = (
        closers[following]
        | (lines.closed > lines.opened)
        | (lines.have(WORD)[following] & ~lines.have(IMPORTS))
    )
    tails: Flags = heads[next_other[following]] & ends_block & ~heads
    return tails


def after_heads(heads: Flags, firsts: Positions, ends: Positions) -> Positions:
    """Return where the line after each line and its heads ends, given where each begins and ends: int64.

    That is its own end where it is no head; the last line of a file, a separator, is none. A head is at most
    two thirds of what it ends with, so that it never stays alone.
    """
    lines = np.arange(len(heads))
    following = np.where(heads, len(heads) - 1, lines)
    result = ends[np.minimum.accumulate(following[::-1])[::-1]]
    return np.where(heads, np.maximum(result, ends + _half(firsts, ends)), result)


def before_tails(tails: Flags, firsts: Positions, ends: Positions, file_starts: Bounds) -> Positions:
    """Return where the line before each line and its tails begins, as `after_heads`; in the same file."""
    lines = np.arange(len(tails))
    result = firsts[np.maximum.accumulate(np.where(tails, 0, lines))]
    result = np.where(tails, np.minimum(result, firsts - _half(firsts, ends)), result)
    return np.maximum(result, file_starts[np.searchsorted(file_starts, firsts, side="right") - 1])


def _half(firsts: Positions, ends: Positions) -> Positions:
    return (ends - firsts + 1) // 2
