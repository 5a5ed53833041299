"""Inverted index from hashes to the documents that contain them (winnowing, section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.distinct import distinct_values

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.types import Bounds, Counts, Hashes, Owners


class CandidatePairs(NamedTuple):
    """Pairs of owners as parallel int32 arrays: `left` < `right`, and how many distinct values they share."""

    left: Owners
    right: Owners
    shared: Counts

    def take(self, rows: npt.NDArray[np.integer]) -> CandidatePairs:
        return CandidatePairs(self.left[rows], self.right[rows], self.shared[rows])


@dataclass(frozen=True, slots=True)
class InvertedIndex:
    """Index from values to owners.

    `values` uint64 [v]: the distinct values, ascending; `starts` int64 [v + 1]: value number i belongs to
    `owners[starts[i]:starts[i + 1]]`; `owners` int32, ascending for each value.
    """

    values: Hashes
    starts: Bounds
    owners: Owners

    @classmethod
    def build(cls, values: Hashes, owners: npt.NDArray[np.integer]) -> InvertedIndex:
        """Build the index from parallel arrays: values, and the number (0, 1, ...) of each value's owner.

        A value that an owner has several times counts once.
        """
        order = np.lexsort((owners, values))
        values, sorted_owners = values[order], owners[order].astype(np.int32)
        is_new = np.ones(len(values), dtype=np.bool_)
        is_new[1:] = (values[1:] != values[:-1]) | (sorted_owners[1:] != sorted_owners[:-1])
        values, sorted_owners = values[is_new], sorted_owners[is_new]
        distinct, starts = np.unique(values, return_index=True)
        return cls(distinct, np.append(starts, len(values)).astype(np.int64), sorted_owners)

    @property
    def frequency(self) -> Counts:
        """Document frequency, int32 [v]: the number of owners of each value."""
        return np.diff(self.starts).astype(np.int32)

    def lookup(self, values: Hashes, limit: int | None = None) -> tuple[Owners, Counts]:
        """Return the owners that have any of `values`, and how many each has (winnowing, section 3.2).

        Only the smallest `limit` distinct values are looked up. With a small limit the counts estimate
        resemblance; without a limit they give containment.

        Returns
        -------
        Two int32 arrays: owners, ascending, and the number of values for each.

        Raises
        ------
        ValueError
            When `limit` is below 1.
        """
        if limit is not None and limit < 1:
            raise ValueError(f"limit is {limit}; it must be at least 1")
        queries = distinct_values(values)[:limit]
        rows = np.searchsorted(self.values, queries)
        known = rows < len(self.values)
        known[known] = self.values[rows[known]] == queries[known]
        hits = [self.owners[self.starts[i] : self.starts[i + 1]] for i in rows[known]]
        owners, counts = np.unique(np.concatenate([np.empty(0, np.int32), *hits]), return_counts=True)
        return owners, counts.astype(np.int32)
