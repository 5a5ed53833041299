"""Search for all stored fingerprints within a Hamming distance (simhash-web-crawling, section 3).

The tables can be compressed in blocks by Huffman codes (section 3.2).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fingerprint.kernels.registry import kernel, njit
from fingerprint.kernels.types import Bounds, Positions, Rows, WordRows, Words
from fingerprint.sketches.simhash import (
    EXAMPLE_3_1,
    MAX_FINGERPRINTS,
    TABLE_BITS,
    Design,
    SortedTables,
    is_first_match,
    layout_pieces,
    permute,
    popcount,
)

EQUAL = 64  # the symbol for "no bit differs"; the paper needs none, since its fingerprints are distinct

BLOCK_BYTES = 1024  # the paper's typical B
BLOCK_BITS = 8 * BLOCK_BYTES
BLOCK_WORDS = BLOCK_BYTES // 8

CHUNK = 8 << 20  # fingerprints; 64 MB, the paper's chunk


class PrefixCode(NamedTuple):
    """A canonical prefix code: codes of one length ascend with their symbols. All arrays are uint64."""

    lengths: Words  # by symbol: length of its code in bits; 0 for a symbol that does not occur
    codes: Words  # by symbol
    counts: Words  # by length: number of codes of that length
    symbols: Words  # in order of their codes


def huffman_code(frequencies: npt.NDArray[np.integer]) -> PrefixCode:
    """Return the prefix code of least total length for the symbols 0 .. len(frequencies) - 1."""
    lengths = _lengths([int(frequency) for frequency in frequencies])
    symbols = sorted((s for s, length in enumerate(lengths) if length), key=lambda s: (lengths[s], s))
    codes = [0] * len(lengths)
    code = length = 0
    for symbol in symbols:
        code <<= lengths[symbol] - length
        length = lengths[symbol]
        codes[symbol] = code
        code += 1
    columns = (lengths, codes, np.bincount([lengths[s] for s in symbols], minlength=1), symbols)
    return PrefixCode(*(np.array(column, dtype=np.uint64) for column in columns))


def _lengths(frequencies: list[int]) -> list[int]:
    lengths = [0] * len(frequencies)
    heap = [(frequency, s, [s]) for s, frequency in enumerate(frequencies) if frequency]
    for _, symbol, _ in heap[:1] if len(heap) == 1 else []:
        lengths[symbol] = 1  # even a single symbol needs a bit
    heapq.heapify(heap)
    while len(heap) > 1:
        least, _, left = heapq.heappop(heap)
        second_least, symbol, right = heapq.heappop(heap)
        for s in left + right:
            lengths[s] += 1
        heapq.heappush(heap, (least + second_least, symbol, left + right))
    return lengths


class Blocks(NamedTuple):
    """b blocks of n fingerprints in ascending order."""

    # (b, 128) first fingerprint, then code and low bits of each further one, highest bit first
    words: WordRows
    keys: Words  # (b,) last fingerprint of each block
    firsts: Bounds  # (b + 1,) rank of each block's first fingerprint, and n
    code: PrefixCode

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in (*self[:3], *self.code))


def compress(values: Words) -> Blocks:
    """Pack fingerprints into blocks of 1,024 bytes, as many as fit into each (steps 1 and 2).

    Each fingerprint but the first of a block is stored as the Huffman code of the highest bit in which it
    differs from the previous fingerprint, followed by its bits below that bit. A fingerprint equal to the
    previous fingerprint has a code of its own and no further bits.

    values : uint64 array in ascending order

    Raises ValueError when `values` is not a uint64 array in ascending order.
    """
    if values.dtype != np.uint64 or values.ndim != 1 or np.any(values[1:] < values[:-1]):
        raise ValueError(f"{values.ndim}-dimensional {values.dtype} values are given; ascending uint64 is needed")
    heads = np.empty(len(values), dtype=np.uint8)
    _differing_bits(values, heads)
    code = huffman_code(np.bincount(heads[1:], minlength=EQUAL + 1))
    firsts = np.empty(len(values) + 1, dtype=np.int64)
    blocks = _divide(heads, code.lengths, firsts)
    firsts = np.append(firsts[:blocks], len(values))
    words = np.zeros((blocks, BLOCK_WORDS), dtype=np.uint64)
    _write(values, heads, firsts, code, words)
    return Blocks(words, values[firsts[1:] - 1] if blocks else values, firsts, code)


def decompress(blocks: Blocks) -> Words:
    """Return all fingerprints of the blocks in ascending order (uint64, n)."""
    values = np.empty(blocks.firsts[-1], dtype=np.uint64)
    for block in range(len(blocks.keys)):
        _read(blocks, block, values[blocks.firsts[block] : blocks.firsts[block + 1]])
    return values


@kernel
def _differing_bits(values: Words, heads: npt.NDArray[np.uint8]) -> None:
    """Write the highest bit in which each value differs from the one before; EQUAL where none does."""
    one = np.uint64(1)
    for i in range(1, len(values)):
        spread = values[i] ^ values[i - 1]
        for shift in (1, 2, 4, 8, 16, 32):
            spread |= spread >> np.uint64(shift)
        heads[i] = (popcount(spread) - one) if spread else np.uint64(EQUAL)


@kernel
def _divide(heads: npt.NDArray[np.uint8], lengths: Words, firsts: npt.NDArray[np.int64]) -> int:
    """Write the rank of each block's first fingerprint to `firsts`; return the number of blocks."""
    blocks = 0
    used = np.int64(BLOCK_BITS)
    for i in range(len(heads)):
        head = heads[i]
        needed = np.int64(lengths[head]) + (head if head < EQUAL else 0) if i else 0
        if i == 0 or used + needed > BLOCK_BITS:
            firsts[blocks] = i
            blocks += 1
            used = np.int64(TABLE_BITS)
        else:
            used += needed
    return blocks


