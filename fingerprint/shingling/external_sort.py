"""Divide, sort, merge: more records than memory holds, in order (syntactic-clustering, "Algorithms")."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from fingerprint.types import Words


LEAST_BUDGET = 4096
RECORD_BYTES = 16
WORKING_COPIES = 4  # a merge holds the records, their order, and both once more while they are moved
FAN_IN = 64


class Records(NamedTuple):
    """n records, ordered by `keys` (uint64); `payloads` (uint64) belong to them."""

    keys: Words
    payloads: Words

    @classmethod
    def joined(cls, parts: list[Records]) -> Records:
        """All records of the parts, in order of their keys; of equal keys in the order of the parts."""
        keys = np.concatenate([part.keys for part in parts])
        order = np.argsort(keys, kind="stable")
        return cls(keys[order], np.concatenate([part.payloads for part in parts])[order])

    def cut(self, start: int, end: int | None = None) -> Records:
        return Records(self.keys[start:end], self.payloads[start:end])


class Runs:
    """Sorted runs of records within a memory budget in bytes; beyond it they lie in a temporary folder.

    Raises
    ------
    ValueError
        When the budget is under 4,096 bytes.
    """

    def __init__(self, budget: int, folder: Path | None = None) -> None:
        if budget < LEAST_BUDGET:
            raise ValueError(f"the budget is {budget} bytes; {LEAST_BUDGET} are the least")
        self.capacity = budget // (RECORD_BYTES * WORKING_COPIES)
        self.spilled = 0
        self._folder = tempfile.TemporaryDirectory(prefix="fingerprint-", dir=folder)
        self._runs: list[Records] = []
        self._held = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._runs.clear()
        self._folder.cleanup()

    def add(self, run: Records) -> None:
        """Keep a run that is in order of its keys."""
        if not len(run.keys):
            return
        if self._held + len(run.keys) > self.capacity:
            run = self._spill([run])
        else:
            self._held += len(run.keys)
        self._runs.append(run)

    def merged(self) -> Iterator[Records]:
        """All records by ascending key, piece by piece, those of one key in one piece and in no order."""
        while len(self._runs) > FAN_IN:
            self._runs = [
                self._spill(_merge(self._runs[i : i + FAN_IN], self.capacity))
                for i in range(0, len(self._runs), FAN_IN)
            ]
        yield from _whole_keys(_merge(self._runs, self.capacity))

    def _spill(self, pieces: list[Records] | Iterator[Records]) -> Records:
        self.spilled += 1
        paths = [Path(self._folder.name, f"{self.spilled}.{column}") for column in Records._fields]
        with paths[0].open("wb") as keys, paths[1].open("wb") as payloads:
            for piece in pieces:
                piece.keys.tofile(keys)
                piece.payloads.tofile(payloads)
        return Records(*(np.memmap(path, dtype=np.uint64, mode="r") for path in paths))


def _merge(runs: list[Records], capacity: int) -> Iterator[Records]:
    runs = list(runs)
    while runs:
        size = max(1, capacity // len(runs))
        heads = [run.keys[min(size, len(run.keys)) - 1] for run in runs if len(run.keys) > size]
        limit = min(heads) if heads else None  # beyond it a run may hold records that were not looked at
        ends = [_end(run.keys[:size], limit) for run in runs]
        yield Records.joined([run.cut(0, end) for run, end in zip(runs, ends, strict=True)])
        runs = [run.cut(end) for run, end in zip(runs, ends, strict=True) if end < len(run.keys)]


def _end(keys: Words, limit: np.uint64 | None) -> int:
    return len(keys) if limit is None else int(np.searchsorted(keys, limit, side="right"))


def _whole_keys(pieces: Iterator[Records]) -> Iterator[Records]:
    kept: list[Records] = []
    for piece in pieces:
        last = int(np.searchsorted(piece.keys, piece.keys[-1]))
        if kept and piece.keys[0] != kept[0].keys[0]:
            yield Records.joined(kept)
            kept = []
        if last:
            yield Records.joined([*kept, piece.cut(0, last)])
            kept = []
        kept.append(piece.cut(last))
    if kept:
        yield Records.joined(kept)
