"""The tokens of a cohort with an index of their k-grams, by which the runs of a pair are found."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.kernels.registry import bare_kernel, bare_njit, kernel, njit
from fingerprint.ranking.sorting import highest_id, number_pairs, order_by
from fingerprint.ranking.weights import document_frequency

if TYPE_CHECKING:
    from fingerprint.types import Bounds, Flags, Ids, Kinds, Offsets

# A long k-gram has so many tokens more: of 2 to 8, ranking took least with this number.
LONGER = 3


class KgramIndex(NamedTuple):
    """The places of each k-gram of a submission; see the arrays of the same names in `IndexedTokens`."""

    kgrams: Ids
    order: Offsets
    ordered_kgrams: Ids
    previous: Ids
    next_group: Offsets


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
    `long`: the same index of k-grams with `longer(k)` tokens more, of which all k-grams are matchable.

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
    long: KgramIndex


class CohortTokens(NamedTuple):
    """The tokens of n submissions, and int64 [n + 1] where the parts of each submission begin.

    These are its tokens, its part of `order`, and its part of `long.order`.
    """

    tokens: IndexedTokens
    submission_starts: Bounds
    order_starts: Bounds
    long_starts: Bounds


@bare_njit
def longer(k: int) -> int:
    """Return how many tokens more than k a long k-gram has; two k-grams have to cover all of it."""
    return min(LONGER, k - 1)


@njit
def kgram_index(tokens: IndexedTokens) -> KgramIndex:
    return KgramIndex(tokens.kgrams, tokens.order, tokens.ordered_kgrams, tokens.previous, tokens.next_group)


@njit
def slice_submission(cohort: CohortTokens, number: int) -> IndexedTokens:
    """Return the tokens of one submission, with positions counted from its own first token."""
    tokens, long = cohort.tokens, cohort.tokens.long
    low, high = cohort.submission_starts[number], cohort.submission_starts[number + 1]
    first, last = cohort.order_starts[number], cohort.order_starts[number + 1]
    long_first, long_last = cohort.long_starts[number], cohort.long_starts[number + 1]
    return IndexedTokens(
        tokens.kinds[low:high],
        tokens.kgrams[low:high],
        tokens.boilerplate[low:high],
        tokens.ignored[low:high],
        tokens.order[first:last],
        tokens.ordered_kgrams[first:last],
        tokens.previous[first:last],
        tokens.next_group[first:last],
        tokens.line_starts[low:high],
        tokens.line_ends[low:high],
        KgramIndex(
            long.kgrams[low:high],
            long.order[long_first:long_last],
            long.ordered_kgrams[long_first:long_last],
            long.previous[long_first:long_last],
            long.next_group[long_first:long_last],
        ),
    )


def index_tokens(
    kinds: Kinds,
    kgrams: tuple[Ids, Ids],
    flags: tuple[Flags, Flags],
    bounds: Bounds,
    line_extents: tuple[Ids, Ids],
) -> CohortTokens:
    """Index the tokens of all submissions of a cohort.

    Parameters
    ----------
    kinds, flags : three of the arrays of `IndexedTokens`, for all submissions one after another
    kgrams : the ids of their k-grams, and of the long ones, see `long_kgrams`
    bounds : int64 [s + 1], position at which each of the s submissions begins
    line_extents : `line_starts` and `line_ends` of all submissions one after another
    """
    (index, order_starts), (long, long_starts) = (_index_kgrams(ids, bounds) for ids in kgrams)
    tokens = IndexedTokens(kinds, index.kgrams, *flags, *index[1:], *line_extents, long)
    return CohortTokens(tokens, bounds, order_starts, long_starts)


def _index_kgrams(kgrams: Ids, bounds: Bounds) -> tuple[KgramIndex, Bounds]:
    """Return the index of all submissions, and where in `order` the part of each begins: int64 [s + 1]."""
    previous = np.concatenate((np.full(1, -1, dtype=np.int32), kgrams[:-1]))[: len(kgrams)]
    matchable = np.flatnonzero(kgrams >= 0).astype(np.int32)
    owner = np.repeat(np.arange(len(bounds) - 1, dtype=np.int32), np.diff(bounds))[matchable]
    # Sorted by the previous k-gram too, so that k-grams of one run are next to each other: see `list_runs`.
    order = matchable[order_by(owner, kgrams[matchable], previous[matchable] + np.int32(1))]
    order_starts = np.searchsorted(owner, np.arange(len(bounds), dtype=np.int32)).astype(np.int64)
    ordered, previous = kgrams[order], previous[order]
    order -= bounds.astype(np.int32)[owner]
    next_group = _group_ends(owner, ordered, previous)
    next_group -= order_starts.astype(np.int32)[owner]
    return KgramIndex(kgrams, order, ordered, previous, next_group), order_starts


def _group_ends(*keys: Ids) -> Offsets:
    """Return where the run of rows with equal keys ends in which each of m rows is: int32 [m]."""
    is_new = np.zeros(max(len(keys[0]) - 1, 0), dtype=np.bool_)
    for key in keys:
        is_new |= key[1:] != key[:-1]
    ends = np.append(np.flatnonzero(is_new) + 1, len(keys[0])).astype(np.int32)
    return np.repeat(ends, np.diff(ends, prepend=0))


def long_kgrams(kgrams: Ids, k: int, bounds: Bounds) -> Ids:
    """Return the ids of the long k-grams, with `longer(k)` tokens more, that two submissions contain.

    int32 like `kgrams`, -1 where there is none. Ids have no gaps.
    """
    ids, more = np.full(len(kgrams), -1, dtype=np.int32), longer.py_func(k)
    count = max(len(kgrams) - more, 0)
    places = np.flatnonzero((kgrams[:count] >= 0) & (kgrams[more:] >= 0))
    numbers = number_pairs(kgrams[places], kgrams[places + more])
    starts = np.searchsorted(places, bounds)
    frequency = document_frequency(numbers, starts, 1 + int(numbers.max(initial=-1)))
    shared = frequency > 1
    ids[places] = np.where(shared, np.cumsum(shared) - 1, -1)[numbers]
    return ids


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
def group_end(ordered_kgrams: Ids, at: int) -> int:
    end = at + 1
    while end < len(ordered_kgrams) and ordered_kgrams[end] == ordered_kgrams[at]:
        end += 1
    return end
