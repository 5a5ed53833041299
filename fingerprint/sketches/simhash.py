"""SimHash: documents that differ little differ in few bits (simhash-web-crawling, section 2).

Sorted tables of permuted fingerprints have designs, the leading bits of each table, and a lookup (section
3.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, pairwise
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fingerprint.kernels.registry import kernel, njit
from fingerprint.kernels.types import Floats, Positions, RankRows, Ranks, Rows, WordRows, Words

__all__ = ["simhash"]

BITS = 64

FINGERPRINT_BITS = 64

TABLE_BITS = 64
MAX_FINGERPRINTS = 2**32 - 1
SPARSITY = 5  # bits of the filter beyond log2 of the fingerprints: 1 of 32 probes without a match passes it
STEP = 4096  # probes at a time: so many keys fit in the first-level cache


@njit
def _sum_unweighted(features: Words, components: Floats) -> None:
    """Write V for weights of 1: for each bit twice the features that have it, minus all features."""
    counts = np.zeros(BITS, dtype=np.int64)
    for feature in features:
        for bit in range(BITS):
            counts[bit] += np.int64((feature >> np.uint64(bit)) & np.uint64(1))
    for bit in range(BITS):
        components[bit] = 2 * counts[bit] - len(features)


@njit
def _sum_weighted(features: Words, weights: Floats, components: Floats) -> None:
    components[:] = 0.0
    for i in range(len(features)):
        feature, weight = features[i], weights[i]
        for bit in range(BITS):
            components[bit] += weight if (feature >> np.uint64(bit)) & np.uint64(1) else -weight


@kernel
def _simhashes(features: Words, offsets: npt.NDArray[np.int64], weights: Floats, fingerprints: Words) -> None:
    components = np.empty(BITS, dtype=np.float64)
    for document in range(len(fingerprints)):
        start, end = offsets[document], offsets[document + 1]
        if len(weights):
            _sum_weighted(features[start:end], weights[start:end], components)
        else:
            _sum_unweighted(features[start:end], components)
        fingerprint = np.uint64(0)
        for bit in range(BITS):
            if components[bit] > 0:
                fingerprint |= np.uint64(1) << np.uint64(bit)
        fingerprints[document] = fingerprint


def simhashes(features: Words, offsets: npt.NDArray[np.integer], weights: Floats | None = None) -> Words:
    """Return the SimHash of each document: the signs of the weighted sums of its features' bits.

    (Section 2, Computation.)

    features : uint64 array of the feature hashes of all documents, one document after the other; a feature
        that occurs n times counts n times
    offsets : integer array of documents + 1; document i has features[offsets[i]:offsets[i + 1]]
    weights : float64 array of one weight for each feature, at least 0; by default all 1

    Returns: uint64 array of one fingerprint for each document. A component of 0 gives a 0 bit. Raises
    ValueError when a document has no features (all such documents would be near-duplicates with fingerprint
    0, section 4.2), the offsets do not fit, or a weight is negative, not finite or missing.
    """
    _check_offsets(features, offsets)
    weight_array = np.empty(0) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    if weights is not None:
        _check_weights(weight_array, len(features))
    fingerprints = np.empty(len(offsets) - 1, dtype=np.uint64)
    _simhashes(np.ascontiguousarray(features), offsets.astype(np.int64), weight_array, fingerprints)
    return fingerprints


def simhash(features: Words, weights: Floats | None = None) -> int:
    """Return the SimHash of one document (section 2); parameters and errors as for `simhashes`."""
    return int(simhashes(features, np.array([0, len(features)]), weights)[0])


def _check_offsets(features: Words, offsets: npt.NDArray[np.integer]) -> None:
    if features.dtype != np.uint64 or features.ndim != 1:
        raise ValueError(f"features are {features.ndim}-dimensional {features.dtype}; uint64 hashes are needed")
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(features):
        raise ValueError(f"offsets are {offsets}; they begin with 0 and end with {len(features)}, all features")
    empty = np.flatnonzero(offsets[1:] <= offsets[:-1])
    if len(empty):
        raise ValueError(f"document {empty[0]} has no features; a fingerprint is made of at least 1")


def _check_weights(weights: Floats, features: int) -> None:
    if weights.shape != (features,):
        raise ValueError(f"{weights.size} weights are given for {features} features; each has one")
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        raise ValueError(f"weight {wrong[0]} is {weights[wrong[0]]}; a weight is a finite number, at least 0")


class Layout(NamedTuple):
    """The permutation of one table: bit positions (63 is the highest), `lead` before `rest`."""

    lead: tuple[int, ...]
    rest: tuple[int, ...]

    @property
    def mask(self) -> int:
        """Mask of the leading bits in an unpermuted fingerprint."""
        return sum(1 << position for position in self.lead)

    @property
    def inverse(self) -> Layout:
        """Layout that reverses the permutation."""
        highest_first = range(FINGERPRINT_BITS - 1, -1, -1)
        permuted_position = dict(zip(self.lead + self.rest, highest_first, strict=True))
        return Layout((), tuple(permuted_position[position] for position in highest_first))

    def pieces(self, *, whole: bool) -> list[tuple[int, int]]:
        """Return (lowest position, width) of each run of adjacent bits, of all bits or the leading ones."""
        runs: list[tuple[int, int]] = []
        for position in self.lead + self.rest if whole else self.lead:
            if runs and runs[-1][0] == position + 1:
                runs[-1] = (position, runs[-1][1] + 1)
            else:
                runs.append((position, 1))
        return runs


@dataclass(frozen=True, slots=True)
class Design:
    """Layouts of tables that find all pairs of fingerprints within `distance`.

    Any two such fingerprints have equal leading bits in at least one table. The first table keeps the order
    of the bits.
    """

    distance: int
    layouts: tuple[Layout, ...]

    @property
    def prefix(self) -> int:
        """Smallest number of leading bits in a table: the smallest p_i."""
        return min(len(layout.lead) for layout in self.layouts)


def design(distance: int, *blocks: int) -> Design:
    """Split 64 bits into blocks; each choice of all but `distance` blocks leads in a table (Example 3.1).

    distance : bits in which two fingerprints may differ, at least 0
    blocks : number of blocks; each further number splits the bits that do not lead once more

    Raises ValueError when no number of blocks is passed, one is not above `distance`, or too few bits are
    left to split.
    """
    if distance < 0:
        raise ValueError(f"distance is {distance}; it is at least 0 bits")
    if not blocks:
        raise ValueError("no number of blocks is given; at least one is needed")
    highest_first = tuple(range(FINGERPRINT_BITS - 1, -1, -1))
    return Design(distance, tuple(_layouts(highest_first, distance, blocks)))


def _layouts(bits: tuple[int, ...], distance: int, blocks: tuple[int, ...]) -> Iterator[Layout]:
    if not blocks:
        yield Layout((), bits)
        return
    parts = _split(bits, distance, blocks[0])
    for leading in combinations(range(len(parts)), len(parts) - distance):
        lead = tuple(bit for i in leading for bit in parts[i])
        rest = tuple(bit for i, part in enumerate(parts) if i not in leading for bit in part)
        for nested in _layouts(rest, distance, blocks[1:]):
            yield Layout(lead + nested.lead, nested.rest)


def _split(bits: tuple[int, ...], distance: int, count: int) -> list[tuple[int, ...]]:
    if not distance < count <= len(bits):
        raise ValueError(
            f"{count} blocks of {len(bits)} bits are given for distance {distance}; "
            f"{distance + 1} to {len(bits)} are allowed"
        )
    size, longer = divmod(len(bits), count)
    ends = [i * size + min(i, longer) for i in range(count + 1)]
    return [bits[start:end] for start, end in pairwise(ends)]


EXAMPLE_3_1 = {4: design(3, 4), 10: design(3, 5), 16: design(3, 4, 4), 20: design(3, 6)}


def tables_needed(f: int, k: int, d: float, prefix: float | None = None) -> int:
    """Return the smallest number of tables that suffices: X(f, k, d) of section 3.1.2.

    f : bits of a fingerprint, 1 to 64
    k : bits in which two fingerprints may differ, 0 to f - 1
    d : log2 of the number of stored fingerprints, at least 0
    prefix : smallest p_i that is allowed, 0 to f - k; the threshold of the paper is d - prefix. By default
        d - 3, so that a probe retrieves 8 fingerprints on average, as with the 20 tables of Example 3.1.

    Raises ValueError when a parameter is outside its range.
    """
    if not 1 <= f <= FINGERPRINT_BITS:
        raise ValueError(f"f is {f}; a fingerprint has 1 to {FINGERPRINT_BITS} bits")
    if not 0 <= k < f:
        raise ValueError(f"k is {k}; with {f} bits it is 0 to {f - 1}")
    if not d >= 0:
        raise ValueError(f"d is {d}; it is the log2 of a number of fingerprints, at least 0")
    least = max(0, d - 3) if prefix is None else prefix
    if not 0 <= least <= f - k:
        raise ValueError(f"a prefix of {least} bits is asked for; with f={f}, k={k} it is 0 to {f - k}")
    return _fewest_tables(Fraction(f), k, Fraction(f) - Fraction(least))


@lru_cache(maxsize=65536)
def _fewest_tables(bits: Fraction, k: int, enough: Fraction) -> int:
    # Each split reduces d and the bits by the same number. So instead of d, the recursion compares the bits
    # that do not lead yet with `enough`, their number when the prefix is reached.
    if bits <= enough:
        return 1
    best = _tables_with_blocks(bits, k, enough, k + 1)
    for r in range(k + 2, int(bits) + 1):
        if comb(r, k) >= best:
            break
        best = min(best, _tables_with_blocks(bits, k, enough, r))
    return best


def _tables_with_blocks(bits: Fraction, k: int, enough: Fraction, r: int) -> int:
    """Return the number of tables when the bits are split into `r` blocks."""
    return comb(r, k) * _fewest_tables(bits * k / r, k, enough)


class Tables(NamedTuple):
    """t tables of n fingerprints; a lookup in `starts` replaces the paper's interpolation search."""

    shifts: WordRows  # (t, pieces) lowest bits of the pieces of the leading bits
    widths: WordRows  # (t, pieces) widths of the pieces
    masks: Words  # (t,) masks of the leading bits
    values: WordRows  # (t, n) fingerprints, not permuted, in the order of the permuted ones
    positions: RankRows  # (t, n) position of each value in the input
    starts: RankRows  # (t, 2**b + 1) rank of the first value for each prefix of b bits
    present: WordRows  # (t, 2**m / 64) bitmap of the prefixes of m bits that occur, m >= b


