"""Sorted tables of permuted fingerprints and the probe of them (simhash-web-crawling, section 3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint._jit import njit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fingerprint.simhash.designs import Design, Layout
    from fingerprint.types import Positions, Ranks, Words


BITS = 64
MOST_FINGERPRINTS = 2**32 - 1
SPARSITY = 5  # bits of filter beyond log2 of the fingerprints: 1 of 32 probes that match nothing passes
STEP = 4096  # probes whose keys stay in the first-level cache


class Tables(NamedTuple):
    """t tables of n fingerprints; the paper's interpolation search is a lookup in `starts` here."""

    shifts: Words  # (t, pieces) of the leading bits
    widths: Words
    masks: Words  # (t,) the leading bits themselves
    values: Words  # (t, n) not permuted, in the order of the permuted
    positions: Ranks  # (t, n) where each value stood in the input
    starts: Ranks  # (t, 2**b + 1) the first value of each b leading bits
    present: Words  # (t, 2**m / 64) bitmap of the m leading bits that occur, m >= b


class Table(NamedTuple):
    """One of the tables, with the leading bits of all up to it."""

    masks: Words
    values: Words
    positions: Ranks
    starts: Ranks


@njit
def popcount(word: np.uint64) -> np.uint64:
    """Bits set in a word; the form that compilers turn into one instruction."""
    pairs = np.uint64(0x3333333333333333)
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & pairs) + ((word >> np.uint64(2)) & pairs)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@njit
def permute(values: Words, shifts: Words, widths: Words, permuted: Words) -> None:
    """Move the pieces (lowest bit, width) of each value together, highest first, into `permuted`."""
    one = np.uint64(1)
    permuted[: len(values)] = 0
    for piece in range(len(shifts)):
        shift, width = shifts[piece], widths[piece]
        if width == np.uint64(BITS):  # a shift by 64 is undefined
            permuted[: len(values)] = values
        else:
            mask = (one << width) - one
            for i in range(len(values)):
                permuted[i] = (permuted[i] << width) | ((values[i] >> shift) & mask)


@njit
def first_to_find(difference: np.uint64, masks: Words) -> bool:
    """Whether only the last table's leading bits are equal, not those of one before: a match counts once."""
    earlier = 0
    for mask in masks[:-1]:
        earlier += not difference & mask
    return not earlier and not difference & masks[-1]


@njit
def _survivors(keys: Words, drop: np.uint64, present: Words, passed: Positions) -> np.int64:
    count = np.int64(0)
    low = np.uint64(63)
    for i in range(len(keys)):  # without a branch, so that the cache misses overlap
        bit = keys[i] >> drop
        passed[count] = i
        count += np.int64((present[bit >> np.uint64(6)] >> (bit & low)) & np.uint64(1))
    return count


@njit
def _compare(table: Table, probes: Words, buckets: Words, distance: int, room: Positions) -> int:
    """Write (place among the probes, position in the input) of each match while there is room; count all."""
    count = 0
    for i in range(len(probes)):
        for rank in range(table.starts[buckets[i]], table.starts[buckets[i] + np.uint64(1)]):
            difference = table.values[rank] ^ probes[i]
            if popcount(difference) <= distance and first_to_find(difference, table.masks):
                if count < room.shape[1]:
                    room[0, count], room[1, count] = i, table.positions[rank]
                count += 1
    return count


@njit
def _find(tables: Tables, lead: Words, probes: Words, distance: int, found: Positions) -> int:
    keys, passed = np.empty(STEP, dtype=np.uint64), np.empty(STEP, dtype=np.int64)
    count = 0
    for start in range(0, len(probes), STEP):
        part = probes[start : start + STEP]
        for t in range(len(tables.masks)):
            table = Table(tables.masks[: t + 1], tables.values[t], tables.positions[t], tables.starts[t])
            permute(part, tables.shifts[t], tables.widths[t], keys)
            prefix = popcount(tables.masks[t])
            few = passed[: _survivors(keys[: len(part)], prefix - lead[1], tables.present[t], passed)]
            room = found[:, count:]
            more = _compare(table, part[few], keys[few] >> (prefix - lead[0]), distance, room)
            for i in range(min(more, room.shape[1])):
                room[0, i] = start + few[room[0, i]]
            count += more
    return count


class SortedTables:
    """All tables of a design over n fingerprints, in memory: 16 to 20 bytes a fingerprint and table."""

    def __init__(self, values: Words, layout: Design) -> None:
        self._lead = _lead_bits(len(values), layout.prefix)
        self._tables = _build(values, layout, *(int(bits) for bits in self._lead))

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in self._tables)

    def find(self, probes: Words, distance: int) -> Positions:
        """(2, matches) array: position of the probe, position of the stored fingerprint; in no order."""
        found = np.empty((2, len(probes) + 64), dtype=np.int64)
        count = _find(self._tables, self._lead, probes, distance, found)
        if count > found.shape[1]:
            found = np.empty((2, count), dtype=np.int64)
            _find(self._tables, self._lead, probes, distance, found)
        return found[:, :count]


def _lead_bits(count: int, prefix: int) -> Words:
    size = max(1, count - 1).bit_length()
    return np.array([min(prefix, size), min(prefix, size + SPARSITY)], dtype=np.uint64)


def pieces_of(layouts: Sequence[Layout], *, whole: bool) -> tuple[Words, Words]:
    """(t, pieces) lowest bits and widths of every layout, filled up with pieces of no width."""
    pieces = [table.pieces(whole=whole) for table in layouts]
    longest = max(map(len, pieces))
    filled = np.array([p + [(0, 0)] * (longest - len(p)) for p in pieces], dtype=np.uint64)
    return np.ascontiguousarray(filled[:, :, 0]), np.ascontiguousarray(filled[:, :, 1])


def _build(values: Words, layout: Design, bucket_bits: int, filter_bits: int) -> Tables:
    count, tables = len(values), len(layout.layouts)
    built = Tables(
        *pieces_of(layout.layouts, whole=False),
        np.array([table.mask for table in layout.layouts], dtype=np.uint64),
        np.empty((tables, count), dtype=np.uint64),
        np.empty((tables, count), dtype=np.uint32),
        np.zeros((tables, 2**bucket_bits + 1), dtype=np.uint32),
        np.zeros((tables, max(1, 2**filter_bits // BITS)), dtype=np.uint64),
    )
    permuted = np.empty_like(values)
    for t, (shifts, widths) in enumerate(zip(*pieces_of(layout.layouts, whole=True), strict=True)):
        permute(values, shifts, widths, permuted)
        order = np.argsort(permuted)
        built.values[t], built.positions[t] = values[order], order
        heads = permuted[order] >> np.uint64(BITS - filter_bits)
        _mark(heads, np.uint64(filter_bits - bucket_bits), built.present[t], built.starts[t])
    return built


@njit
def _mark(heads: Words, drop: np.uint64, present: Words, starts: Ranks) -> None:
    one, low = np.uint64(1), np.uint64(63)
    for head in heads:
        present[head >> np.uint64(6)] |= one << (head & low)
        starts[(head >> drop) + one] += np.uint32(1)
    for bucket in range(1, len(starts)):
        starts[bucket] += starts[bucket - 1]
