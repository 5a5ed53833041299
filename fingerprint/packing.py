"""Sketches as bytes with the engine version, so that only sketches of the same version are compared."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

from fingerprint.params import ENGINE_VERSION

if TYPE_CHECKING:
    from fingerprint.types import Hashes

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