class Table(NamedTuple):
    """One of the tables, with the masks of all tables up to it."""

    masks: Words
    values: Words
    positions: Ranks
    starts: Ranks


@njit
def popcount(word: np.uint64) -> np.uint64:
    """Return the number of set bits, in a form that compilers turn into one instruction."""
    pairs = np.uint64(0x3333333333333333)
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & pairs) + ((word >> np.uint64(2)) & pairs)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@kernel
def permute(values: Words, shifts: Words, widths: Words, permuted: Words) -> None:
    """Write the joined pieces (lowest bit, width) of each value to `permuted`, the first piece highest."""
    one = np.uint64(1)
    permuted[: len(values)] = 0
    for piece in range(len(shifts)):
        shift, width = shifts[piece], widths[piece]
        if width == np.uint64(TABLE_BITS):  # a shift by 64 is undefined
            for i in range(len(values)):
                permuted[i] = values[i]
        else:
            mask = (one << width) - one
            for i in range(len(values)):
                permuted[i] = (permuted[i] << width) | ((values[i] >> shift) & mask)


@njit
def is_first_match(difference: np.uint64, masks: Words) -> bool:
    """Return whether the leading bits are equal in the last of the tables but in none before it.

    A match that several tables find is then reported only once.
    """
    earlier_matches = 0
    for mask in masks[:-1]:
        earlier_matches += not difference & mask
    return not earlier_matches and not difference & masks[-1]


