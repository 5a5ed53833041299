"""Positional fingerprints of one document (winnowing, sections 2.2 and 5.1)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.hashing import kgram_hashes
from fingerprint.params import ENGINE_VERSION
from fingerprint.winnowing import robust_winnow

if TYPE_CHECKING:
    from fingerprint.params import Params
    from fingerprint.types import Hashes, Kinds, Positions


class Fingerprints(NamedTuple):
    """Fingerprints of one document as parallel arrays, ordered by position.

    `hashes` uint64: hashes of the selected k-grams; `positions` int64: index of each k-gram's first token.
    """

    hashes: Hashes
    positions: Positions


def fingerprint(kinds: Kinds, params: Params) -> Fingerprints:
    """Return the fingerprints of a document, selected among its k-gram hashes by robust winnowing."""
    hashes = kgram_hashes(kinds, params.k)
    positions = robust_winnow(hashes, params.window)
    return Fingerprints(hashes[positions], positions)


MAGIC = b"MSK1"
HEADER = struct.Struct("<4sIQ")  # magic, engine version, number of values


def pack(values: Hashes, engine_version: int = ENGINE_VERSION) -> bytes:
    """Return a sketch or feature vector of n uint64 values as 16 + 8 n bytes: header, little-endian data."""
    return HEADER.pack(MAGIC, engine_version, len(values)) + values.astype("<u8").tobytes()


def unpack(data: bytes) -> Hashes:
    """Return the uint64 array that `pack` packed.

    Raises
    ------
    ValueError
        When the data is not a packed sketch, is of another engine version, or has the wrong length.
    """
    if len(data) < HEADER.size or data[: len(MAGIC)] != MAGIC:
        raise ValueError(f"not a packed sketch: {len(data)} bytes that do not start with {MAGIC!r}")
    _, version, count = HEADER.unpack_from(data)
    if version != ENGINE_VERSION:
        raise ValueError(f"sketch of engine version {version}; this engine reads version {ENGINE_VERSION}")
    if len(data) != HEADER.size + 8 * count:
        size = len(data) - HEADER.size
        raise ValueError(f"sketch of {count} values has {size} bytes of data; it should have {8 * count}")
    return np.frombuffer(data, dtype="<u8", offset=HEADER.size).astype(np.uint64)
