"""The runs of a pair in two turns: the long ones first, then those short ones that the tiles leave open.

Nine tenths of all runs are hardly longer than a k-gram, and three quarters of these are covered when their
turn comes. They need not be listed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint.kernels.registry import bare_njit, njit
from fingerprint.ranking.alignment import group_end
from fingerprint.ranking.runs import find_shared, measure_runs, place_of, with_room

if TYPE_CHECKING:
    from fingerprint.ranking.alignment import IndexedTokens
    from fingerprint.types import Flags, Ids, Runs

# A long run has at least so many tokens more than a k-gram: of 2 to 6 with this number ranking took least.
LONGER = 3
# More steps than any number of runs takes.
NO_LIMIT = 1 << 62


@njit
def shared_kgrams(right: IndexedTokens, left_table: Ids) -> Ids:
    """Return the indices of the k-grams of the right side that the left side contains."""
    shared = np.empty(len(right.ordered_kgrams), dtype=np.int32)
    return shared[: find_shared(right.ordered_kgrams, left_table, shared)]


@bare_njit
def is_long(left: Ids, a: int, right: Ids, b: int, longer: int) -> bool:
    """Return whether the run that begins at a k-gram of both sides is a long one."""
    return bool((left[a + longer] >= 0) & (left[a + longer] == right[b + longer]))


@njit
def list_long_runs(
    pair: tuple[IndexedTokens, IndexedTokens], index: tuple[int, Ids, Ids], steps: int, runs: Runs
) -> tuple[int, Runs]:
    """Return the number of long runs and an array that begins with them, as `list_runs` does.

    The number is -1 when it is not sure that listing all runs takes at most `steps` comparisons. Neither side
    has boilerplate. The index is k, the k-gram table of the left side, and the `shared_kgrams`.
    """
    k, _, shared = index
    progress = 0, -1, 0, 0, steps
    while progress[0] < len(shared):
        progress = _fill_long_runs(pair, index, runs, progress)
        if progress[4] < progress[3] * k:
            return -1, runs
        runs = with_room(runs, progress[2] + len(pair[1].kinds))
    _, _, count, starts, steps = progress
    steps -= starts * k + (starts - count) * min(LONGER, k - 1)
    count, steps = measure_runs((pair[0].kgrams, pair[1].kgrams), k, count, steps, runs)
    return (count if steps >= 0 else -1), runs


@bare_njit
def _fill_long_runs(
    pair: tuple[IndexedTokens, IndexedTokens],
    index: tuple[int, Ids, Ids],
    runs: Runs,
    progress: tuple[int, int, int, int, int],
) -> tuple[int, int, int, int, int]:
    """Fill `runs` with the places of long runs, until it may be full or the steps are too many.

    The progress is the index in `shared`, that of an occurrence on the left or -1, the number of long runs
    and of all, and the comparisons that remain.
    """
    (left, right), (k, left_table, shared) = pair, index
    longer = min(LONGER, k - 1)
    at, i, count, starts, steps = progress
    while at < len(shared):
        first = shared[at]
        end, left_first = group_end(right.ordered_kgrams, first), left_table[right.ordered_kgrams[first]]
        last = group_end(left.ordered_kgrams, left_first)
        i = max(i, left_first)
        while i < last:
            if count + end - first > len(runs) or steps < starts * k:
                return at, i, count, starts, steps
            a, before, j = left.order[i], left.previous[i], first
            while j < end:
                steps -= 1
                if before >= 0 and right.previous[j] == before:
                    j = right.next_group[j]
                    continue
                runs[count, 0] = place_of(a, right.order[j])
                count += is_long(left.kgrams, a, right.kgrams, right.order[j], longer)
                starts, j = starts + 1, j + 1
            i += 1
        at, i = at + end - first, -1
    return at, -1, count, starts, steps


@njit
def list_open_runs(
    pair: tuple[IndexedTokens, IndexedTokens],
    index: tuple[int, Ids, Ids],
    taken: tuple[Flags, Flags],
    runs: Runs,
) -> tuple[int, Runs]:
    """Return the number of short runs of which token number k is free on both sides, and an array of them."""
    k, _, shared = index
    progress = 0, -1, 0
    while progress[0] < len(shared):
        progress = _fill_open_runs(pair, index, taken, runs, progress)
        runs = with_room(runs, progress[2] + len(pair[1].kinds))
    measure_runs((pair[0].kgrams, pair[1].kgrams), k, progress[2], NO_LIMIT, runs)
    return progress[2], runs


@bare_njit
def _fill_open_runs(
    pair: tuple[IndexedTokens, IndexedTokens],
    index: tuple[int, Ids, Ids],
    taken: tuple[Flags, Flags],
    runs: Runs,
    progress: tuple[int, int, int],
) -> tuple[int, int, int]:
    """Fill `runs` with the places of open short runs, until it may be full; see `_fill_long_runs`."""
    (left, right), (k, left_table, shared), (at, i, count) = pair, index, progress
    longer = min(LONGER, k - 1)
    while at < len(shared):
        first = shared[at]
        end, left_first = group_end(right.ordered_kgrams, first), left_table[right.ordered_kgrams[first]]
        last = group_end(left.ordered_kgrams, left_first)
        i = max(i, left_first)
        while i < last:
            if count + end - first > len(runs):
                return at, i, count
            a, before = left.order[i], left.previous[i]
            j = end if taken[0][a + k - 1] else first
            while j < end:
                if before >= 0 and right.previous[j] == before:
                    j = right.next_group[j]
                    continue
                b = right.order[j]
                runs[count, 0] = place_of(a, b)
                count += not (taken[1][b + k - 1] | is_long(left.kgrams, a, right.kgrams, b, longer))
                j += 1
            i += 1
        at, i = at + end - first, -1
    return at, -1, count