@njit
def _filter(keys: Words, drop: np.uint64, present: Words, passed: Positions) -> np.int64:
    """Write the positions of the keys whose prefix occurs in the table to `passed`; return their number."""
    count = np.int64(0)
    low = np.uint64(63)
    for i in range(len(keys)):  # without a branch, so that the cache misses overlap
        bit = keys[i] >> drop
        passed[count] = i
        count += np.int64((present[bit >> np.uint64(6)] >> (bit & low)) & np.uint64(1))
    return count


@njit
def _compare(table: Table, probes: Words, buckets: Words, distance: int, matches: Rows) -> int:
    """Write (index of the probe, position in the input) of each match while they fit; count all matches."""
    count = 0
    for i in range(len(probes)):
        for rank in range(table.starts[buckets[i]], table.starts[buckets[i] + np.uint64(1)]):
            difference = table.values[rank] ^ probes[i]
            if popcount(difference) <= distance and is_first_match(difference, table.masks):
                if count < matches.shape[1]:
                    matches[0, count], matches[1, count] = i, table.positions[rank]
                count += 1
    return count


@kernel
def _find(tables: Tables, lead: Words, probes: Words, distance: int, matches: Rows) -> int:
    """Write (index of the probe, position in the input) of each match while they fit; count all matches.

    `lead` has the number of bits of the buckets and of the filter.
    """
    keys, passed = np.empty(STEP, dtype=np.uint64), np.empty(STEP, dtype=np.int64)
    count = 0
    for start in range(0, len(probes), STEP):
        part = probes[start : start + STEP]
        for t in range(len(tables.masks)):
            table = Table(tables.masks[: t + 1], tables.values[t], tables.positions[t], tables.starts[t])
            permute(part, tables.shifts[t], tables.widths[t], keys)
            prefix = popcount(tables.masks[t])
            candidates = passed[: _filter(keys[: len(part)], prefix - lead[1], tables.present[t], passed)]
            free = matches[:, count:]
            buckets = keys[candidates] >> (prefix - lead[0])
            new = _compare(table, part[candidates], buckets, distance, free)
            for i in range(min(new, free.shape[1])):
                free[0, i] = start + candidates[free[0, i]]
            count += new
    return count


