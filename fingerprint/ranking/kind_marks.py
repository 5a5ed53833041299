"""Marks of tokens by their kinds, looked up in a hash table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint.kernels.registry import kernel
from fingerprint.tokens import kind_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fingerprint.kernels.types import Classes, Kinds


def mark_table(marked: Sequence[tuple[int, str, str]]) -> tuple[Kinds, Classes]:
    """Return a hash table of the kinds that have marks, and their marks, from (mark, family, lexeme) triples.

    A kind is in the row of its low bits, or where that is taken in the next row that is free. The number of
    rows is a power of two; a row without marks is free.
    """
    rows = 1 << (4 * len(marked)).bit_length()
    kinds, marks = [0] * rows, [0] * rows
    for mark, family, lexeme in marked:
        kind = kind_id(family, lexeme)
        row = kind & (rows - 1)
        while marks[row] and kinds[row] != kind:
            row = (row + 1) & (rows - 1)
        kinds[row] = kind
        marks[row] |= mark
    return np.array(kinds, dtype=np.uint64), np.array(marks, dtype=np.uint8)


@kernel
def fill_marks(kinds: Kinds, table_kinds: Kinds, table_marks: Classes, marks: Classes) -> None:
    """Fill the marks of each token from a table of `mark_table`."""
    last = np.uint64(len(table_kinds) - 1)
    for at in range(len(kinds)):
        row = kinds[at] & last
        while table_marks[row] and table_kinds[row] != kinds[at]:
            row = (row + np.uint64(1)) & last
        marks[at] = table_marks[row]


def kind_marks(kinds: Kinds, table: tuple[Kinds, Classes]) -> Classes:
    """Return the marks of each token: uint8 [t]."""
    marks = np.empty(len(kinds), dtype=np.uint8)
    fill_marks(kinds, *table, marks)
    return marks
