"""The results of shards as bytes, which is how they get from one worker to another."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from fingerprint import engine

if TYPE_CHECKING:
    from collections.abc import Iterable

# How pairs and lengths, scores, and their counts are stored.
NUMBERS, FLOATS, WHOLE = np.dtype("<i4"), np.dtype("<f8"), np.dtype("<i8")
WHOLE_COLUMNS = frozenset({"tokens", "longest", "lines"})


def pack_scores(scores: engine.Scores) -> bytes:
    """Return the columns of scores one after the other, in eight bytes a number."""
    columns = zip(scores._fields, scores, strict=True)
    return b"".join(
        column.astype(WHOLE if name in WHOLE_COLUMNS else FLOATS).tobytes() for name, column in columns
    )


def unpack_scores(packed: bytes) -> engine.Scores:
    """Return what `pack_scores` packed."""
    names = engine.Scores._fields
    rows = np.frombuffer(packed, dtype=np.uint8).reshape(len(names), -1)
    columns: Any = (
        row.view(WHOLE if name in WHOLE_COLUMNS else FLOATS).copy()
        for name, row in zip(names, rows, strict=True)
    )
    return engine.Scores(*columns)


def pack_parts(parts: Iterable[bytes]) -> bytes:
    """Return how many parts there are, the length of each, and then these; as for the passages of pairs."""
    parts = list(parts)
    lengths = np.array([len(parts), *map(len, parts)], dtype=NUMBERS)
    return b"".join([lengths.tobytes(), *parts])


def unpack_parts(packed: bytes) -> list[bytes]:
    """Return what `pack_parts` packed."""
    count = int(np.frombuffer(packed, NUMBERS, 1)[0])
    lengths = np.frombuffer(packed, NUMBERS, count, NUMBERS.itemsize)
    ends = (1 + count) * NUMBERS.itemsize + np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    return [packed[start:end] for start, end in pairwise(ends.tolist())]
