"""Search for all stored fingerprints within a Hamming distance (simhash-web-crawling, section 3)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.simhash.blocks import BlockTables
from fingerprint.simhash.designs import EXAMPLE_3_1, Design
from fingerprint.simhash.tables import MAX_FINGERPRINTS, SortedTables

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from fingerprint.types import Positions, Words


CHUNK = 8 << 20  # fingerprints; 64 MB, the paper's chunk


class Matches(NamedTuple):
    """Three int64 arrays of equal length, sorted by `query`, then `stored`."""

    query: Positions  # position among the query fingerprints
    stored: Positions  # position among the stored fingerprints
    distance: Positions  # bits in which the two differ


class HammingIndex:
    """Finds the stored fingerprints that differ from a query fingerprint in few bits: the online mode.

    Parameters
    ----------
    values : uint64 array of n fingerprints, n below 2**32; duplicates stay separate
    tables : 4, 10, 16 or 20 for the designs of Example 3.1, which cover distance 3; or another `design(...)`.
        More tables take more memory and compare fewer fingerprints.
    compressed : store the tables as Huffman-coded blocks (section 3.2)

    Raises
    ------
    ValueError
        When `values` is not such an array or `tables` is another number.
    """

    def __init__(self, values: Words, *, tables: int | Design = 10, compressed: bool = False) -> None:
        _check_uint64(values, "values")
        if len(values) > MAX_FINGERPRINTS:
            raise ValueError(
                f"{len(values)} fingerprints are given; an index holds {MAX_FINGERPRINTS} at most"
            )
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

        `fingerprints` is a uint64 array of queries; `distance` is from 0 to `design.distance`.

        Raises
        ------
        ValueError
            When `fingerprints` is not a uint64 array or the tables do not cover `distance`.
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
    fingerprints: Words,
    stored: Words | Path,
    distance: int = 3,
    *,
    tables: int | Design = 10,
    chunk: int = CHUNK,
) -> Matches:
    """Answer many queries with one scan of the stored fingerprints: the batch mode (section 3.3).

    The tables are built on the queries, of which there are far fewer.

    Parameters
    ----------
    fingerprints : uint64 array of queries
    stored : uint64 array, or a `.npy` file of one, which is mapped into memory and read a chunk at a time
    distance, tables : as for `HammingIndex`
    chunk : stored fingerprints read at a time, at least 1

    Raises
    ------
    ValueError
        As `HammingIndex` and its `query`, or when `chunk` is below 1.
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
        raise ValueError(
            f"{name} is a {values.ndim}-dimensional {values.dtype} array; 1 dimension of uint64 is needed"
        )
