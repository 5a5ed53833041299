"""Inverted index from hashes to the documents that hold them (winnowing, section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.types import Bounds, Counts, Hashes, Owners


class Candidates(NamedTuple):
    """Parallel int32 arrays: owners `left` < `right` and how many distinct values they share."""

    left: Owners
    right: Owners
    shared: Counts

    def take(self, rows: npt.NDArray[np.integer]) -> Candidates:
        return Candidates(self.left[rows], self.right[rows], self.shared[rows])


@dataclass(frozen=True, slots=True)
class InvertedIndex:
    """Distinct `values` (uint64, ascending); those who hold value v are `owners[starts[v]:starts[v + 1]]`."""

    values: Hashes
    starts: Bounds
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