@njit
def _write_bits(words: Words, at: np.int64, bits: np.uint64, width: np.int64) -> None:
    word, free = at >> 6, 64 - (at & 63)
    if width <= free:
        words[word] |= bits << np.uint64(free - width)
    else:
        words[word] |= bits >> np.uint64(width - free)
        words[word + 1] |= bits << np.uint64(64 - (width - free))


@kernel
def _write(
    values: Words, heads: npt.NDArray[np.uint8], firsts: npt.NDArray[np.int64], code: PrefixCode, words: WordRows
) -> None:
    one = np.uint64(1)
    for block in range(len(words)):
        words[block, 0] = values[firsts[block]]
        at = np.int64(TABLE_BITS)
        for i in range(firsts[block] + 1, firsts[block + 1]):
            head = heads[i]
            _write_bits(words[block], at, code.codes[head], np.int64(code.lengths[head]))
            at += np.int64(code.lengths[head])
            if 0 < head < EQUAL:
                _write_bits(words[block], at, values[i] & ((one << np.uint64(head)) - one), np.int64(head))
                at += np.int64(head)


@njit
def _bits_from(words: Words, at: np.int64) -> np.uint64:
    """Return the 64 bits from bit `at` on; bits beyond the block are 0."""
    word, used = at >> 6, np.uint64(at & 63)
    bits = words[word] << used if word < len(words) else np.uint64(0)
    if used and word + 1 < len(words):
        bits |= words[word + 1] >> (np.uint64(64) - used)
    return bits


@njit
def _symbol(bits: np.uint64, code: PrefixCode) -> np.int64:
    """Return the symbol whose canonical code `bits` begins with."""
    first = index = np.uint64(0)
    for length in range(1, len(code.counts)):
        offset = (bits >> np.uint64(64 - length)) - first
        if offset < code.counts[length]:
            return np.int64(code.symbols[index + offset])
        index += code.counts[length]
        first = (first + code.counts[length]) << np.uint64(1)
    return np.int64(-1)  # no such code: the words are not from _write


@kernel
def _read(blocks: Blocks, block: int, values: Words) -> None:
    """Decode a block into `values`, which has the length of the block."""
    words, one = blocks.words[block], np.uint64(1)
    values[0] = words[0]
    at = np.int64(TABLE_BITS)
    for i in range(1, len(values)):
        head = _symbol(_bits_from(words, at), blocks.code)
        at += np.int64(blocks.code.lengths[head])
        values[i] = values[i - 1]
        if head < EQUAL:
            bit = one << np.uint64(head)
            tail = _bits_from(words, at) >> np.uint64(64 - head) if head else np.uint64(0)
            values[i] = ((values[i] | bit) & ~(bit - one)) | tail
            at += head


@njit
def _select_matches(values: Words, before: np.uint64, probe: np.uint64, mask: np.uint64, distance: int) -> int:
    """Move the distinct fingerprints that match to the front of `values`; return their number.

    `before` is the last fingerprint of the block before.
    """
    count = 0
    for i in range(len(values)):
        difference = values[i] ^ probe
        if not difference & mask and popcount(difference) <= distance and values[i] != before:
            values[count] = values[i]
            count += 1
        before = values[i]
    return count


