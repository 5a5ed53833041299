"""Work on pairs in chunks: every pair once, and none after a check or a signal ended the run."""

import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fingerprint.ranking import parallel
from fingerprint.ranking.cohort import Cohort

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


def test_an_exception_while_chunks_are_handed_out_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    # A signal may arrive at any time, also before the last chunk is in the queue.
    started = []

    def work(part: slice) -> None:
        started.append(part)
        time.sleep(0.01)

    def interrupted(*_: object) -> Iterator[slice]:
        yield from (slice(start, start + 1) for start in range(200))
        raise Ended

    monkeypatch.setattr(parallel, "chunks", interrupted)
    with pytest.raises(Ended):
        parallel.run_chunks(COHORT, pairs(200), work, parallel.never_end)
    assert len(started) < 200


SIGNALLED = """
import signal, time
import numpy as np
from fingerprint.ranking import parallel
from fingerprint.ranking.cohort import Cohort

class Ended(BaseException): pass

def end(*_): raise Ended

started = []
def work(part):
    started.append(part)
    time.sleep(0.05)

parallel.CHUNK_PAIRS = 4
cohort = Cohort.from_submissions([[np.arange(9, dtype=np.uint64)]] * 2, 3)
signal.signal(signal.SIGALRM, end)
signal.setitimer(signal.ITIMER_REAL, 0.5)
try:
    parallel.run_chunks(cohort, np.tile([[0, 1]], (40_000, 1)), work, parallel.never_end)
except Ended:
    print(len(started))
"""


def test_a_signal_ends_the_run_before_the_next_chunk() -> None:
    # In a process of its own: an exception from a signal handler may hit any code of the test runner.
    run = subprocess.run([sys.executable, "-c", SIGNALLED], capture_output=True, text=True, check=True)
    assert 0 < int(run.stdout) < 5_000
