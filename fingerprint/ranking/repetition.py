"""Runs of equal tokens of two repetitive submissions, in time linear in their length.

Tables, dumps and generated parsers repeat the same k-grams thousands of times, and two of them share a run
for each pair of their rows. The number of runs is quadratic, but hardly any of them become tiles: mostly rows
in the same order on both sides do. So only occurrences of about the same rank are compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint.kernels.registry import kernel, njit
from fingerprint.ranking.alignment import group_end
from fingerprint.ranking.runs import maximal_run, place_of

if TYPE_CHECKING:
    from fingerprint.ranking.alignment import IndexedTokens
    from fingerprint.types import Ids, Rows, Runs

# The occurrence of rank r on one side is compared with those of rank r - 8 to r + 8 on the other side.
RANK_DISTANCE = 8
# Most runs that can begin at a right token.
RANKED_RUNS_PER_TOKEN = 2 * RANK_DISTANCE + 1


@njit
def _left_groups(left: IndexedTokens, right: IndexedTokens, left_table: Ids) -> Rows:
    """Return for each right token: index in `left.order` and size of its group on the left, and its rank.

    A group has the positions of one k-gram with the same k-gram before it. The size is 0 where the left side
    has no such group. The rank is that of the token's position in its group on the right.
    """
    groups, at = np.zeros((len(right.kinds), 3), dtype=np.int64), 0
    while at < len(right.ordered_kgrams):
        end = group_end(right.ordered_kgrams, at)
        i, j = left_table[right.ordered_kgrams[at]], at
        last = group_end(left.ordered_kgrams, i) if i >= 0 else -1
        while i < last and j < end:
            next_i, next_j = left.next_group[i], right.next_group[j]
            before_left, before_right = left.previous[i], right.previous[j]
            if before_left == before_right:
                for index in range(j, next_j):
                    b = right.order[index]
                    groups[b, 0], groups[b, 1], groups[b, 2] = i, next_i - i, index - j
            if before_left <= before_right:
                i = next_i
            if before_right <= before_left:
                j = next_j
        at = end
    return groups


@kernel
def fill_ranked_runs(
    pair: tuple[IndexedTokens, IndexedTokens], k: int, left_table: Ids, steps: int, rows: Runs
) -> int:
    """Fill `rows` as `list_runs` does, but only with runs through occurrences of about the same rank.

    Occurrences of a k-gram are ranked by position among those with the same k-gram before them. `steps` is
    the number of comparisons, which the right tokens share evenly. `rows` has room for RANKED_RUNS_PER_TOKEN
    runs of each right token. Return the number of runs.
    """
    left, right = pair
    groups, count = _left_groups(left, right, left_table), 0
    # For each diagonal, that is for each difference of positions: the right token at which its last run ends.
    reached = np.zeros(len(left.kinds) + len(right.kinds) + 1, dtype=np.int64)
    used = 0
    for b in range(len(right.kinds)):
        first, size, rank = groups[b]
        for turn in range(min(size, RANKED_RUNS_PER_TOKEN)):
            if used > steps * (b + 1) // len(right.kinds):
                break
            used += 1
            # The nearest rank first: 0, 1, -1, 2, -2, ...
            offset = (turn + 1) // 2 if turn % 2 else -(turn // 2)
            a = left.order[first + (rank + offset) % size]
            diagonal = a - b + len(right.kinds)
            if b < reached[diagonal]:
                continue
            start, other, length = maximal_run(left, right, a, b)
            used += length
            reached[diagonal] = max(b + 1, other + length)
            if length >= k:
                rows[count, 0], rows[count, 1] = place_of(start, other), length
                count += 1
    return count
