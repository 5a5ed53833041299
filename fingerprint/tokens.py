"""Tokens: the result of a front-end, and all that the engine knows of a document.

Columns of several texts are joined, one text after another: a short array takes NumPy as long as a long one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from fingerprint.kernels.registry import kernel
from fingerprint.kernels.types import Bounds, Classes, Flags, Kinds, Offsets, Positions, Terms

Scalar = TypeVar("Scalar", bound=np.generic)


@lru_cache(maxsize=65536)
def kind_id(family: str, name: str) -> int:
    """Return the 64-bit id of a token kind, the same on every machine and in every version.

    The id depends on the language `family` too, so that languages of different families never share a k-gram.
    """
    digest = blake2b(f"{family}\0{name}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


# The first token before a cell that its own metadata mark as handed out. The second stands for the id and the
# text of the cell, the third is the number of tokens of the cell, which follow.
CELL = kind_id("notebook", "a cell marked as handed out")


class Token(NamedTuple):
    """One token: `text[start:end]`, normalised to `kind`."""

    kind: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TokenStream:
    """The tokens of one text as parallel arrays of n tokens, in text order.

    `kinds` uint64: ids of the kinds (see `kind_id`); `starts`, `ends` int32: offsets into the decoded text,
    in code points.
    """

    kinds: Kinds
    starts: Offsets
    ends: Offsets

    def __len__(self) -> int:
        return len(self.kinds)

    def take(self, rows: Flags) -> TokenStream:
        """Return the tokens of these rows."""
        return TokenStream(self.kinds[rows], self.starts[rows], self.ends[rows])

    @classmethod
    def from_triples(cls, tokens: Iterable[tuple[int, int, int]]) -> TokenStream:
        """Build a stream from (kind, start, end) triples."""
        columns = list(zip(*tokens, strict=True)) or [(), (), ()]
        return cls(
            np.array(columns[0], dtype=np.uint64),
            np.array(columns[1], dtype=np.int32),
            np.array(columns[2], dtype=np.int32),
        )


class Joined(NamedTuple):
    """Tokens of texts; `ends` int64 [texts] has their number up to the end of each text."""

    stream: TokenStream
    ends: Bounds

    def take(self, rows: Flags) -> Joined:
        """Return the tokens of these rows."""
        return Joined(self.stream.take(rows), count_rows(rows, self.ends))


def joined(streams: Sequence[TokenStream]) -> Joined:
    """Return the tokens of texts, one text after another."""
    ends = np.cumsum([len(stream) for stream in streams], dtype=np.int64)
    if len(streams) == 1:
        return Joined(streams[0], ends)
    columns = [concatenated([getattr(one, name) for one in streams]) for name in ("kinds", "starts", "ends")]
    return Joined(TokenStream(*columns), ends)


def concatenated(arrays: Sequence[npt.NDArray[Scalar]]) -> npt.NDArray[Scalar]:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def count_rows(rows: Flags, ends: Bounds) -> Bounds:
    """Return how many of the rows are true up to the end of each text."""
    counts: Bounds = np.concatenate(([0], np.cumsum(rows)))[ends]
    return counts


def parts(ends: Bounds) -> Iterator[slice]:
    """Yield the rows of each text."""
    begin = 0
    for end in ends.tolist():
        yield slice(begin, end)
        begin = end


def order_by_text(values: Kinds, ends: Bounds) -> Positions:
    """Return the order in which the values of each text ascend; equal ones keep theirs."""
    order = np.empty(len(values), dtype=np.int64)
    for rows in parts(ends):
        np.add(values[rows].argsort(kind="stable"), rows.start, out=order[rows])
    return order


def distinct_by_text(values: Terms, ends: Bounds) -> list[Terms]:
    """Return the distinct values of each text, ascending."""
    ordered = values.copy()
    for rows in parts(ends):
        ordered[rows].sort()
    first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    first[ends[ends < len(first)]] = True
    distinct = ordered[first]
    return [distinct[rows] for rows in parts(count_rows(first, ends))]


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