class SortedTables:
    """All tables of a design for n fingerprints, in memory: 16 to 20 bytes for each fingerprint and table."""

    def __init__(self, values: Words, design: Design) -> None:
        self._lead = _lead_bits(len(values), design.prefix)
        self._tables = _build(values, design, *(int(bits) for bits in self._lead))

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in self._tables)

    def find(self, probes: Words, distance: int) -> Rows:
        """Return (2, matches) int64: positions of the probes and of the stored fingerprints, in no order."""
        matches = np.empty((2, len(probes) + 64), dtype=np.int64)
        count = _find(self._tables, self._lead, probes, distance, matches)
        if count > matches.shape[1]:
            matches = np.empty((2, count), dtype=np.int64)
            _find(self._tables, self._lead, probes, distance, matches)
        return matches[:, :count]


def _lead_bits(count: int, prefix: int) -> Words:
    """Return the number of leading bits that select a bucket, and the number that the filter tests."""
    size = max(1, count - 1).bit_length()
    return np.array([min(prefix, size), min(prefix, size + SPARSITY)], dtype=np.uint64)


def layout_pieces(layouts: Sequence[Layout], *, whole: bool) -> tuple[WordRows, WordRows]:
    """Return the lowest bits and the widths of the pieces of t layouts, both (t, pieces).

    Layouts of fewer pieces are padded with pieces of width 0.
    """
    pieces = [layout.pieces(whole=whole) for layout in layouts]
    longest = max(map(len, pieces))
    padded = np.array([p + [(0, 0)] * (longest - len(p)) for p in pieces], dtype=np.uint64)
    return np.ascontiguousarray(padded[:, :, 0]), np.ascontiguousarray(padded[:, :, 1])


def _build(values: Words, design: Design, bucket_bits: int, filter_bits: int) -> Tables:
    count, table_count = len(values), len(design.layouts)
    tables = Tables(
        *layout_pieces(design.layouts, whole=False),
        np.array([layout.mask for layout in design.layouts], dtype=np.uint64),
        np.empty((table_count, count), dtype=np.uint64),
        np.empty((table_count, count), dtype=np.uint32),
        np.zeros((table_count, 2**bucket_bits + 1), dtype=np.uint32),
        np.zeros((table_count, max(1, 2**filter_bits // TABLE_BITS)), dtype=np.uint64),
    )
    permuted = np.empty_like(values)
    for t, (shifts, widths) in enumerate(zip(*layout_pieces(design.layouts, whole=True), strict=True)):
        permute(values, shifts, widths, permuted)
        order = np.argsort(permuted)
        tables.values[t], tables.positions[t] = values[order], order
        prefixes = permuted[order] >> np.uint64(TABLE_BITS - filter_bits)
        _index_prefixes(prefixes, np.uint64(filter_bits - bucket_bits), tables.present[t], tables.starts[t])
    return tables


@kernel
def _index_prefixes(prefixes: Words, drop: np.uint64, present: Words, starts: Ranks) -> None:
    """Set the bits of the prefixes in `present`; write the rank of each bucket's first value to `starts`."""
    one, low = np.uint64(1), np.uint64(63)
    for prefix in prefixes:
        present[prefix >> np.uint64(6)] |= one << (prefix & low)
        starts[(prefix >> drop) + one] += np.uint32(1)
    for bucket in range(1, len(starts)):
        starts[bucket] += starts[bucket - 1]
