"""Inverted index from hashes to the documents that hold them (winnowing, section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint._jit import njit

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.hashing import Hashes

    Owners = npt.NDArray[np.int32]
    Counts = npt.NDArray[np.int32]
    Starts = npt.NDArray[np.int64]


class Candidates(NamedTuple):
    """Parallel int32 arrays: owners `left` < `right` and how many distinct values they share."""

    left: Owners
    right: Owners
    shared: Counts

    def take(self, rows: npt.NDArray[np.integer]) -> Candidates:
        return Candidates(self.left[rows], self.right[rows], self.shared[rows])


@njit
def _tally(table: tuple[Starts, Owners, Starts, Starts], floor: int, rows: Counts) -> int:
    """Fill as many rows (left, right, shared) as there is room for; return how many there are."""
    starts, owners, posting, held = table
    count = len(held) - 1
    shared = np.zeros(count, dtype=np.int32)
    partners = np.empty(count, dtype=np.int32)
    found = 0
    for left in range(count):
        met = 0
        for value in posting[held[left] : held[left + 1]]:
            for right in owners[starts[value] : starts[value + 1]]:
                if right > left:
                    if shared[right] == 0:
                        partners[met] = right
                        met += 1
                    shared[right] += 1
        for right in partners[:met]:
            if shared[right] >= floor:
                if found < len(rows):
                    rows[found, 0], rows[found, 1], rows[found, 2] = left, right, shared[right]
                found += 1
            shared[right] = 0
    return found


@dataclass(frozen=True, slots=True)
class InvertedIndex:
    """Distinct `values` (uint64, ascending); those who hold value v are `owners[starts[v]:starts[v + 1]]`."""

    values: Hashes
    starts: Starts
    owners: Owners

    @classmethod
    def build(cls, values: Hashes, owners: npt.NDArray[np.integer]) -> InvertedIndex:
        """Index parallel arrays of n values and their owners (0, 1, ...); repeats count once an owner."""
        order = np.lexsort((owners, values))
        values, holders = values[order], owners[order].astype(np.int32)
        fresh = np.ones(len(values), dtype=np.bool_)
        fresh[1:] = (values[1:] != values[:-1]) | (holders[1:] != holders[:-1])
        values, holders = values[fresh], holders[fresh]
        distinct, starts = np.unique(values, return_index=True)
        return cls(distinct, np.append(starts, len(values)).astype(np.int64), holders)

    @property
    def frequency(self) -> Counts:
        """Document frequency: how many owners hold each value."""
        return np.diff(self.starts).astype(np.int32)

    def lookup(self, values: Hashes, limit: int | None = None) -> tuple[Owners, Counts]:
        """Owners that share some of `values`, with how many (winnowing, section 3.2).

        The smallest `limit` distinct values are looked up: with a small limit the counts estimate
        resemblance, without one they give containment.

        Raises
        ------
        ValueError
            When `limit` is below 1.
        """
        if limit is not None and limit < 1:
            raise ValueError(f"limit is {limit}; at least 1 value is looked up")
        wanted = np.unique(values)[:limit]
        at = np.searchsorted(self.values, wanted)
        known = at < len(self.values)
        known[known] = self.values[at[known]] == wanted[known]
        hits = [self.owners[self.starts[i] : self.starts[i + 1]] for i in at[known]]
        owners, counts = np.unique(np.concatenate([np.empty(0, np.int32), *hits]), return_counts=True)
        return owners, counts.astype(np.int32)

    def pairs(self, floor: int = 1) -> Candidates:
        """Owners that share at least `floor` values, counted one owner at a time.

        A pair below the floor never takes room (section 5.2): memory is linear in owners and results.
        """
        if floor < 1:
            raise ValueError(f"floor is {floor}; a pair shares at least 1 value")
        count = int(self.owners.max()) + 1 if len(self.owners) else 0
        by_owner = np.argsort(self.owners, kind="stable")
        posting = np.repeat(np.arange(len(self.values)), np.diff(self.starts))[by_owner]
        held = np.searchsorted(self.owners[by_owner], np.arange(count + 1))
        table = (self.starts, self.owners, posting, held)
        found = _tally(table, floor, np.empty((0, 3), dtype=np.int32))
        rows = np.empty((found, 3), dtype=np.int32)
        _tally(table, floor, rows)
        return Candidates(*np.ascontiguousarray(rows.T))
