"""Sketches as bytes that name the engine version, so that only equals are ever compared."""

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
    """Write a sketch or feature vector of n uint64 values: 16 bytes of header, then 8 little-endian each."""
    return HEADER.pack(MAGIC, engine_version, len(values)) + values.astype("<u8").tobytes()


def unpack(data: bytes) -> Hashes:
    """Read what `pack` wrote: a uint64 array.

    Raises
    ------
    ValueError
        When the data is of another engine version, cut off, too long or no packed sketch at all.
    """
    if len(data) < HEADER.size or data[: len(MAGIC)] != MAGIC:
        raise ValueError(f"not a packed sketch: {len(data)} bytes that do not start with {MAGIC!r}")
    _, version, count = HEADER.unpack_from(data)
    if version != ENGINE_VERSION:
        raise ValueError(f"sketch of engine version {version}; this engine reads version {ENGINE_VERSION}")
    if len(data) != HEADER.size + 8 * count:
        held = len(data) - HEADER.size
        raise ValueError(f"sketch of {count} values has {held} bytes of them; it should have {8 * count}")
    return np.frombuffer(data, dtype="<u8", offset=HEADER.size).astype(np.uint64)
