"""The arrays that tiling a pair needs, which many pairs use one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.kernels.registry import bare_kernel, bare_njit, njit
from fingerprint.ranking.alignment import fill_kgram_table, slice_submission
from fingerprint.ranking.sorting import longest_part

if TYPE_CHECKING:
    from fingerprint.ranking.alignment import CohortTokens, IndexedTokens
    from fingerprint.types import Flags, Hashes, Ids


class Workspace(NamedTuple):
    """Arrays for the pairs of one left side after another; n is the number of tokens of the longest side.

    Filled for a left side, by `enter`: `table`, `long_table` int32: the k-gram tables of its k-grams and its
    long ones, see `build_kgram_table`, with a last entry for the id -1; `groups` int32 [n]: the entry of the
    table for the k-gram at each token; `sizes` int32 [n + 1]: number of occurrences of a k-gram, by this
    entry. `members`, `long_members` uint64: a bit for each id from -1 on, whether the left side has that
    k-gram; these stay in the processor's cache.

    Empty before a pair and after it: `taken` bool [n], for each side: tokens in tiles; `heads` int32 [n + 1]:
    the first open place on the right of each k-gram on the left, by its entry, -1 for none; `after` int32
    [n]: the next one with the same k-gram; `places` int32 [n], for each side: see `short_tiles`.
    """

    table: Ids
    long_table: Ids
    groups: Ids
    sizes: Ids
    members: Hashes
    long_members: Hashes
    taken: tuple[Flags, Flags]
    heads: Ids
    after: Ids
    places: tuple[Ids, Ids]


@njit
def workspace(distinct: int, long_distinct: int, size: int) -> Workspace:
    """Return an empty workspace for so many k-grams, long ones, and tokens of the longest side."""
    return Workspace(
        np.full(distinct + 1, -1, dtype=np.int32),
        np.full(long_distinct + 1, -1, dtype=np.int32),
        np.full(size, -1, dtype=np.int32),
        np.zeros(size + 1, dtype=np.int32),
        np.zeros((distinct + 1 >> 6) + 1, dtype=np.uint64),
        np.zeros((long_distinct + 1 >> 6) + 1, dtype=np.uint64),
        (np.zeros(size, dtype=np.bool_), np.zeros(size, dtype=np.bool_)),
        np.full(size + 1, -1, dtype=np.int32),
        np.empty(size, dtype=np.int32),
        (np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)),
    )


@njit
def cohort_workspace(cohort: CohortTokens, distinct: tuple[int, int]) -> Workspace:
    """Return a workspace for pairs of a cohort with so many distinct k-grams, and long ones."""
    return workspace(distinct[0], distinct[1], longest_part(cohort.submission_starts))


@bare_njit
def _fill_members(kgrams: Ids, members: Hashes) -> None:
    for kgram in kgrams:
        number = np.uint64(kgram + 1)
        members[number >> np.uint64(6)] |= np.uint64(1) << (number & np.uint64(63))


@bare_kernel
def enter(space: Workspace, left: IndexedTokens) -> None:
    """Fill an empty workspace for a left side."""
    fill_kgram_table(left.ordered_kgrams, space.table)
    fill_kgram_table(left.long.ordered_kgrams, space.long_table)
    _fill_members(left.ordered_kgrams, space.members)
    _fill_members(left.long.ordered_kgrams, space.long_members)
    for at in range(len(left.order)):
        group = space.table[left.ordered_kgrams[at]]
        space.groups[left.order[at]] = group
        space.sizes[group] += 1


@bare_kernel
def leave(space: Workspace, left: IndexedTokens) -> None:
    """Empty a workspace that is filled for a left side."""
    for at in range(len(left.order)):
        space.table[left.ordered_kgrams[at]] = -1
        space.members[left.ordered_kgrams[at] + 1 >> 6] = 0
        space.groups[left.order[at]] = -1
        space.sizes[at] = 0
    for kgram in left.long.ordered_kgrams:
        space.long_table[kgram] = -1
        space.long_members[kgram + 1 >> 6] = 0


@njit
def change_left(space: Workspace, cohort: CohortTokens, entered: int, left: int) -> int:
    """Fill a workspace for submission `left` in place of `entered`, -1 for none; return `left`."""
    if left != entered:
        if entered >= 0:
            leave(space, slice_submission(cohort, entered))
        enter(space, slice_submission(cohort, left))
    return left
