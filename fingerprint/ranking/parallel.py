"""Run a kernel over the pairs of a cohort on all cores, in chunks between which the run can be ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from fingerprint.kernels import usable_cores
from fingerprint.kernels.types import Rows

if TYPE_CHECKING:
    from fingerprint.ranking.cohort import Cohort

Check = Callable[[], None]

# A chunk has at most so many pairs, and so many tokens unless it has one pair: a few tenths of a second of
# work. Pairs with the same left side are adjacent, and a chunk sets it up only once.
CHUNK_PAIRS, CHUNK_TOKENS = 2048, 1 << 23


def never_end() -> None:
    """Do nothing: the check of a run that nothing ends."""


def chunks(cohort: Cohort, pairs: Rows) -> Iterator[slice]:
    """Yield consecutive slices of pairs (int64 [n, 2])."""
    tokens = np.diff(cohort.submission_starts)[pairs].sum(axis=1).cumsum()
    start = 0
    while start < len(pairs):
        before = tokens[start - 1] if start else 0
        end = int(np.searchsorted(tokens, before + CHUNK_TOKENS, side="right"))
        end = min(max(end, start + 1), start + CHUNK_PAIRS)
        yield slice(start, end)
        start = end


def run_chunks(cohort: Cohort, pairs: Rows, work: Callable[[slice], None], check: Check) -> None:
    """Call `work` with slices of the pairs, see `run_parts`."""
    run_parts(chunks(cohort, pairs), work, check)


def run_parts(parts: Iterable[slice], work: Callable[[slice], None], check: Check) -> None:
    """Call `work` with each part, on all cores.

    `check` is called in the calling thread after every part. When it raises, or a signal handler does, no
    further part begins, and the exception is raised as soon as the running ones end.
    """
    with ThreadPoolExecutor(usable_cores()) as pool:
        try:
            for future in [pool.submit(work, part) for part in parts]:
                future.result()
                check()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
