"""Divide, sort, merge: sort more records than fit in memory (syntactic-clustering, "Algorithms")."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from fingerprint.kernels.types import Words


MIN_BUDGET = 4096
RECORD_BYTES = 16
WORKING_COPIES = 4  # a merge needs the records, their order, and copies of both
FAN_IN = 64  # runs that are merged at a time


class Records(NamedTuple):
    """n records as two uint64 arrays, in order of `keys`; each record has a key and a payload."""

    keys: Words
    payloads: Words

    @classmethod
    def merge(cls, parts: list[Records]) -> Records:
        """Return all records of the parts in order of their keys; equal keys in the order of the parts."""
        keys = np.concatenate([part.keys for part in parts])
        order = np.argsort(keys, kind="stable")
        return cls(keys[order], np.concatenate([part.payloads for part in parts])[order])

    def slice(self, start: int, end: int | None = None) -> Records:
        """Return the records from `start` to `end` (exclusive)."""
        return Records(self.keys[start:end], self.payloads[start:end])


class Runs:
    """Sorted runs of records, in memory within a budget in bytes; further runs are in a temporary folder.

    `capacity` is the number of records that fit in memory; `spilled` counts the runs written to disk. Raises
    ValueError when the budget is under 4,096 bytes.
    """

    def __init__(self, budget: int, folder: Path | None = None) -> None:
        if budget < MIN_BUDGET:
            raise ValueError(f"the budget is {budget} bytes; {MIN_BUDGET} are the least")
        self.capacity = budget // (RECORD_BYTES * WORKING_COPIES)
        self.spilled = 0
        self._folder = tempfile.TemporaryDirectory(prefix="fingerprint-", dir=folder)
        self._runs: list[Records] = []
        self._records_in_memory = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._runs.clear()
        self._folder.cleanup()

    def add(self, run: Records) -> None:
        """Add a run, which must be in order of its keys."""
        if not len(run.keys):
            return
        if self._records_in_memory + len(run.keys) > self.capacity:
            run = self._spill([run])
        else:
            self._records_in_memory += len(run.keys)
        self._runs.append(run)

    def merged(self) -> Iterator[Records]:
        """Yield all records in pieces, by ascending key; a key's records are in one piece, in any order."""
        while len(self._runs) > FAN_IN:
            self._runs = [
                self._spill(_merge(self._runs[i : i + FAN_IN], self.capacity))
                for i in range(0, len(self._runs), FAN_IN)
            ]
        yield from _whole_keys(_merge(self._runs, self.capacity))

    def _spill(self, pieces: list[Records] | Iterator[Records]) -> Records:
        """Write the pieces to disk as one run; return it, mapped from its files."""
        self.spilled += 1
        paths = [Path(self._folder.name, f"{self.spilled}.{column}") for column in Records._fields]
        with paths[0].open("wb") as keys, paths[1].open("wb") as payloads:
            for piece in pieces:
                # `tofile` would not say that the disk is full.
                keys.write(np.ascontiguousarray(piece.keys).data)
                payloads.write(np.ascontiguousarray(piece.payloads).data)
        return Records(*(np.memmap(path, dtype=np.uint64, mode="r") for path in paths))


def _merge(runs: list[Records], capacity: int) -> Iterator[Records]:
    runs = list(runs)
    while runs:
        size = max(1, capacity // len(runs))
        heads = [run.keys[min(size, len(run.keys)) - 1] for run in runs if len(run.keys) > size]
        limit = min(heads) if heads else None  # above this key, runs may have records that are not read yet
        ends = [_end(run.keys[:size], limit) for run in runs]
        yield Records.merge([run.slice(0, end) for run, end in zip(runs, ends, strict=True)])
        runs = [run.slice(end) for run, end in zip(runs, ends, strict=True) if end < len(run.keys)]


def _end(keys: Words, limit: np.uint64 | None) -> int:
    return len(keys) if limit is None else int(np.searchsorted(keys, limit, side="right"))


def _whole_keys(pieces: Iterator[Records]) -> Iterator[Records]:
    """Regroup sorted pieces so that all records of one key are in one piece."""
    pending: list[Records] = []  # records of the last key, which the next piece may continue
    for piece in pieces:
        last = int(np.searchsorted(piece.keys, piece.keys[-1]))
        if pending and piece.keys[0] != pending[0].keys[0]:
            yield Records.merge(pending)
            pending = []
        if last:
            yield Records.merge([*pending, piece.slice(0, last)])
            pending = []
        pending.append(piece.slice(last))
    if pending:
        yield Records.merge(pending)
