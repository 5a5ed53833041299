"""How alike two submissions are: what their passages cover, and one number to rank by."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint._jit import njit
from fingerprint.alignment import tiles_of
from fingerprint.cohort import slice_side

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.alignment import Flags, Side
    from fingerprint.cohort import Bounds, Cohort
    from fingerprint.index import Candidates

    Floats = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int64]

# The smaller side decides, so that a copy inside something larger is found; the larger side keeps a say,
# so that a tiny document does not match everything.
SMALLER = 0.9


class Scores(NamedTuple):
    """Parallel arrays of n pairs; see `score`."""

    similarity: Floats
    left_share: Floats
    right_share: Floats
    tokens: Rows
    longest: Rows

    def take(self, rows: npt.NDArray[np.integer]) -> Scores:
        return Scores(
            self.similarity[rows],
            self.left_share[rows],
            self.right_share[rows],
            self.tokens[rows],
            self.longest[rows],
        )


@njit
def _counted(ignored: Flags, start: int, length: int) -> int:
    return length - int(ignored[start : start + length].sum())


@njit
def _cover(side: Side, bounds: tuple[Bounds, Bounds], pairs: Rows, k: int, covered: Rows) -> None:
    """Fill rows (left tokens, right tokens, tokens of the longest passage), ignored ones left out."""
    for row in range(len(pairs)):
        left = slice_side(side, bounds[0], bounds[1], pairs[row, 0])
        right = slice_side(side, bounds[0], bounds[1], pairs[row, 1])
        for a, b, length in tiles_of(left, right, k):
            on_left = _counted(left.ignored, a, length)
            covered[row, 0] += on_left
            covered[row, 1] += _counted(right.ignored, b, length)
            covered[row, 2] = max(covered[row, 2], on_left)


def countable(cohort: Cohort) -> Rows:
    """Tokens of each submission that count: all but the ignored and the separators (int64 [n])."""
    counts = ~cohort.side.ignored
    counts[cohort.files[1:] - 1] = False
    sums = np.concatenate(([0], np.cumsum(counts)))
    totals: Rows = sums[cohort.bounds[1:]] - sums[cohort.bounds[:-1]]
    return totals


def score(cohort: Cohort, candidates: Candidates) -> Scores:
    """Score every candidate pair on all cores.

    Returns
    -------
    `similarity` in [0, 1], to rank by; `left_share`, `right_share` in [0, 1]: the part of a side's
    countable tokens that lies in passages; `tokens`: tokens in passages, on the side that has more;
    `longest`: tokens in the longest passage. Ignored tokens count nowhere.
    """
    pairs = np.stack((candidates.left, candidates.right), axis=1).astype(np.int64)
    covered = np.zeros((len(pairs), 3), dtype=np.int64)
    bounds = (cohort.bounds, cohort.held)
    chunks = range(0, len(pairs), 256)
    with ThreadPoolExecutor(cpu_count()) as pool:
        list(
            pool.map(
                lambda at: _cover(
                    cohort.side, bounds, pairs[at : at + 256], cohort.k, covered[at : at + 256]
                ),
                chunks,
            )
        )
    totals = countable(cohort)[pairs]
    shares = covered[:, :2] / np.maximum(totals, 1)
    base = SMALLER * totals.min(axis=1) + (1 - SMALLER) * totals.max(axis=1)
    similarity = np.minimum(1.0, covered[:, :2].max(axis=1) / np.maximum(base, 1))
    return Scores(similarity, shares[:, 0], shares[:, 1], covered[:, :2].max(axis=1), covered[:, 2])
