"""The tokens of a cohort with an index of their k-grams, by which the runs of a pair are found."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.kernels.registry import bare_kernel, bare_njit, kernel
from fingerprint.ranking.maxima import highest_id
from fingerprint.ranking.sorting import order_by

if TYPE_CHECKING:
    from fingerprint.types import Bounds, Flags, Ids, Kinds, Offsets


class IndexedTokens(NamedTuple):
    """The n tokens of one submission with an index of its k-grams; a separator follows each file.

    A k-gram is matchable when at least two submissions of the cohort contain it and it is not boilerplate.
    Equal ids are equal tokens, see `unmatch_collisions`.

    `kinds` uint64 [n]: the kind of a separator occurs once in the cohort; `kgrams` int32 [n]: id of the
    matchable k-gram that starts at a token, -1 where there is none; `boilerplate` bool [n]: tokens that a
    passage cannot begin or end with; `ignored` bool [n]: tokens of boilerplate and common code, which
    passages may contain but shares do not count.
    `order` int32 [m]: positions of the m matchable k-grams, sorted by (id, id one token before, position);
    `ordered_kgrams` int32 [m]: their ids; `previous` int32 [m]: the ids one token before; `next_group` int32
    [m]: index in `order` at which the next pair (id, id one token before) begins. `line_starts`, `line_ends`
    int32 [n]: position of the first token of a token's line, and the position after its last one. Positions
    and indices count from the submission's own first.

    For all submissions of a cohort the same arrays follow each other in one object, see `Cohort`.
    """

    kinds: Kinds
    kgrams: Ids
    boilerplate: Flags
    ignored: Flags
    order: Offsets
    ordered_kgrams: Ids
    previous: Ids
    next_group: Offsets
    line_starts: Ids
    line_ends: Ids


def index_tokens(
    kinds: Kinds, kgrams: Ids, flags: tuple[Flags, Flags], bounds: Bounds, line_extents: tuple[Ids, Ids]
) -> tuple[IndexedTokens, Bounds]:
    """Index the tokens of all submissions of a cohort.

    Parameters
    ----------
    kinds, kgrams, flags : the first four arrays of `IndexedTokens`, for all submissions one after another
    bounds : int64 [s + 1], position at which each of the s submissions begins
    line_extents : the last two arrays of `IndexedTokens`, for all submissions one after another

    Returns
    -------
    The arrays of all submissions, and int64 [s + 1]: where in `order` the part of each submission begins.
    """
    previous = np.concatenate((np.full(1, -1, dtype=np.int32), kgrams[:-1]))[: len(kgrams)]
    matchable = np.flatnonzero(kgrams >= 0)
    owner = np.repeat(np.arange(len(bounds) - 1, dtype=np.int32), np.diff(bounds))[matchable]
    # Sorted by the previous k-gram too, so that k-grams of one run are next to each other: see `list_runs`.
    sort = order_by(owner, kgrams[matchable], previous[matchable] + np.int32(1))
    order, owner = matchable[sort], owner[sort]
    keys = owner, kgrams[order], previous[order]
    ends = np.flatnonzero(np.any([key[1:] != key[:-1] for key in keys], axis=0)) + 1
    sizes = np.diff(np.concatenate(([0], ends, [len(order)])))
    order_starts = np.searchsorted(owner, np.arange(len(bounds))).astype(np.int64)
    next_group = (np.repeat(np.cumsum(sizes), sizes) - order_starts[owner]).astype(np.int32)
    positions = (order - bounds[owner]).astype(np.int32)
    tokens = IndexedTokens(kinds, kgrams, *flags, positions, *keys[1:], next_group, *line_extents)
    return tokens, order_starts


@kernel
def unmatch_collisions(kinds: Kinds, kgrams: Ids, k: int) -> None:
    """Set the ids of k-grams to -1 whose tokens are not those of the first k-gram with their id.

    Ids come from hashes, of which two k-grams may have the same. So a hash decides nothing (winnowing,
    section 5.2), and what compares ids need not compare tokens.
    """
    firsts = np.full(highest_id(kgrams) + 1, -1, dtype=np.int64)
    for at in range(len(kgrams)):
        if kgrams[at] < 0:
            continue
        first = firsts[kgrams[at]]
        if first < 0:
            firsts[kgrams[at]] = at
            continue
        for offset in range(k):
            if kinds[first + offset] != kinds[at + offset]:
                kgrams[at] = -1
                break


@kernel
def build_kgram_table(ordered_kgrams: Ids, distinct: int) -> Ids:
    """Return the k-gram table of one submission.

    For each of the `distinct` k-gram ids of the cohort, it has the index in `ordered_kgrams` of the first
    occurrence, or -1 if the submission does not contain the k-gram.
    """
    table = np.full(distinct, -1, dtype=np.int32)
    fill_kgram_table(ordered_kgrams, table)
    return table


@bare_kernel
def fill_kgram_table(ordered_kgrams: Ids, table: Ids) -> None:
    """Enter the k-grams of a submission into a table in which every entry is -1."""
    for at in range(len(ordered_kgrams) - 1, -1, -1):
        table[ordered_kgrams[at]] = at


@bare_njit
def replace_kgrams(table: Ids, ordered_kgrams: Ids, order_starts: Bounds, entered: int, left: int) -> int:
    """Have a table contain the k-grams of submission `left` in place of those of `entered`, -1 for none.

    `ordered_kgrams` are those of all submissions. Return `left`.
    """
    if left != entered:
        if entered >= 0:
            for kgram in ordered_kgrams[order_starts[entered] : order_starts[entered + 1]]:
                table[kgram] = -1
        fill_kgram_table(ordered_kgrams[order_starts[left] : order_starts[left + 1]], table)
    return left


@bare_njit
def group_end(ordered_kgrams: Ids, at: int) -> int:
    end = at + 1
    while end < len(ordered_kgrams) and ordered_kgrams[end] == ordered_kgrams[at]:
        end += 1
    return end
