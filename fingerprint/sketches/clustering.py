"""Clustering of near-duplicates in four phases (syntactic-clustering, "The clustering algorithm").

Records are divided, sorted and merged within a memory budget, so more of them than fit in memory are sorted.
The pairs of one range of values can be counted in a shard of its own, for several processes. A union-find
joins documents to connected components ("Algorithms", phase 4).
"""

from __future__ import annotations

import tempfile
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from fingerprint.kernels.registry import kernel, njit
from fingerprint.kernels.types import Documents, Words
from fingerprint.sketches.shingling import Duplicates, Sketches

COMMON = 1000
THRESHOLD = 0.5
BUDGET = 256 << 20  # bytes
HALF_WORD = 32  # bits

VALUES_END = 2**64

MIN_BUDGET = 4096
RECORD_BYTES = 16
WORKING_COPIES = 4  # a merge needs the records, their order, and copies of both
FAN_IN = 64  # runs that are merged at a time


class Records(NamedTuple):
    """n records as two uint64 arrays, in order of `keys`; each record has a key and a payload."""

    keys: Words
    payloads: Words

    @classmethod
    def merge(cls, parts: list[Records]) -> Records:
        """Return all records of the parts in order of their keys; equal keys in the order of the parts."""
        keys = np.concatenate([part.keys for part in parts])
        order = np.argsort(keys, kind="stable")
        return cls(keys[order], np.concatenate([part.payloads for part in parts])[order])

    def slice(self, start: int, end: int | None = None) -> Records:
        """Return the records from `start` to `end` (exclusive)."""
        return Records(self.keys[start:end], self.payloads[start:end])


class Runs:
    """Sorted runs of records, in memory within a budget in bytes; further runs are in a temporary folder.

    `capacity` is the number of records that fit in memory; `spilled` counts the runs written to disk. Raises
    ValueError when the budget is under 4,096 bytes.
    """

    def __init__(self, budget: int, folder: Path | None = None) -> None:
        if budget < MIN_BUDGET:
            raise ValueError(f"the budget is {budget} bytes; {MIN_BUDGET} are the least")
        self.capacity = budget // (RECORD_BYTES * WORKING_COPIES)
        self.spilled = 0
        self._folder = tempfile.TemporaryDirectory(prefix="fingerprint-", dir=folder)
        self._runs: list[Records] = []
        self._records_in_memory = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._runs.clear()
        self._folder.cleanup()

    def add(self, run: Records) -> None:
        """Add a run, which must be in order of its keys."""
        if not len(run.keys):
            return
        if self._records_in_memory + len(run.keys) > self.capacity:
            run = self._spill([run])
        else:
            self._records_in_memory += len(run.keys)
        self._runs.append(run)

    def merged(self) -> Iterator[Records]:
        """Yield all records in pieces, by ascending key; a key's records are in one piece, in any order."""
        while len(self._runs) > FAN_IN:
            self._runs = [
                self._spill(_merge(self._runs[i : i + FAN_IN], self.capacity))
                for i in range(0, len(self._runs), FAN_IN)
            ]
        yield from _whole_keys(_merge(self._runs, self.capacity))

    def _spill(self, pieces: list[Records] | Iterator[Records]) -> Records:
        """Write the pieces to disk as one run; return it, mapped from its files."""
        self.spilled += 1
        paths = [Path(self._folder.name, f"{self.spilled}.{column}") for column in Records._fields]
        with paths[0].open("wb") as keys, paths[1].open("wb") as payloads:
            for piece in pieces:
                # `tofile` would not say that the disk is full.
                keys.write(np.ascontiguousarray(piece.keys).data)
                payloads.write(np.ascontiguousarray(piece.payloads).data)
        return Records(*(np.memmap(path, dtype=np.uint64, mode="r") for path in paths))


