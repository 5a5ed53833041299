"""Work on pairs in chunks: every pair once, and none after a check or a signal ended the run."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint.ranking import parallel
from fingerprint.ranking.cohort import Cohort

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = [1, 5, 40, 3]
COHORT = Cohort.from_submissions([[np.arange(size, dtype=np.uint64)] for size in SIZES], 3)


class Ended(Exception):
    pass


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "CHUNK_PAIRS", 4)
    monkeypatch.setattr(parallel, "CHUNK_TOKENS", 50)


def pairs(count: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    return np.tile(np.array([[0, 1]], dtype=np.int64), (count, 1))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=30))
def test_chunks_hold_every_pair_once_and_few_tokens(rows: list[tuple[int, int]]) -> None:
    array = np.array(rows, dtype=np.int64).reshape(-1, 2)
    parts = [rows[part] for part in parallel.chunks(COHORT, array)]
    assert [pair for part in parts for pair in part] == rows
    sizes = np.diff(COHORT.submission_starts)
    for part in parts:
        assert len(part) == 1 or sizes[np.array(part)].sum() <= 50
        assert len(part) <= 4


def test_no_chunk_begins_after_the_check_ended_the_run() -> None:
    started: list[slice] = []

    def work(part: slice) -> None:
        started.append(part)
        time.sleep(0.02)

    def check() -> None:
        raise Ended

    with pytest.raises(Ended):
        parallel.run_chunks(COHORT, pairs(400), work, check)
    assert 0 < len(started) < 100


def test_an_error_in_a_chunk_is_raised() -> None:
    def work(_part: slice) -> None:
        raise Ended

    with pytest.raises(Ended):
        parallel.run_chunks(COHORT, pairs(400), work, parallel.never_end)


@pytest.fixture
def alarm() -> Iterator[None]:
    def end(_signal: int, _frame: object) -> None:
        raise Ended

    previous = signal.signal(signal.SIGALRM, end)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, previous)


def test_a_signal_ends_the_run_before_the_next_chunk(alarm: None) -> None:
    started: list[slice] = []

    def work(part: slice) -> None:
        started.append(part)
        time.sleep(0.05)

    signal.setitimer(signal.ITIMER_REAL, 0.2)
    with pytest.raises(Ended):
        parallel.run_chunks(COHORT, pairs(4_000), work, parallel.never_end)
    assert len(started) < 500
