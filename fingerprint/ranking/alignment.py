"""Maximal runs of equal tokens that two submissions share, verified token by token.

Fingerprints only say which pairs to compare; the passages are found on the tokens (winnowing, section 5.2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint._jit import njit

if TYPE_CHECKING:
    from fingerprint.types import Bounds, Flags, Ids, Kinds, Positions, Runs


# Bits for a token's position within its submission; no submission has 2**32 tokens.
POSITION_BITS = 32
POSITION_MASK = (1 << POSITION_BITS) - 1


class IndexedTokens(NamedTuple):
    """The n tokens of one submission with an index of its k-grams; a separator follows each file.

    A k-gram is matchable when at least two submissions of the cohort contain it and it is not boilerplate.

    `kinds` uint64 [n]: the kind of a separator occurs once in the cohort; `kgrams` int32 [n]: id of the
    matchable k-gram that starts at a token, -1 where there is none; `boilerplate` bool [n]: tokens that a
    passage cannot begin or end with; `ignored` bool [n]: tokens of boilerplate and common code, which
    passages may contain but shares do not count.
    `order` int64 [m]: positions of the m matchable k-grams, sorted by (id, id one token before, position);
    `ordered_kgrams` int32 [m]: their ids; `previous` int32 [m]: the ids one token before; `next_group` int64
    [m]: index in `order` at which the next pair (id, id one token before) begins. `line_starts`, `line_ends`
    int32 [n]: position of the first token of a token's line, and the position after its last one. Positions
    and indices count from the submission's own first.

    For all submissions of a cohort the same arrays follow each other in one object, see `Cohort`.
    """

    kinds: Kinds
    kgrams: Ids
    boilerplate: Flags
    ignored: Flags
    order: Positions
    ordered_kgrams: Ids
    previous: Ids
    next_group: Positions
    line_starts: Ids
    line_ends: Ids


def index_tokens(
    kinds: Kinds, kgrams: Ids, flags: tuple[Flags, Flags], bounds: Positions, line_extents: tuple[Ids, Ids]
) -> tuple[IndexedTokens, Positions]:
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
    owner = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))[matchable]
    # Sorted by the previous k-gram too, so that k-grams of one run are next to each other: see `fill_runs`.
    sort = np.lexsort((previous[matchable], kgrams[matchable], owner))
    order, owner = matchable[sort], owner[sort]
    keys = owner, kgrams[order], previous[order]
    ends = np.flatnonzero(np.any([key[1:] != key[:-1] for key in keys], axis=0)) + 1
    sizes = np.diff(np.concatenate(([0], ends, [len(order)])))
    order_starts = np.searchsorted(owner, np.arange(len(bounds))).astype(np.int64)
    next_group = np.repeat(np.cumsum(sizes), sizes) - order_starts[owner]
    tokens = IndexedTokens(kinds, kgrams, *flags, order - bounds[owner], *keys[1:], next_group, *line_extents)
    return tokens, order_starts


@njit
def sort_rows(rows: Runs) -> None:
    """Sort rows of three columns in place by the first two (Shell sort, fast for the few rows of a pair)."""
    gap = 1
    while 3 * gap < len(rows):
        gap = 3 * gap + 1
    while gap > 0:
        for at in range(gap, len(rows)):
            x, y, z = rows[at, 0], rows[at, 1], rows[at, 2]
            to = at
            while to >= gap and (x < rows[to - gap, 0] or (x == rows[to - gap, 0] and y < rows[to - gap, 1])):
                rows[to, 0], rows[to, 1], rows[to, 2] = (
                    rows[to - gap, 0],
                    rows[to - gap, 1],
                    rows[to - gap, 2],
                )
                to -= gap
            rows[to, 0], rows[to, 1], rows[to, 2] = x, y, z
        gap //= 3


@njit
def trim(flags: tuple[Flags, Flags], a: int, b: int, length: int) -> tuple[int, int, int]:
    """Return a run (left token, right token, length) without flagged tokens, of either side, at its ends."""
    left, right = flags
    while length > 0 and (left[a] or right[b]):
        a, b, length = a + 1, b + 1, length - 1
    while length > 0 and (left[a + length - 1] or right[b + length - 1]):
        length -= 1
    return a, b, length


@njit
def _small_part_of_line(tokens: IndexedTokens, at: int, first: int, after: int) -> int:
    """Return how many of the tokens [first, after) are on the line of token `at`.

    Return 0 if they are more than two thirds of that line.
    """
    start, end = tokens.line_starts[at], tokens.line_ends[at]
    inside = min(after, end) - max(first, start)
    return 0 if 3 * inside > 2 * (end - start) else inside


@njit
def trim_to_lines(
    left: IndexedTokens, right: IndexedTokens, run: tuple[int, int, int], k: int
) -> tuple[int, int, int]:
    """Return a run (left token, right token, length) without small parts of lines at its ends.

    Any two statements begin with a few equal tokens. So a line at an end of a run stays only if more than
    two thirds of its tokens are in the run, on both sides. A run of which less than `k` tokens would remain
    is returned as it is.
    """
    a, b, length = run
    first, after = 0, length
    while first < after:
        cut = max(
            _small_part_of_line(left, a + after - 1, a + first, a + after),
            _small_part_of_line(right, b + after - 1, b + first, b + after),
        )
        if cut > 0:
            after -= cut
            continue
        cut = max(
            _small_part_of_line(left, a + first, a + first, a + after),
            _small_part_of_line(right, b + first, b + first, b + after),
        )
        if cut == 0:
            break
        first += cut
    if after - first < k:
        return run
    return a + first, b + first, after - first


@njit
def maximal_run(left: IndexedTokens, right: IndexedTokens, a: int, b: int) -> tuple[int, int, int]:
    """Return the maximal run of equal tokens through tokens (a, b), without boilerplate at its ends."""
    low = 0
    while a - low > 0 and b - low > 0 and left.kinds[a - low - 1] == right.kinds[b - low - 1]:
        low += 1
    high = 0
    while (
        a + high < len(left.kinds)
        and b + high < len(right.kinds)
        and left.kinds[a + high] == right.kinds[b + high]
    ):
        high += 1
    return trim((left.boilerplate, right.boilerplate), a - low, b - low, low + high)


@njit
def build_kgram_table(ordered_kgrams: Ids, distinct: int) -> Ids:
    """Return the k-gram table of one submission.

    For each of the `distinct` k-gram ids of the cohort, it has the index in `ordered_kgrams` of the first
    occurrence, or -1 if the submission does not contain the k-gram.
    """
    table = np.full(distinct, -1, dtype=np.int32)
    fill_kgram_table(ordered_kgrams, table)
    return table


@njit
def fill_kgram_table(ordered_kgrams: Ids, table: Ids) -> None:
    """Enter the k-grams of a submission into a table in which every entry is -1."""
    for at in range(len(ordered_kgrams) - 1, -1, -1):
        table[ordered_kgrams[at]] = at


@njit
def replace_kgrams(table: Ids, ordered_kgrams: Ids, order_starts: Bounds, entered: int, left: int) -> int:
    """Have a table contain the k-grams of submission `left` in place of those of `entered`, -1 for none.

    `ordered_kgrams` are those of all submissions. Return `left`.
    """
    if left != entered:
        if entered >= 0:
            table[ordered_kgrams[order_starts[entered] : order_starts[entered + 1]]] = -1
        fill_kgram_table(ordered_kgrams[order_starts[left] : order_starts[left + 1]], table)
    return left


@njit
def group_end(ordered_kgrams: Ids, at: int) -> int:
    end = at + 1
    while end < len(ordered_kgrams) and ordered_kgrams[end] == ordered_kgrams[at]:
        end += 1
    return end


@njit
def place_of(a: int, b: int) -> int:
    """Return both ends of a run in one number, which sorts by left token `a`, then by right token `b`."""
    return a << POSITION_BITS | b


@njit
def twice_as_long(runs: Runs) -> Runs:
    longer = np.empty((2 * len(runs), 2), dtype=np.int64)
    longer[: len(runs)] = runs
    return longer


@njit
def _equal_tokens(x: Kinds, y: Kinds, a: int, b: int) -> int:
    """Return how many tokens are equal from `a` in `x` and `b` in `y` on."""
    most, length = min(len(x) - a, len(y) - b), 0
    while length < most and x[a + length] == y[b + length]:
        length += 1
    return length


@njit
def _marks_end(flags: Flags, first: int, length: int) -> bool:
    """Return whether the first or the last of some tokens has a flag."""
    return bool(flags[first] or flags[first + length - 1])


# When a matchable k-gram has the same matchable k-gram before it on both sides, its run is found from that
# earlier one, so it is skipped, and all such occurrences at once. When a matchable one is before it on one
# side only, or another one on each side, the tokens before it differ and the run begins with it.
#
# This loop takes most of the time of a ranking, and a call with `IndexedTokens` in it takes as long as all
# the rest. So only runs with boilerplate call `maximal_run`.
@njit
def list_runs(
    pair: tuple[IndexedTokens, IndexedTokens], k: int, left_table: Ids, steps: int, runs: Runs
) -> tuple[int, Runs]:
    """Return the number of maximal runs that contain a matchable k-gram, and an array that begins with them.

    A row is (`place_of` the run, length). The runs are written to `runs`, or to a larger copy of it.
    `left_table` is the k-gram table of the left side. The number is -1 when the search takes more than
    `steps` comparisons.
    """
    (left, right), count, at = pair, 0, 0
    x, y, no_left_end, no_right_end = left.kinds, right.kinds, left.boilerplate, right.boilerplate
    while at < len(right.ordered_kgrams):
        first, end = left_table[right.ordered_kgrams[at]], group_end(right.ordered_kgrams, at)
        last = group_end(left.ordered_kgrams, first) if first >= 0 else first
        for i in range(first, last):
            a, previous, j = left.order[i], left.previous[i], at
            while j < end:
                steps -= 1
                if previous >= 0 and right.previous[j] == previous:
                    j = right.next_group[j]
                    continue
                b = right.order[j]
                start, other, length = a, b, _equal_tokens(x, y, a, b)
                may_begin_earlier = previous < 0 and right.previous[j] < 0
                has_boilerplate = _marks_end(no_left_end, a, length) or _marks_end(no_right_end, b, length)
                if may_begin_earlier or has_boilerplate:
                    start, other, length = maximal_run(left, right, a, b)
                steps -= length
                if length >= k:
                    if count == len(runs):
                        runs = twice_as_long(runs)
                    runs[count, 0], runs[count, 1] = place_of(start, other), length
                    count += 1
                j += 1
            if steps < 0:
                return -1, runs
        at = end
    return count, runs
