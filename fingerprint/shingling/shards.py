"""Clustering in shards: each counts the pairs of one range of values (syntactic-clustering, phases 2 to 4).

Shards need nothing of each other, so they can run in any order, in any process, and more than once.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.shingling.clusters import (
    BUDGET,
    COMMON,
    THRESHOLD,
    Clustering,
    check_limits,
    join_similar,
    pair_runs,
    pair_totals,
    value_runs,
)
from fingerprint.shingling.external_sort import Records, Runs
from fingerprint.unionfind import UnionFind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fingerprint.shingling.sketches import Sketches
    from fingerprint.types import Documents

VALUES_END = 2**64


class SharedValues(NamedTuple):
    """The values of one range that documents share.

    `pairs` has the number of shared values by pair (left << 32 | right, left < right), each pair once.
    `ignored` (int64, n) is the number of values of each document that too many documents have.
    """

    pairs: Records
    ignored: Documents


def value_ranges(count: int) -> list[tuple[int, int]]:
    """Return `count` ranges (start, end) of equal width that have all 64-bit values; the end is exclusive.

    Raises
    ------
    ValueError
        When `count` is below 1.
    """
    if count < 1:
        raise ValueError(f"{count} ranges are asked for; 1 is the least")
    bounds = [VALUES_END * number // count for number in range(count + 1)]
    return list(pairwise(bounds))


def count_shared(
    sketches: Sketches, duplicates: Documents, *, common: int = COMMON, budget: int = BUDGET
) -> SharedValues:
    """Count the values of one range that each two documents share; duplicates have none.

    `sketches` have the values of the range only, see `Sketches.within`. `duplicates` is as from
    `duplicate_labels` for the whole sketches; `common` and `budget` are as for `cluster`. The budget does
    not count the result, which has 16 bytes for each pair that shares a value of the range.

    Raises
    ------
    ValueError
        When `common` is below 1 or `budget` is too small.
    """
    check_limits(THRESHOLD, common)
    counted = np.zeros(len(sketches), dtype=np.int64)
    with Runs(budget // 2) as values, Runs(budget // 2) as pairs:
        value_runs(sketches, duplicates == np.arange(len(sketches)), values)
        pair_runs(values.merged(), counted, pairs, common)
        empty = np.empty(0, dtype=np.uint64)
        totals = [Records(empty, empty), *map(pair_totals, pairs.merged())]
    return SharedValues(Records(*(np.concatenate(column) for column in zip(*totals, strict=True))), -counted)


def merge_shared(
    sketches: Sketches,
    duplicates: Documents,
    shards: Iterable[SharedValues],
    *,
    threshold: float = THRESHOLD,
    budget: int = BUDGET,
) -> Clustering:
    """Return the clusters of `cluster` from the counts of all ranges, each range once, in any order.

    Raises
    ------
    ValueError
        When `threshold` is not above 0 and at most 1, or `budget` is too small.
    """
    check_limits(threshold, COMMON)
    sets, sizes = UnionFind(len(sketches)), sketches.sizes
    sets.join(np.arange(len(sketches)), duplicates)
    with Runs(budget) as pairs:
        for shard in shards:
            for piece in _pieces(shard.pairs, pairs.capacity):
                pairs.add(piece)
            sizes -= shard.ignored
        join_similar(pairs.merged(), sizes, threshold, sets)
    return Clustering(sets.labels(), duplicates)


def _pieces(records: Records, size: int) -> Iterator[Records]:
    for start in range(0, len(records.keys), size):
        yield records.slice(start, start + size)
