"""Runs of equal tokens of two repetitive submissions, in time linear in their length.

Tables, dumps and generated parsers repeat the same k-grams thousands of times, and two of them share a run
for each pair of their rows. The number of runs is quadratic, but hardly any of them become tiles: mostly rows
in the same order on both sides do. So only occurrences of about the same rank are compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint._jit import njit
from fingerprint.ranking.alignment import group_end, maximal_run, previous_kgram, run_key

if TYPE_CHECKING:
    from fingerprint.ranking.alignment import IndexedTokens
    from fingerprint.types import Ids, Positions, Runs

# The occurrence of rank r in a group is compared with those of rank r - 8 to r + 8 in the other side's group.
RANK_DISTANCE = 8


@njit
def _fill_group_runs(
    pair: tuple[IndexedTokens, IndexedTokens],
    groups: tuple[Positions, Positions],
    k: int,
    reached: Positions,
    state: tuple[Runs, int, int],
) -> tuple[int, int]:
    """Add the runs through occurrences of one k-gram; return the new number of runs and the steps left.

    `groups`: the positions on either side. `reached`: for each diagonal, the right token up to which its runs
    are known. `state`: array of runs, their number, and the steps left.
    """
    (left, right), (left_group, right_group) = pair, groups
    rows, count, steps = state
    width = min(len(left_group), 2 * RANK_DISTANCE + 1)
    for rank in range(len(right_group)):
        b = right_group[rank]
        for offset in range(width):
            steps -= 1
            a = left_group[(rank - RANK_DISTANCE + offset) % len(left_group)]
            diagonal = a - b + len(right.kinds)
            if b < reached[diagonal]:
                continue
            start, other, length = maximal_run(left, right, a, b)
            steps -= length
            reached[diagonal] = max(b, other + length) + 1
            if length >= k and count < len(rows):
                rows[count, 0], rows[count, 1], rows[count, 2] = run_key(start, length), other, length
                count += 1
        if steps < 0:
            break
    return count, steps


@njit
def fill_ranked_runs(
    pair: tuple[IndexedTokens, IndexedTokens], k: int, left_table: Ids, steps: int, rows: Runs
) -> int:
    """Fill `rows` as `fill_runs` does, but only with runs through occurrences of about the same rank.

    Occurrences of a k-gram are ranked by position among those with the same k-gram before them. The search
    ends after `steps` comparisons, or when `rows` is full. Return the number of runs.
    """
    left, right = pair
    reached = np.zeros(len(left.kinds) + len(right.kinds) + 1, dtype=np.int64)
    count, at = 0, 0
    while at < len(right.ordered_kgrams) and steps >= 0:
        end = group_end(right.ordered_kgrams, at)
        i, j = left_table[right.ordered_kgrams[at]], at
        last = group_end(left.ordered_kgrams, i) if i >= 0 else -1
        while i < last and j < end and steps >= 0:
            next_i, next_j = left.next_group[i], right.next_group[j]
            before_left = previous_kgram(left, left.order[i])
            before_right = previous_kgram(right, right.order[j])
            if before_left == before_right:
                groups = (left.order[i:next_i], right.order[j:next_j])
                count, steps = _fill_group_runs(pair, groups, k, reached, (rows, count, steps))
            if before_left <= before_right:
                i = next_i
            if before_right <= before_left:
                j = next_j
        at = end
    return count
