"""Comparisons of new documents with stored ones, on arrays: shared values, features and SimHashes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint import EXAMPLE_3_1, InvertedIndex, Matches, batch_query, design

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from fingerprint import Sketches
    from fingerprint.kernels.types import Hashes

    Numbers = npt.NDArray[np.int64]

EXAMPLE_DISTANCE = 3  # highest distance in bits for the tables of Example 3.1
MAX_DISTANCE = 6


class SharedCounts(NamedTuple):
    """Parallel int64 arrays: index of the new document, row of the stored one, number of shared values."""

    query: Numbers
    stored: Numbers
    values: Numbers


class Estimate(NamedTuple):
    """The similarity of two documents, estimated from their sketches; each number is in [0, 1].

    `containment` is the share of the new document that is in the stored one, `contained` the reverse
    (syntactic-clustering, "Estimating the resemblance and the containment"). JSON output uses the field names
    as keys.
    """

    resemblance: float
    containment: float
    contained: float

    @classmethod
    def from_sizes(cls, shared: int, new: int, stored: int) -> Estimate:
        """Return the estimate for two MOD_m sketches of sizes >= 1 that have `shared` values in common."""
        return cls(shared / (new + stored - shared), shared / new, shared / stored)

    @property
    def key(self) -> tuple[float, float]:
        """Sort key, best last: by containment of the new document, then by resemblance."""
        return self.containment, self.resemblance

    @property
    def share(self) -> float:
        """The larger of both containments."""
        return max(self.containment, self.contained)


IDENTICAL_ESTIMATE = Estimate(1.0, 1.0, 1.0)


def index_sketches(sketches: Sequence[Hashes]) -> InvertedIndex:
    """Return an inverted index of the sketches of new documents, which are numbered from 0."""
    owners = np.repeat(np.arange(len(sketches)), [len(sketch) for sketch in sketches])
    return InvertedIndex.build(np.concatenate([np.empty(0, np.uint64), *sketches]), owners)


def shared_values(index: InvertedIndex, stored: Sketches) -> SharedCounts:
    """Count the values that each indexed document shares with each stored one; pairs without any are omitted.

    The stored values are scanned once for all new documents, as in simhash-web-crawling, section 3.3.
    """
    rows = np.repeat(np.arange(len(stored)), stored.sizes)
    positions = np.searchsorted(index.values, stored.values)
    hits = positions < len(index.values)
    hits[hits] = index.values[positions[hits]] == stored.values[hits]
    positions, rows = positions[hits], rows[hits]
    frequency = index.frequency[positions].astype(np.int64)
    # Repeat each hit for every new document that contains the value.
    within = np.arange(frequency.sum()) - np.repeat(np.cumsum(frequency) - frequency, frequency)
    queries = index.owners[np.repeat(index.starts[positions], frequency) + within].astype(np.int64)
    pairs, counts = np.unique(queries << 32 | np.repeat(rows, frequency), return_counts=True)
    return SharedCounts(pairs >> 32, pairs & (2**32 - 1), counts.astype(np.int64))


def sharing_features(query: Hashes, stored: npt.NDArray[np.uint64], r: int) -> tuple[Numbers, Numbers]:
    """Return the rows of `stored` [n, k] that share at least `r` features with `query` [k].

    Features are compared position by position. Returns two parallel int64 arrays: rows and numbers of shared
    features.
    """
    counts = np.count_nonzero(stored == query, axis=1)
    rows = np.flatnonzero(counts >= r)
    return rows, counts[rows]


def near_fingerprints(queries: Hashes, stored: Hashes, distance: int) -> Matches:
    """Return the stored SimHashes within `distance` bits of each query.

    Raises
    ------
    ValueError
        When `distance` is not in 0 .. 6; at a higher distance unrelated documents match.
    """
    if not 0 <= distance <= MAX_DISTANCE:
        raise ValueError(f"distance is {distance}; 0 to {MAX_DISTANCE} bits are supported")
    tables = EXAMPLE_3_1[10] if distance <= EXAMPLE_DISTANCE else design(distance, distance + 2)
    return batch_query(queries, stored, distance, tables=tables)