@kernel
def _find(blocks: Blocks, probes: Words, masks: Words, distance: int, matches: WordRows) -> int:
    """Write (index of the probe, permuted fingerprint) of each match that no earlier table finds.

    Writes matches while they fit, and returns the number of all matches. `masks` are the masks of the tables
    up to this table, permuted as this table.
    """
    values = np.empty(BLOCK_BITS, dtype=np.uint64)
    count = 0
    for i in range(len(probes)):
        low = probes[i] & masks[-1]
        first = np.searchsorted(blocks.keys, low)
        last = np.searchsorted(blocks.keys, low | ~masks[-1])
        for block in range(first, min(last + 1, len(blocks.keys))):
            size = blocks.firsts[block + 1] - blocks.firsts[block]
            _read(blocks, block, values[:size])
            before = blocks.keys[block - 1] if block else ~values[0]
            for match in values[: _select_matches(values[:size], before, probes[i], masks[-1], distance)]:
                if is_first_match(match ^ probes[i], masks):
                    if count < matches.shape[1]:
                        matches[0, count], matches[1, count] = i, match
                    count += 1
    return count


@kernel
def _rank(blocks: Blocks, fingerprints: Words, ranks: Positions) -> None:
    """Write the number of stored fingerprints below each of `fingerprints`."""
    values = np.empty(BLOCK_BITS, dtype=np.uint64)
    for i in range(len(fingerprints)):
        block = np.searchsorted(blocks.keys, fingerprints[i])
        ranks[i] = blocks.firsts[block]
        if block < len(blocks.keys):
            size = blocks.firsts[block + 1] - blocks.firsts[block]
            _read(blocks, block, values[:size])
            ranks[i] += np.searchsorted(values[:size], fingerprints[i])


class BlockTables:
    """All tables of a design for n fingerprints, as blocks; positions are stored only for the first table."""

    def __init__(self, values: Words, design: Design) -> None:
        self._shifts, self._widths = layout_pieces(design.layouts, whole=True)
        self._inverse = layout_pieces([layout.inverse for layout in design.layouts], whole=True)
        masks = np.array([layout.mask for layout in design.layouts], dtype=np.uint64)
        self._masks = [self._permuted(masks[: t + 1], t) for t in range(len(masks))]
        self._blocks = [compress(np.sort(self._permuted(values, t))) for t in range(len(masks))]
        self._positions = np.argsort(values).astype(np.uint32)  # the first table keeps the order of the bits

    @property
    def nbytes(self) -> int:
        return sum(blocks.nbytes for blocks in self._blocks) + self._positions.nbytes

    def find(self, probes: Words, distance: int) -> Rows:
        """Return (2, matches) int64: positions of the probes and of the stored fingerprints, in no order."""
        matches = np.concatenate([self._find(probes, t, distance) for t in range(len(self._blocks))], axis=1)
        first, end = self._ranks(matches[1]), self._ranks(matches[1] + np.uint64(1))
        end[matches[1] == ~np.uint64(0)] = len(self._positions)  # where adding 1 overflowed to 0
        repeats = end - first
        ranks = np.arange(repeats.sum()) + np.repeat(end - np.cumsum(repeats), repeats)
        return np.array([np.repeat(matches[0].astype(np.int64), repeats), self._positions[ranks]], dtype=np.int64)

    def _permuted(self, values: Words, t: int) -> Words:
        permuted = np.empty_like(values)
        permute(values, self._shifts[t], self._widths[t], permuted)
        return permuted

    def _find(self, probes: Words, t: int, distance: int) -> WordRows:
        """Return (2, matches) uint64: positions of the probes, and the matching unpermuted fingerprints."""
        permuted = self._permuted(probes, t)
        matches = np.empty((2, len(probes) + 64), dtype=np.uint64)
        count = _find(self._blocks[t], permuted, self._masks[t], distance, matches)
        if count > matches.shape[1]:
            matches = np.empty((2, count), dtype=np.uint64)
            _find(self._blocks[t], permuted, self._masks[t], distance, matches)
        matches = matches[:, :count]
        permute(matches[1].copy(), self._inverse[0][t], self._inverse[1][t], matches[1])
        return matches

    def _ranks(self, values: Words) -> Positions:
        """Return the number of stored fingerprints below each value."""
        ranks = np.empty(len(values), dtype=np.int64)
        _rank(self._blocks[0], values, ranks)
        return ranks


