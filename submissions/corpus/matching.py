"""New documents against stored ones, as arrays: what they share, and how much that is of either."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint import EXAMPLE_3_1, InvertedIndex, Matches, batch_query, design

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from fingerprint import Sketches
    from fingerprint.types import Hashes

    Numbers = npt.NDArray[np.int64]

COVERED = 3  # bits in which fingerprints may differ with the tables of Example 3.1
MOST_COVERED = 6


class Shared(NamedTuple):
    """Parallel int64 arrays: query and stored document, and how many sketch values both have."""

    query: Numbers
    stored: Numbers
    values: Numbers


class Estimate(NamedTuple):
    """How alike two documents are by their sketches, each number in [0, 1].

    `containment` is how much of the new document is in the stored one, `contained` the reverse
    (syntactic-clustering, "Estimating the resemblance and the containment").
    """

    resemblance: float
    containment: float
    contained: float

    @classmethod
    def of(cls, shared: int, new: int, stored: int) -> Estimate:
        """Estimate from the sizes of two MOD_m sketches, at least 1, and of what they share."""
        return cls(shared / (new + stored - shared), shared / new, shared / stored)

    @property
    def key(self) -> tuple[float, float]:
        """Best last: how much of the new document is in the stored one, then the resemblance."""
        return self.containment, self.resemblance

    @property
    def share(self) -> float:
        """The larger share of either document."""
        return max(self.containment, self.contained)


SAME = Estimate(1.0, 1.0, 1.0)


def index_of(sketches: Sequence[Hashes]) -> InvertedIndex:
    """Index the sketches of new documents, which are numbered from 0."""
    owners = np.repeat(np.arange(len(sketches)), [len(sketch) for sketch in sketches])
    return InvertedIndex.build(np.concatenate([np.empty(0, np.uint64), *sketches]), owners)


def shared_values(index: InvertedIndex, stored: Sketches) -> Shared:
    """Count what each indexed document shares with each stored one, where that is anything.

    The stored values are scanned once for all new documents, as in simhash-web-crawling, section 3.3.
    """
    rows = np.repeat(np.arange(len(stored)), stored.sizes)
    at = np.searchsorted(index.values, stored.values)
    hit = at < len(index.values)
    hit[hit] = index.values[at[hit]] == stored.values[hit]
    at, rows = at[hit], rows[hit]
    holders = index.frequency[at].astype(np.int64)
    # Each hit stands once for every new document that holds the value.
    within = np.arange(holders.sum()) - np.repeat(np.cumsum(holders) - holders, holders)
    queries = index.owners[np.repeat(index.starts[at], holders) + within].astype(np.int64)
    pairs, counts = np.unique(queries << 32 | np.repeat(rows, holders), return_counts=True)
    return Shared(pairs >> 32, pairs & (2**32 - 1), counts.astype(np.int64))


def sharing_features(query: Hashes, stored: npt.NDArray[np.uint64], r: int) -> tuple[Numbers, Numbers]:
    """Rows of `stored` [n, k] that share at least `r` features with `query` [k], and how many each shares."""
    counts = np.count_nonzero(stored == query, axis=1)
    rows = np.flatnonzero(counts >= r)
    return rows, counts[rows]


def near_fingerprints(queries: Hashes, stored: Hashes, distance: int) -> Matches:
    """Find the stored SimHashes within `distance` bits of each query.

    Raises
    ------
    ValueError
        When `distance` is not in 0 .. 6: beyond, unrelated documents match.
    """
    if not 0 <= distance <= MOST_COVERED:
        raise ValueError(f"distance is {distance}; 0 to {MOST_COVERED} bits are covered")
    tables = EXAMPLE_3_1[10] if distance <= COVERED else design(distance, distance + 2)
    return batch_query(queries, stored, distance, tables=tables)
