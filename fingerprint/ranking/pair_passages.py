"""The passages of many pairs of submissions, as arrays: a pair of projects has hundreds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.kernels.registry import kernel, njit
from fingerprint.ranking.alignment import slice_submission
from fingerprint.ranking.parallel import never_end, run_chunks
from fingerprint.ranking.passages import Passage, as_passages
from fingerprint.ranking.tiling import tile_pair, trim_tiles
from fingerprint.ranking.workspace import change_left, cohort_workspace

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.ranking.alignment import CohortTokens
    from fingerprint.ranking.cohort import Cohort
    from fingerprint.ranking.parallel import Check
    from fingerprint.types import Bounds, Ids, PassageRows, Positions, Rows, Runs

    CohortArrays = tuple[CohortTokens, Bounds, Ids]

COLUMNS = len(Passage._fields)
INITIAL_ROWS = 1024


class PairPassages(NamedTuple):
    """Passages of n pairs: those of pair i are `rows[starts[i]:starts[i + 1]]`.

    `rows` int32 [p, 7]: a column for each field of `Passage`; of every pair the longest passage is first, the
    common ones are last. `starts` int64 [n + 1].
    """

    rows: PassageRows
    starts: Bounds

    def of(self, pair: int) -> PassageRows:
        return self.rows[self.starts[pair] : self.starts[pair + 1]]

    def take(self, pairs: npt.NDArray[np.integer]) -> PairPassages:
        """Return the passages of some of the pairs, in the order of their indexes."""
        counts = np.diff(self.starts)[pairs]
        starts = np.concatenate(([0], np.cumsum(counts)))
        places = np.arange(starts[-1]) + np.repeat(self.starts[pairs] - starts[:-1], counts)
        return PairPassages(self.rows[places], starts)

    def followed_by(self, others: PairPassages) -> PairPassages:
        """Return these pairs and then the others."""
        starts = np.concatenate((self.starts, others.starts[1:] + len(self.rows)))
        return PairPassages(np.concatenate((self.rows, others.rows)), starts)


@njit
def _rarest(frequency: Ids, start: int, length: int, k: int) -> int:
    """Return how many submissions contain the rarest k-gram of a run, and so at most the whole run."""
    least = frequency[start]
    for at in range(start + 1, start + length - k + 1):
        least = min(least, frequency[at])
    return int(least)


@njit
def _longer_rows(rows: PassageRows, count: int) -> PassageRows:
    """Return the rows with room for `count` of them, at least twice as much as before."""
    longer = np.empty((max(count, 2 * len(rows)), COLUMNS), dtype=np.int32)
    for at in range(len(rows)):
        for column in range(COLUMNS):
            longer[at, column] = rows[at, column]
    return longer


@njit
def _write_runs(
    runs: Runs, cohort: CohortArrays, sides: tuple[int, int], kind: tuple[int, int], rows: PassageRows
) -> None:
    """Write runs, given by left token, as rows, longest first; `kind` is k and whether they are common."""
    indexed, file_starts, frequency = cohort
    submission_starts = indexed.submission_starts
    k, common = kind
    order = np.argsort(-runs[:, 2], kind="mergesort")
    for at in range(len(runs)):
        a, b, length = runs[order[at]]
        left, right = submission_starts[sides[0]] + a, submission_starts[sides[1]] + b
        left_file = np.searchsorted(file_starts, left, side="right") - 1
        right_file = np.searchsorted(file_starts, right, side="right") - 1
        rows[at, 0], rows[at, 1] = left_file, left - file_starts[left_file]
        rows[at, 2], rows[at, 3] = right_file, right - file_starts[right_file]
        rows[at, 4], rows[at, 5], rows[at, 6] = length, _rarest(frequency, left, length, k), common


@kernel
def _align(
    cohort: CohortArrays, pairs: Rows, k: int, distinct: tuple[int, int], counts: Positions
) -> PassageRows:
    """Return the rows of all passages of the pairs, and fill `counts` with how many each pair has."""
    indexed = cohort[0]
    space, entered = cohort_workspace(indexed, distinct), -1
    rows, count = np.empty((INITIAL_ROWS, COLUMNS), dtype=np.int32), 0
    for pair in range(len(pairs)):
        sides = pairs[pair, 0], pairs[pair, 1]
        left, right = slice_submission(indexed, sides[0]), slice_submission(indexed, sides[1])
        entered = change_left(space, indexed, entered, sides[0])
        passages, common = trim_tiles(tile_pair(left, right, k, space), left, right, k)
        middle, end = count + len(passages), count + len(passages) + len(common)
        if end > len(rows):
            rows = _longer_rows(rows, end)
        _write_runs(passages, cohort, sides, (k, 0), rows[count:middle])
        _write_runs(common, cohort, sides, (k, 1), rows[middle:end])
        counts[pair], count = end - count, end
    return rows[:count].copy()


def align_pairs(cohort: Cohort, pairs: Rows, check: Check = never_end) -> PairPassages:
    """Return the passages of pairs of submissions (int64 [n, 2]), on all cores; `check` as for `run_chunks`.

    A passage is a run of at least k equal tokens. It is as long as the tokens, the lines and the longer
    passages allow, see `trim_tiles`. Equally long ones are sorted by left token.
    """
    arrays = cohort.indexed, cohort.file_starts, cohort.frequency
    distinct = cohort.distinct
    counts, parts = np.zeros(len(pairs), dtype=np.int64), {}

    def align(part: slice) -> None:
        parts[part.start] = _align(arrays, pairs[part], cohort.k, distinct, counts[part])

    run_chunks(cohort, pairs, align, check)
    none = np.empty((0, COLUMNS), dtype=np.int32)
    rows = np.concatenate([none, *(parts[start] for start in sorted(parts))])
    return PairPassages(rows, np.concatenate(([0], np.cumsum(counts))))


def find_passages(cohort: Cohort, left: int, right: int) -> list[Passage]:
    """Return the passages of two submissions of the cohort, longest first, then the common ones."""
    return as_passages(align_pairs(cohort, np.array([[left, right]])).rows)
