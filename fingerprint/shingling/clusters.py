"""The clustering of near-duplicates in its four phases (syntactic-clustering, "The clustering algorithm")."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint._jit import njit
from fingerprint.shingling.external_sort import Records, Runs
from fingerprint.shingling.sketches import Duplicates, Sketches
from fingerprint.unionfind import UnionFind

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from fingerprint.types import Documents, Words


COMMON = 1000
THRESHOLD = 0.5
BUDGET = 256 << 20
HALF_WORD = 32


class Clustering(NamedTuple):
    """Two int64 arrays, one label a document: the smallest document of its group."""

    labels: Documents  # near-duplicates and duplicates
    duplicates: Documents  # duplicates by bytes, canonical form or sketch only

    def groups(self) -> list[Documents]:
        """List the clusters of at least 2 documents, each ascending, in order of their smallest."""
        order = np.argsort(self.labels, kind="stable")
        starts = np.flatnonzero(np.diff(self.labels[order])) + 1
        return [group for group in np.split(order, starts) if len(group) > 1]


def value_runs(sketches: Sketches, kept: npt.NDArray[np.bool_], runs: Runs, start: int = 0) -> None:
    """Phase 2, first half: add sorted runs of (value, document) of the documents that are `kept`.

    Documents are numbered from `start`. `runs` takes them within its budget.
    """
    document = 0
    while document < len(sketches):
        end = (
            int(np.searchsorted(sketches.offsets, sketches.offsets[document] + runs.capacity, side="right"))
            - 1
        )
        end = max(end, document + 1)
        numbers = np.repeat(np.arange(document, end), sketches.sizes[document:end])
        values = np.asarray(sketches.values[sketches.offsets[document] : sketches.offsets[end]])[
            kept[numbers]
        ]
        order = np.argsort(values, kind="stable")
        runs.add(Records(values[order], (numbers[kept[numbers]] + start).astype(np.uint64)[order]))
        document = end


def pair_runs(
    records: Iterator[Records], sizes: Documents, runs: Runs, common: int = COMMON, start: int = 0
) -> None:
    """Phase 3: add sorted runs of (pair, count) of documents that share values.

    A pair is left << 32 | right with left < right and right >= `start`. A value in more than `common`
    documents is taken for nobody's: it makes no pairs, and `sizes` (values of each document) loses it.
    """
    buffer = np.empty(runs.capacity, dtype=np.uint64)
    filled = 0
    for piece in records:
        shared = _shared(piece, sizes, common, start)
        ends = _group_ends(shared.keys)
        row = 0
        while row < len(ends):
            if len(buffer) < ends[row] - row:
                buffer = np.resize(buffer, ends[row] - row)
            row, filled = _expand(shared.payloads, ends, row, start, (buffer, filled))
            if row < len(ends):
                runs.add(_counted(buffer[:filled]))
                filled = 0
    runs.add(_counted(buffer[:filled]))


def _shared(piece: Records, sizes: Documents, common: int, start: int) -> Records:
    """Keep the records of values that 2 to `common` documents share, one of them from `start` on."""
    _, group, counts = np.unique(piece.keys, return_inverse=True, return_counts=True)
    documents = piece.payloads.astype(np.int64)
    old = np.bincount(group[documents < start], minlength=len(counts))
    # A value too common before has been taken from the old documents already.
    lost = (counts[group] > common) & ((documents >= start) | (old[group] <= common))
    np.subtract.at(sizes, documents[lost], 1)
    few = ((counts > 1) & (counts <= common) & (counts > old))[group]
    return Records(piece.keys[few], piece.payloads[few])


def _group_ends(keys: Words) -> Documents:
    """For each record, where the group of its key ends."""
    return np.searchsorted(keys, keys, side="right").astype(np.int64)


@njit
def _expand(
    documents: Words, ends: Documents, row: int, start: int, out: tuple[Words, int]
) -> tuple[int, int]:
    """Write the pairs of record `row` and each later one of its group, row by row while they fit."""
    buffer, filled = out
    half, first = np.uint64(HALF_WORD), np.uint64(start)
    while row < len(documents) and filled + ends[row] - row - 1 <= len(buffer):
        for other in range(row + 1, ends[row]):
            left = min(documents[row], documents[other])
            right = max(documents[row], documents[other])
            if right >= first:
                buffer[filled] = (left << half) | right
                filled += 1
        row += 1
    return row, filled


def _counted(pairs: Words) -> Records:
    keys, counts = np.unique(pairs, return_counts=True)
    return Records(keys, counts.astype(np.uint64))


def _summed(piece: Records) -> tuple[Documents, Documents, Documents]:
    """(left, right, count) of a piece in which every pair lies whole."""
    starts = np.flatnonzero(np.concatenate([[True], piece.keys[1:] != piece.keys[:-1]]))
    pairs, counts = piece.keys[starts], np.add.reduceat(piece.payloads, starts)
    left, right = pairs >> np.uint64(HALF_WORD), pairs & np.uint64(2**HALF_WORD - 1)
    return left.astype(np.int64), right.astype(np.int64), counts.astype(np.int64)


def join_similar(pairs: Iterator[Records], sizes: Documents, threshold: float, sets: UnionFind) -> None:
    """Phase 4: join the pairs whose estimated resemblance, shared / all values, is at least `threshold`."""
    for piece in pairs:
        left, right, shared = _summed(piece)
        similar = shared >= threshold * (sizes[left] + sizes[right] - shared)
        sets.join(left[similar], right[similar])


def check_limits(threshold: float, common: int) -> None:
    """Refuse a threshold or a number of documents that would make no sense."""
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold is {threshold}; a resemblance is above 0 and at most 1")
    if common < 1:
        raise ValueError(f"common is {common}; a value is in at least 1 document")


def cluster(
    sketches: Sketches,
    *,
    threshold: float = THRESHOLD,
    common: int = COMMON,
    budget: int = BUDGET,
    exact: Sequence[Hashable] | None = None,
    lexical: Sequence[Hashable] | None = None,
    folder: Path | None = None,
) -> Clustering:
    """Cluster documents whose sketches resemble each other ("The clustering algorithm").

    Parameters
    ----------
    sketches : MOD_m sketches of n documents (phase 1)
    threshold : estimated resemblance from which two documents are joined, above 0, at most 1
    common : values in more documents than this are ignored; at least 1. Duplicates count once.
    budget : bytes for records in memory, at least 8,192 ("divide, sort, merge"); what goes beyond is sorted
        on disk. The sketches and some 50 bytes a document are not counted. It changes no cluster.
    exact, lexical : a key of each document's bytes and canonical form; equal ones are taken out first and put
        back into their cluster ("Identical documents"), as are those with equal sketches
    folder : where the temporary folder is made

    Raises
    ------
    ValueError
        When a parameter is outside the range given above or the number of keys is not n.
    """
    check_limits(threshold, common)
    sets, duplicates = _without_duplicates(sketches, exact, lexical)
    kept = duplicates == np.arange(len(sketches))
    sizes = sketches.sizes
    with Runs(budget // 2, folder) as values, Runs(budget // 2, folder) as pairs:
        value_runs(sketches, kept, values)
        pair_runs(values.merged(), sizes, pairs, common)
        join_similar(pairs.merged(), sizes, threshold, sets)
    return Clustering(sets.labels(), duplicates)


def _without_duplicates(
    sketches: Sketches, exact: Sequence[Hashable] | None, lexical: Sequence[Hashable] | None
) -> tuple[UnionFind, Documents]:
    sets = UnionFind(len(sketches))
    sets.join(*Duplicates().add(sketches, exact, lexical))
    return sets, sets.labels()


def cluster_by_super_shingles(
    sketches: Sketches,
    size: int,
    *,
    threshold: float | None = None,
    common: int = COMMON,
    budget: int = BUDGET,
    exact: Sequence[Hashable] | None = None,
    lexical: Sequence[Hashable] | None = None,
) -> Clustering:
    """Cluster documents that share a super-shingle of `size` values ("Super shingles").

    Without a `threshold` no pairs are formed, and `common` plays no part. With one, those pairs that share a
    super-shingle are joined whose sketches resemble each other that much. The rest is as for `cluster`.

    Raises
    ------
    ValueError
        When `size` is below 1 or another parameter is refused by `cluster`.
    """
    check_limits(THRESHOLD if threshold is None else threshold, common)
    sets, duplicates = _without_duplicates(sketches, exact, lexical)
    supers = sketches.super_shingled(size)
    with Runs(budget // 2) as values, Runs(budget // 2) as pairs:
        value_runs(supers, duplicates == np.arange(len(sketches)), values)
        if threshold is None:
            _join_sharing(values.merged(), sets)
        else:
            pair_runs(values.merged(), supers.sizes, pairs, common)
            for left, right, _ in map(_summed, pairs.merged()):
                similar = resemblances(sketches, left, right) >= threshold
                sets.join(left[similar], right[similar])
    return Clustering(sets.labels(), duplicates)


def _join_sharing(records: Iterator[Records], sets: UnionFind) -> None:
    for piece in records:
        same = np.flatnonzero(piece.keys[1:] == piece.keys[:-1])
        sets.join(piece.payloads[same].astype(np.int64), piece.payloads[same + 1].astype(np.int64))


def resemblances(sketches: Sketches, left: Documents, right: Documents) -> npt.NDArray[np.float64]:
    """Estimated resemblance of each pair of documents; 0 where both sketches are empty."""
    sizes = sketches.sizes
    shared = np.empty(len(left), dtype=np.int64)
    _share(sketches.values, sketches.offsets, left, right, shared)
    return np.asarray(shared / np.maximum(1, sizes[left] + sizes[right] - shared), dtype=np.float64)


@njit
def _share(values: Words, offsets: Documents, left: Documents, right: Documents, shared: Documents) -> None:
    for pair in range(len(left)):
        i, j = offsets[left[pair]], offsets[right[pair]]
        shared[pair] = 0
        while i < offsets[left[pair] + 1] and j < offsets[right[pair] + 1]:
            a, b = values[i], values[j]
            shared[pair] += a == b
            i += a <= b
            j += b <= a
