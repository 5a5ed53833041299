"""Sorted tables of permuted fingerprints, and their lookup (simhash-web-crawling, section 3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.kernels.registry import kernel, njit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fingerprint.simhash.designs import Design, Layout
    from fingerprint.types import Positions, RankRows, Ranks, Rows, WordRows, Words


BITS = 64
MAX_FINGERPRINTS = 2**32 - 1
SPARSITY = 5  # bits of the filter beyond log2 of the fingerprints: 1 of 32 probes without a match passes it
STEP = 4096  # probes at a time: so many keys fit in the first-level cache


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
        if width == np.uint64(BITS):  # a shift by 64 is undefined
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
    """Return the number of leading bits that select a bucket, and of those that the filter tests."""
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
        np.zeros((table_count, max(1, 2**filter_bits // BITS)), dtype=np.uint64),
    )
    permuted = np.empty_like(values)
    for t, (shifts, widths) in enumerate(zip(*layout_pieces(design.layouts, whole=True), strict=True)):
        permute(values, shifts, widths, permuted)
        order = np.argsort(permuted)
        tables.values[t], tables.positions[t] = values[order], order
        prefixes = permuted[order] >> np.uint64(BITS - filter_bits)
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