def _merge(runs: list[Records], capacity: int) -> Iterator[Records]:
    runs = list(runs)
    while runs:
        size = max(1, capacity // len(runs))
        heads = [run.keys[min(size, len(run.keys)) - 1] for run in runs if len(run.keys) > size]
        limit = min(heads) if heads else None  # above this key, runs may have records that are not read yet
        ends = [_end(run.keys[:size], limit) for run in runs]
        yield Records.merge([run.slice(0, end) for run, end in zip(runs, ends, strict=True)])
        runs = [run.slice(end) for run, end in zip(runs, ends, strict=True) if end < len(run.keys)]


def _end(keys: Words, limit: np.uint64 | None) -> int:
    return len(keys) if limit is None else int(np.searchsorted(keys, limit, side="right"))


def _whole_keys(pieces: Iterator[Records]) -> Iterator[Records]:
    """Regroup sorted pieces so that all records of one key are in one piece."""
    pending: list[Records] = []  # records of the last key, which the next piece may continue
    for piece in pieces:
        last = int(np.searchsorted(piece.keys, piece.keys[-1]))
        if pending and piece.keys[0] != pending[0].keys[0]:
            yield Records.merge(pending)
            pending = []
        if last:
            yield Records.merge([*pending, piece.slice(0, last)])
            pending = []
        pending.append(piece.slice(last))
    if pending:
        yield Records.merge(pending)


@njit
def _root(parents: Documents, document: int) -> int:
    while parents[document] != document:
        parents[document] = parents[parents[document]]
        document = parents[document]
    return document


@kernel
def _join(parents: Documents, left: Documents, right: Documents) -> None:
    for i in range(len(left)):
        a = _root(parents, left[i])
        b = _root(parents, right[i])
        if a < b:  # the smaller number stays the root, so that labels do not depend on the order of the pairs
            parents[b] = a
        else:
            parents[a] = b


@kernel
def _flatten(parents: Documents) -> None:
    for document in range(len(parents)):  # the parent is never larger, so it points to its root already
        parents[document] = parents[parents[document]]


class UnionFind:
    """Disjoint sets of the documents 0 .. count - 1. `join` may be called any number of times.

    Raises ValueError when `count` is negative.
    """

    def __init__(self, count: int) -> None:
        if count < 0:
            raise ValueError(f"count is {count}; it must be at least 0")
        self._parents: Documents = np.arange(count, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._parents)

    def grow(self, count: int) -> None:
        """Add documents until there are `count`, each in a set of its own.

        Raises ValueError when there are more than `count` documents already.
        """
        if count < len(self):
            raise ValueError(f"count is {count}; {len(self)} documents are there already")
        self._parents = np.concatenate([self._parents, np.arange(len(self), count)])

    def join(self, left: npt.NDArray[np.integer], right: npt.NDArray[np.integer]) -> None:
        """Merge the sets of `left[i]` and `right[i]`, for every i.

        Raises ValueError when the arrays differ in length or contain a document outside 0 .. count - 1.
        """
        if len(left) != len(right):
            raise ValueError(f"left has {len(left)} documents and right {len(right)}; a pair has one of each")
        for side in (left, right):
            if len(side) and not 0 <= int(side.min()) <= int(side.max()) < len(self):
                known = f"0 to {len(self) - 1}"
                raise ValueError(f"documents {side.min()} to {side.max()} are joined; {known} are known")
        _join(self._parents, left.astype(np.int64), right.astype(np.int64))

    def labels(self) -> Documents:
        """Return the smallest document of each document's set: int64 [count]."""
        _flatten(self._parents)
        return self._parents.copy()


def components(count: int, left: npt.NDArray[np.integer], right: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """Label the connected components of `count` documents that are joined by the pairs (left[i], right[i]).

    count : number of documents, at least 0
    left, right : integer arrays of equal length, documents numbered from 0

    Returns: int64 array of `count` labels: for each document, the smallest document of its component. The
    labels do not depend on the order of the pairs. Raises ValueError when `count` is negative, the arrays
    differ in length or a document is out of range.
    """
    sets = UnionFind(count)
    sets.join(left, right)
    return sets.labels()


class Clustering(NamedTuple):
    """Two int64 arrays of one label for each document: the smallest document number of its group."""

    labels: Documents  # groups of near-duplicates and duplicates
    duplicates: Documents  # groups of documents equal by bytes, canonical form or sketch

    def groups(self) -> list[Documents]:
        """Return the clusters of at least 2 documents, each ascending, ordered by their smallest document."""
        order = np.argsort(self.labels, kind="stable")
        starts = np.flatnonzero(np.diff(self.labels[order])) + 1
        return [group for group in np.split(order, starts) if len(group) > 1]


def value_runs(sketches: Sketches, included: npt.NDArray[np.bool_], runs: Runs) -> None:
    """Add sorted runs of (value, document) to `runs`: the first half of phase 2.

    `included` (bool, one for each document) selects the documents. Each run fits in the budget of `runs`, unless a
    single sketch exceeds it.
    """
    offsets = sketches.offsets
    document = 0
    while document < len(sketches):
        end = int(np.searchsorted(offsets, offsets[document] + runs.capacity, side="right")) - 1
        end = max(end, document + 1)
        numbers = np.repeat(np.arange(document, end), sketches.sizes[document:end])
        selection = included[numbers]
        values = np.asarray(sketches.values[offsets[document] : offsets[end]])[selection]
        order = np.argsort(values, kind="stable")
        runs.add(Records(values[order], numbers[selection].astype(np.uint64)[order]))
        document = end


def pair_runs(records: Iterator[Records], sizes: Documents, runs: Runs, common: int = COMMON) -> None:
    """Add sorted runs of (pair, count) of the documents that share values to `runs`: phase 3.

    A pair is left << 32 | right with left < right. A value in more than `common` documents is ignored: it forms no
    pairs, and is subtracted from `sizes` (int64, values of each document), which is modified.
    """
    buffer = np.empty(runs.capacity, dtype=np.uint64)
    filled = 0
    for piece in records:
        shared = _shared_records(piece, sizes, common)
        ends = _group_ends(shared.keys)
        row = 0
        while row < len(ends):
            if len(buffer) < ends[row] - row:
                buffer = np.resize(buffer, ends[row] - row)
            row, filled = _expand(shared.payloads, ends, row, (buffer, filled))
            if row < len(ends):
                runs.add(_pair_counts(buffer[:filled]))
                filled = 0
    runs.add(_pair_counts(buffer[:filled]))


def _shared_records(piece: Records, sizes: Documents, common: int) -> Records:
    """Return the records of values that 2 to `common` documents share.

    The values of more documents are subtracted from `sizes` in place.
    """
    _, group, counts = np.unique(piece.keys, return_inverse=True, return_counts=True)
    np.subtract.at(sizes, piece.payloads[(counts > common)[group]].astype(np.int64), 1)
    shared = ((counts > 1) & (counts <= common))[group]
    return Records(piece.keys[shared], piece.payloads[shared])


def _group_ends(keys: Words) -> Documents:
    """Return for each record the index after the last record with the same key."""
    return np.searchsorted(keys, keys, side="right").astype(np.int64)


@kernel
def _expand(documents: Words, ends: Documents, row: int, out: tuple[Words, int]) -> tuple[int, int]:
    """Write the pairs of record `row` with each later one of its group, row by row while they fit.

    Returns the next row and the filled length of the buffer.
    """
    buffer, filled = out
    half = np.uint64(HALF_WORD)
    while row < len(documents) and filled + ends[row] - row - 1 <= len(buffer):
        for other in range(row + 1, ends[row]):
            left = min(documents[row], documents[other])
            right = max(documents[row], documents[other])
            buffer[filled] = (left << half) | right
            filled += 1
        row += 1
    return row, filled


def _pair_counts(pairs: Words) -> Records:
    keys, counts = np.unique(pairs, return_counts=True)
    return Records(keys, counts.astype(np.uint64))


def pair_totals(piece: Records) -> Records:
    """Return one record for each pair of a piece that has all records of each of its pairs."""
    starts = np.flatnonzero(np.concatenate([[True], piece.keys[1:] != piece.keys[:-1]]))
    return Records(piece.keys[starts], np.add.reduceat(piece.payloads, starts))


def _total_counts(piece: Records) -> tuple[Documents, Documents, Documents]:
    """Return (left, right, count) of a piece that has all records of each of its pairs."""
    pairs, counts = pair_totals(piece)
    left, right = pairs >> np.uint64(HALF_WORD), pairs & np.uint64(2**HALF_WORD - 1)
    return left.astype(np.int64), right.astype(np.int64), counts.astype(np.int64)


def join_similar(pairs: Iterator[Records], sizes: Documents, threshold: float, sets: UnionFind) -> None:
    """Join the pairs whose estimated resemblance, shared / all values, is at least `threshold`: phase 4."""
    for piece in pairs:
        left, right, shared = _total_counts(piece)
        similar = shared >= threshold * (sizes[left] + sizes[right] - shared)
        sets.join(left[similar], right[similar])


def check_limits(threshold: float, common: int) -> None:
    """Raise ValueError when `threshold` is not in (0, 1] or `common` is below 1."""
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

    sketches : MOD_m sketches of n documents (phase 1)
    threshold : estimated resemblance from which two documents are joined, above 0, at most 1
    common : values in more documents than this are ignored; at least 1. Duplicates count once.
    budget : bytes for records in memory, at least 8,192 ("divide, sort, merge"); more records are sorted
        on disk. The sketches and some 50 bytes a document are not counted. The budget changes no cluster.
    exact, lexical : one key for each document's bytes and canonical form. Documents with equal keys or equal
        sketches are removed first and added to the cluster of their duplicate ("Identical documents").
    folder : parent of the temporary folder; the system's default when None

    Raises ValueError when a parameter is outside the range given above or the number of keys is not n.
    """
    check_limits(threshold, common)
    sets, duplicates = _join_duplicates(sketches, exact, lexical)
    distinct = duplicates == np.arange(len(sketches))
    sizes = sketches.sizes
    with Runs(budget // 2, folder) as values, Runs(budget // 2, folder) as pairs:
        value_runs(sketches, distinct, values)
        pair_runs(values.merged(), sizes, pairs, common)
        join_similar(pairs.merged(), sizes, threshold, sets)
    return Clustering(sets.labels(), duplicates)


def _join_duplicates(
    sketches: Sketches, exact: Sequence[Hashable] | None, lexical: Sequence[Hashable] | None
) -> tuple[UnionFind, Documents]:
    """Return the sets of duplicates, and the label of each document: the smallest document of its set."""
    sets = UnionFind(len(sketches))
    sets.join(*Duplicates().add(sketches, exact, lexical))
    return sets, sets.labels()


def duplicate_labels(
    sketches: Sketches, exact: Sequence[Hashable] | None = None, lexical: Sequence[Hashable] | None = None
) -> Documents:
    """Return the first document that equals each document, int64 [n]; the keys are as for `cluster`.

    Raises ValueError when the number of keys is not the number of documents.
    """
    return _join_duplicates(sketches, exact, lexical)[1]


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

    Without a `threshold` no pairs are formed, and `common` is not used. With one, two documents that share a
    super-shingle are joined when their sketches resemble each other at least that much. The other parameters are as for
    `cluster`. Raises ValueError when `size` is below 1 or another parameter is refused by `cluster`.
    """
    check_limits(THRESHOLD if threshold is None else threshold, common)
    sets, duplicates = _join_duplicates(sketches, exact, lexical)
    meta_sketches = sketches.super_shingled(size)
    with Runs(budget // 2) as values, Runs(budget // 2) as pairs:
        value_runs(meta_sketches, duplicates == np.arange(len(sketches)), values)
        if threshold is None:
            _join_sharing(values.merged(), sets)
        else:
            pair_runs(values.merged(), meta_sketches.sizes, pairs, common)
            for left, right, _ in map(_total_counts, pairs.merged()):
                similar = resemblances(sketches, left, right) >= threshold
                sets.join(left[similar], right[similar])
    return Clustering(sets.labels(), duplicates)


def _join_sharing(records: Iterator[Records], sets: UnionFind) -> None:
    for piece in records:
        same = np.flatnonzero(piece.keys[1:] == piece.keys[:-1])
        sets.join(piece.payloads[same].astype(np.int64), piece.payloads[same + 1].astype(np.int64))


def resemblances(sketches: Sketches, left: Documents, right: Documents) -> npt.NDArray[np.float64]:
    """Return the estimated resemblance of each pair of documents; 0 where both sketches are empty."""
    sizes = sketches.sizes
    shared = np.empty(len(left), dtype=np.int64)
    _count_shared(sketches.values, sketches.offsets, left, right, shared)
    return np.asarray(shared / np.maximum(1, sizes[left] + sizes[right] - shared), dtype=np.float64)


@kernel
def _count_shared(values: Words, offsets: Documents, left: Documents, right: Documents, shared: Documents) -> None:
    for pair in range(len(left)):
        i, j = offsets[left[pair]], offsets[right[pair]]
        shared[pair] = 0
        while i < offsets[left[pair] + 1] and j < offsets[right[pair] + 1]:
            a, b = values[i], values[j]
            shared[pair] += a == b
            i += a <= b
            j += b <= a


class SharedValues(NamedTuple):
    """The values of one range that documents share.

    `pairs` has the number of shared values by pair (left << 32 | right, left < right), each pair once.
    `ignored` (int64, n) is the number of values of each document that too many documents have.
    """

    pairs: Records
    ignored: Documents


def value_ranges(count: int) -> list[tuple[int, int]]:
    """Return `count` (at least one) ranges [start, end) of equal width that have all 64-bit values."""
    if count < 1:
        raise ValueError(f"{count} ranges are asked for; 1 is the least")
    bounds = [VALUES_END * number // count for number in range(count + 1)]
    return list(pairwise(bounds))


def count_shared(
    sketches: Sketches, duplicates: Documents, *, common: int = COMMON, budget: int = BUDGET
) -> SharedValues:
    """Count the values of one range that each two documents share; duplicates have none.

    `sketches` have the values of the range only, see `Sketches.within`. `duplicates` is as from
    `duplicate_labels` for the whole sketches; `common` and `budget` are as for `cluster`. The budget does not
    count the result, which has 16 bytes for each pair that shares a value of the range. Raises ValueError
    when `common` is below 1 or `budget` is too small.
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

    Raises ValueError when `threshold` is not above 0 and at most 1, or `budget` is too small.
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