class Matches(NamedTuple):
    """Three int64 arrays of equal length, sorted by `query`, then `stored`."""

    query: Positions  # position among the query fingerprints
    stored: Positions  # position among the stored fingerprints
    distance: Positions  # bits in which the two differ


class HammingIndex:
    """Finds the stored fingerprints that differ from a query fingerprint in few bits: the online mode.

    values : uint64 array of n fingerprints, n below 2**32; duplicates stay separate
    tables : 4, 10, 16 or 20 for the designs of Example 3.1, which cover distance 3; or another `design(...)`.
        More tables take more memory and compare fewer fingerprints.
    compressed : store the tables as Huffman-coded blocks (section 3.2)

    Raises ValueError when `values` is not such an array or `tables` is another number.
    """

    def __init__(self, values: Words, *, tables: int | Design = 10, compressed: bool = False) -> None:
        _check_uint64(values, "values")
        if len(values) > MAX_FINGERPRINTS:
            raise ValueError(f"{len(values)} fingerprints are given; an index holds {MAX_FINGERPRINTS} at most")
        self.design = tables if isinstance(tables, Design) else _example_design(tables)
        self._values = values
        tables_class = BlockTables if compressed else SortedTables
        self._tables = tables_class(np.ascontiguousarray(values), self.design)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def nbytes(self) -> int:
        """Bytes of the tables, without the array of fingerprints."""
        return self._tables.nbytes

    def query(self, fingerprints: Words, distance: int = 3) -> Matches:
        """Find every stored fingerprint that differs from a query fingerprint in at most `distance` bits.

        `fingerprints` is a uint64 array of queries; `distance` is from 0 to `design.distance`. Raises
        ValueError when `fingerprints` is not a uint64 array or the tables do not cover `distance`.
        """
        _check_uint64(fingerprints, "fingerprints")
        if not 0 <= distance <= self.design.distance:
            raise ValueError(
                f"distance is {distance}; these {len(self.design.layouts)} tables cover 0 to "
                f"{self.design.distance} bits (see design)"
            )
        query, stored = self._tables.find(np.ascontiguousarray(fingerprints), distance)
        return _sorted(query, stored, np.bitwise_count(fingerprints[query] ^ self._values[stored]))


def batch_query(
    fingerprints: Words, stored: Words | Path, distance: int = 3, *, tables: int | Design = 10, chunk: int = CHUNK
) -> Matches:
    """Answer many queries with one scan of the stored fingerprints: the batch mode (section 3.3).

    The tables are built on the queries, of which there are far fewer.

    fingerprints : uint64 array of queries
    stored : uint64 array, or a `.npy` file of one, which is mapped into memory and read a chunk at a time
    distance, tables : as for `HammingIndex`
    chunk : stored fingerprints read at a time, at least 1

    Raises ValueError as `HammingIndex` and its `query`, or when `chunk` is below 1.
    """
    if chunk < 1:
        raise ValueError(f"chunk is {chunk}; at least 1 fingerprint is read at a time")
    index = HammingIndex(fingerprints, tables=tables)
    values: Words = np.load(stored, mmap_mode="r") if isinstance(stored, Path) else stored
    _check_uint64(values, "stored")
    parts = [
        Matches(matches.stored, matches.query + start, matches.distance)
        for start, part in _chunks(values, chunk)
        for matches in [index.query(part, distance)]
    ]
    empty = np.empty(0, dtype=np.int64)
    columns = [np.concatenate([empty, *column]) for column in zip(*parts, strict=True)] or [empty] * 3
    return _sorted(*columns)


def _chunks(values: Words, size: int) -> Iterator[tuple[int, Words]]:
    for start in range(0, len(values), size):
        yield start, np.array(values[start : start + size])


def _sorted(query: Positions, stored: Positions, distance: npt.NDArray[np.integer]) -> Matches:
    order = np.lexsort((stored, query))
    return Matches(query[order], stored[order], distance[order].astype(np.int64))


def _example_design(tables: int) -> Design:
    if tables not in EXAMPLE_3_1:
        allowed = ", ".join(map(str, EXAMPLE_3_1))
        raise ValueError(f"{tables} tables are asked for; {allowed} or a design(...) are allowed")
    return EXAMPLE_3_1[tables]


def _check_uint64(values: Words, name: str) -> None:
    if values.dtype != np.uint64 or values.ndim != 1:
        raise ValueError(f"{name} is a {values.ndim}-dimensional {values.dtype} array; 1 dimension of uint64 is needed")
