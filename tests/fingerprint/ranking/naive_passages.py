"""The passages of one pair at a time, from its tiles: the oracle of `fingerprint.ranking.passages`."""

from __future__ import annotations

import numpy as np

from fingerprint.engine import Cohort, Passage
from fingerprint.kernels.types import Ids, Runs
from fingerprint.ranking.alignment import IndexedTokens, fill_kgram_table, trim_tiles
from fingerprint.ranking.passages import align_pairs, as_passages
from fingerprint.ranking.tiling import enter, tile_pair, workspace


def passages_of(cohort: Cohort, left: int, right: int) -> list[Passage]:
    """Return the passages that the engine finds in two submissions of a cohort."""
    return as_passages(align_pairs(cohort, np.array([[left, right]])).rows)


def kgram_table(ordered_kgrams: Ids, distinct: int) -> Ids:
    """Return the k-gram table of one submission of a cohort with so many distinct k-grams."""
    table = np.full(distinct, -1, dtype=np.int32)
    fill_kgram_table(ordered_kgrams, table)
    return table


def passages(left: IndexedTokens, right: IndexedTokens, k: int) -> Runs:
    """Return the passages of two submissions, longest first, without the common ones."""
    return both_sorts(left, right, k)[0]


def both_sorts(left: IndexedTokens, right: IndexedTokens, k: int) -> tuple[Runs, Runs]:
    """Return the passages of two submissions and the common ones: int64 [p, 3], both longest first."""
    distinct, long = (
        1 + max(int(index.ordered_kgrams.max(initial=-1)) for index in indexes)
        for indexes in ((left, right), (left.long, right.long))
    )
    space = workspace.py_func(distinct, long, max(len(left.kinds), len(right.kinds)))
    enter(space, left)
    tiles = tile_pair(left, right, k, space)
    rows, common = (
        part[np.lexsort((part[:, 1], part[:, 0], -part[:, 2]))] for part in trim_tiles(tiles, left, right, k)
    )
    return rows, common


def find_passages(cohort: Cohort, left: int, right: int) -> list[Passage]:
    """Return the passages of two submissions of a cohort, longest first, then the common ones."""
    sorts = both_sorts(cohort.submission(left), cohort.submission(right), cohort.k)
    return [
        Passage(*_place(cohort, left, a), *_place(cohort, right, b), n, _rarest(cohort, left, a, n), common)
        for rows, common in zip(sorts, (False, True), strict=True)
        for a, b, n in rows.tolist()
    ]


def _place(cohort: Cohort, submission: int, token: int) -> tuple[int, int]:
    """Return the position of a submission's token as (file of the cohort, token of that file)."""
    position = int(cohort.submission_starts[submission]) + token
    file = max(number for number, start in enumerate(cohort.file_starts[:-1].tolist()) if start <= position)
    return file, position - int(cohort.file_starts[file])


def _rarest(cohort: Cohort, submission: int, token: int, length: int) -> int:
    start = int(cohort.submission_starts[submission]) + token
    return int(min(cohort.frequency[start : start + length - cohort.k + 1]))
