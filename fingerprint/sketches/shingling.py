"""Resemblance and containment of documents, exact and from sketches (syntactic-clustering).

Duplicates are found among the sketches of many documents.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fingerprint.distinct import distinct_values
from fingerprint.hashing import kgram_hashes
from fingerprint.kernels.registry import kernel
from fingerprint.kernels.types import Documents, Hashes, Words
from fingerprint.winnowing import ENGINE_VERSION

WORD_BITS = 64
MIN_BITS = 32
# Least expected number of values of an adaptive sketch; the number is below twice this.
ADAPTIVE_VALUES = 50

DOCUMENTS_LIMIT = 2**32


class AdaptiveSketch(NamedTuple):
    """V_i of a set: the values of the set that are 0 mod 2**`level`, ascending (uint64)."""

    values: Hashes
    level: int
    engine_version: int = ENGINE_VERSION


@kernel
def _count_common(a: Hashes, b: Hashes) -> int:
    count, i, j = 0, 0, 0
    while i < len(a) and j < len(b):
        x, y = a[i], b[j]
        count += x == y
        i += x <= y
        j += y <= x
    return count


def _distinct(values: npt.NDArray[np.integer]) -> Hashes:
    return distinct_values(np.asarray(values, dtype=np.uint64))


def shingles(tokens: npt.NDArray[np.integer], w: int, bits: int = WORD_BITS) -> Hashes:
    """Return the w-shingling S(D, w): the set of all runs of `w` tokens ("Defining similarity of documents").

    tokens : integer array of n tokens
    w : tokens in a shingle, 1 to n; the paper takes 10 words
    bits : length of a value, 32 to 64; the paper takes 40

    Returns: ascending distinct uint64 values below 2**bits. Raises ValueError when `w` or `bits` is out of
    range. An empty document has no shingles, so that every `w` is.
    """
    if not 1 <= w <= len(tokens):
        raise ValueError(f"w is {w}; a shingle of this document has 1 to {len(tokens)} tokens")
    if not MIN_BITS <= bits <= WORD_BITS:
        raise ValueError(f"bits is {bits}; a shingle value has {MIN_BITS} to {WORD_BITS} bits")
    return distinct_values(kgram_hashes(tokens, w) >> np.uint64(WORD_BITS - bits))


def resemblance(a: Hashes, b: Hashes) -> float:
    """Return r(A, B) = |A & B| / |A | B| ("Defining similarity of documents"); 1 - r is a metric.

    Raises ValueError when both sets are empty.
    """
    a, b = _distinct(a), _distinct(b)
    if not len(a) and not len(b):
        raise ValueError("both sets are empty; resemblance needs a value in at least one")
    common = _count_common(a, b)
    return common / (len(a) + len(b) - common)


def containment(a: Hashes, b: Hashes) -> float:
    """Return c(A, B) = |A & B| / |A|, the part of A that is in B ("Defining similarity of documents").

    Raises ValueError when A is empty.
    """
    a, b = _distinct(a), _distinct(b)
    if not len(a):
        raise ValueError("the first set is empty; containment needs at least 1 value in it")
    return _count_common(a, b) / len(a)


def min_sketch(values: Hashes, s: int) -> Hashes:
    """Return MIN_s(W), the `s` smallest values ("Estimating the resemblance and the containment").

    In the paper a smaller set is its own sketch; here the caller passes the size of the set as `s` for that.

    Returns: uint64 array of s ascending values. Raises ValueError when `s` is below 1 or above the number of
    distinct values.
    """
    distinct = _distinct(values)
    if not 1 <= s <= len(distinct):
        raise ValueError(f"s is {s}; a sketch of this set has 1 to {len(distinct)} values")
    return distinct[:s].copy()


def mod_sketch(values: Hashes, m: int) -> Hashes:
    """Return MOD_m(W), the values that are 0 mod `m` ("Estimating the resemblance and the containment").

    Returns: ascending uint64 values, about one in `m` (the paper takes 25) and perhaps none. Raises
    ValueError when `m` is below 1 or the set is empty.
    """
    if m < 1:
        raise ValueError(f"m is {m}; a modulus is at least 1")
    if not len(values):
        raise ValueError("the set is empty; a sketch needs at least 1 value")
    distinct = _distinct(values)
    sketch: Hashes = distinct[distinct % np.uint64(m) == 0]
    return sketch


def adaptive_sketch(values: Hashes) -> AdaptiveSketch:
    """Return V_i(D), MOD of the power of two for which 50 to 100 values are expected; all of a smaller set.

    ("Estimating the resemblance and the containment". There MOD_(2^i) is for sets of 100 * 2^i values and
    more, which leaves 100 to 200 values; for the 50 to 100 that its text names, the modulus here is twice
    that.) Raises ValueError when the set is empty.
    """
    if not len(values):
        raise ValueError("the set is empty; a sketch needs at least 1 value")
    distinct = _distinct(values)
    level = max(0, (len(distinct) // ADAPTIVE_VALUES).bit_length() - 1)
    return AdaptiveSketch(mod_sketch(distinct, 1 << level), level)


def coarsen(sketch: AdaptiveSketch, level: int) -> AdaptiveSketch:
    """Return V_level of the set of `sketch`, without the set itself.

    Raises ValueError when `level` is below the level of the sketch or above 63, or the sketch is of another
    engine version.
    """
    if sketch.engine_version != ENGINE_VERSION:
        raise ValueError(f"sketch of engine version {sketch.engine_version}; only version {ENGINE_VERSION} is compared")
    if not sketch.level <= level < WORD_BITS:
        raise ValueError(f"level is {level}; this sketch coarsens to {sketch.level} to {WORD_BITS - 1}")
    values = sketch.values[sketch.values % np.uint64(1 << level) == 0]
    return AdaptiveSketch(values, level)


def min_resemblance(a: Hashes, b: Hashes) -> float:
    """Return an unbiased estimate of r(A, B) from min sketches (theorem in "Estimating the resemblance ...").

    Sketches of unequal sizes are compared at the smaller size. Raises ValueError when a sketch is empty.
    """
    s = min(len(a), len(b))
    if not s:
        raise ValueError(f"sketches hold {len(a)} and {len(b)} values; an estimate needs at least 1 in each")
    smallest = _distinct(np.concatenate((a, b)))[:s]
    in_both = np.isin(smallest, a) & np.isin(smallest, b)
    return int(in_both.sum()) / len(smallest)


def mod_resemblance(a: Hashes, b: Hashes) -> float:
    """Return an unbiased estimate of r(A, B) from MOD_m sketches with one m (theorem in "Estimating ...").

    Raises ValueError when both sketches are empty.
    """
    return resemblance(a, b)


def mod_containment(a: Hashes, b: Hashes) -> float:
    """Return an unbiased estimate of c(A, B) from MOD_m sketches with one m (theorem in "Estimating ...").

    Raises ValueError when the sketch of A is empty.
    """
    return containment(a, b)


def _at_larger_level(a: AdaptiveSketch, b: AdaptiveSketch) -> tuple[Hashes, Hashes]:
    level = max(a.level, b.level)
    return coarsen(a, level).values, coarsen(b, level).values


def adaptive_resemblance(a: AdaptiveSketch, b: AdaptiveSketch) -> float:
    """Return an unbiased estimate of r(A, B), at the modulus of the larger document ("Estimating ...").

    Raises ValueError when both sketches are empty at that modulus, or one is of another engine version.
    """
    return resemblance(*_at_larger_level(a, b))


def adaptive_containment(a: AdaptiveSketch, b: AdaptiveSketch) -> float:
    """Return an unbiased estimate of c(A, B), at the modulus of the larger document.

    The estimate is rough when A is far smaller. Raises ValueError when the sketch of A is empty at that
    modulus, or one is of another engine version.
    """
    return containment(*_at_larger_level(a, b))


def super_shingles(sketch: Hashes, size: int) -> Hashes:
    """Return the meta-sketch: the shingles of `size` values over the sorted sketch ("Super shingles").

    Documents that share a super-shingle share a run of their sketches and most likely resemble each other.

    Returns: ascending distinct uint64 values, at most len(sketch) - size + 1. Raises ValueError when `size`
    is below 1 or above the number of distinct values of the sketch.
    """
    distinct = _distinct(sketch)
    if not 1 <= size <= len(distinct):
        raise ValueError(f"size is {size}; a super shingle of this sketch has 1 to {len(distinct)} values")
    return distinct_values(kgram_hashes(distinct, size))


@dataclass(frozen=True, slots=True)
class Sketches:
    """MOD_m sketches of n documents with one m, in two arrays, which may be mapped from files.

    `values` (uint64) has the ascending distinct values of each document, one document after the other.
    `offsets` (int64, n + 1) delimits them: document i has values[offsets[i]:offsets[i + 1]], perhaps none.
    Raises ValueError when the arrays are not of that form, or the sketches are of another engine version.
    """

    values: Words
    offsets: Documents
    engine_version: int = ENGINE_VERSION

    def __post_init__(self) -> None:
        if self.engine_version != ENGINE_VERSION:
            raise ValueError(
                f"sketches of engine version {self.engine_version} are given; "
                f"only those of {ENGINE_VERSION} are compared"
            )
        if self.values.dtype != np.uint64 or self.values.ndim != 1:
            raise ValueError(f"values are {self.values.ndim}-dimensional {self.values.dtype}; uint64 is needed")
        offsets, end = self.offsets, len(self.values)
        if not len(offsets) or offsets[0] or offsets[-1] != end or np.any(offsets[1:] < offsets[:-1]):
            raise ValueError(f"offsets do not ascend from 0 to {end}, the number of values")
        if len(self) >= DOCUMENTS_LIMIT:
            raise ValueError(f"{len(self)} documents are given; {DOCUMENTS_LIMIT - 1} are the most")
        self._check_order()

    def _check_order(self) -> None:
        falls = np.flatnonzero(self.values[1:] <= self.values[:-1]) + 1
        wrong = falls[~np.isin(falls, self.offsets)]
        if len(wrong):
            document = np.searchsorted(self.offsets, wrong[0], side="right") - 1
            raise ValueError(f"the sketch of document {document} is not in ascending order without repeats")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, document: int) -> Words:
        return self.values[self.offsets[document] : self.offsets[document + 1]]

    @property
    def sizes(self) -> Documents:
        """Number of values of each sketch (int64, n)."""
        return np.diff(self.offsets)

    @classmethod
    def from_sketches(cls, sketches: Iterable[Words], engine_version: int = ENGINE_VERSION) -> Sketches:
        """Build from the sketches of single documents."""
        parts = list(sketches)
        offsets = np.cumsum([0, *map(len, parts)], dtype=np.int64)
        return cls(np.concatenate([np.empty(0, dtype=np.uint64), *parts]), offsets, engine_version)

    def within(self, start: int, end: int) -> Sketches:
        """Return the sketches with only the values from `start` to `end` (exclusive), at most 2**64."""
        # The end may be 2**64, which is no uint64.
        selection = (self.values >= start) & (self.values <= end - 1)
        offsets = np.concatenate([[0], np.cumsum(selection)])[self.offsets].astype(np.int64)
        return Sketches(self.values[selection], offsets, self.engine_version)

    def super_shingled(self, size: int) -> Sketches:
        """Return the meta-sketches: the super-shingles of `size` values; none for a sketch of fewer values.

        Raises ValueError when `size` is below 1.
        """
        if size < 1:
            raise ValueError(f"size is {size}; a super-shingle has at least 1 value")
        empty = np.empty(0, dtype=np.uint64)
        sketches = (self[document] for document in range(len(self)))
        return Sketches.from_sketches(
            super_shingles(sketch, size) if len(sketch) >= size else empty for sketch in sketches
        )


class Duplicates:
    """Finds documents that are equal by bytes, by canonical form or by sketch ("Identical documents").

    Keys are hashable values that identify the whole contents, such as digests. Documents are numbered in the
    order in which they are added.
    """

    def __init__(self) -> None:
        self._seen: tuple[dict[Hashable, int], ...] = ({}, {}, {})
        self._count = 0

    def add(
        self, sketches: Sketches, exact: Sequence[Hashable] | None = None, lexical: Sequence[Hashable] | None = None
    ) -> tuple[Documents, Documents]:
        """Return the documents that equal an earlier one, and the first document that each equals.

        `exact` and `lexical` have a key of the bytes and of the canonical form for each document; None means no key.

        Returns: two int64 arrays of equal length. A document that equals earlier ones in several ways is repeated.
        Raises ValueError when the number of keys in `exact` or `lexical` is not the number of documents.
        """
        pairs: list[tuple[int, int]] = []
        for name, keys in (("exact", exact), ("lexical", lexical)):
            if keys is not None and len(keys) != len(sketches):
                raise ValueError(f"{name} has {len(keys)} keys for {len(sketches)} documents; each has one")
        for seen, keys in zip(self._seen, (exact, lexical, _digests(sketches)), strict=True):
            for document, key in enumerate(keys or (), start=self._count):
                if key is not None and (first := seen.setdefault(key, document)) != document:
                    pairs.append((document, first))
        self._count += len(sketches)
        columns = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return columns[:, 0], columns[:, 1]


def _digests(sketches: Sketches) -> list[bytes | None]:
    """Return a key of 128 bits for each sketch; None for an empty one, which identifies no document."""
    rows = (sketches[document] for document in range(len(sketches)))
    return [blake2b(sketch.tobytes(), digest_size=16).digest() if len(sketch) else None for sketch in rows]
