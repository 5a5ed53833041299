"""Maximal runs of equal tokens that two submissions share, verified token by token.

Fingerprints say where to look; what is drawn is found on the tokens (winnowing, section 5.2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint._jit import njit

if TYPE_CHECKING:
    from fingerprint.types import Flags, Ids, Kinds, Positions, Runs


# A submission has fewer tokens than this many bits count.
BITS = 32
LOW = (1 << BITS) - 1


class Side(NamedTuple):
    """One submission of n tokens, files joined by separators that equal nothing.

    `kinds` uint64 [n]; `ids` int32 [n]: the k-gram that starts at a token, -1 where none is live;
    `boilerplate` bool [n]: tokens that no passage begins or ends with; `ignored` bool [n]: those and common
    code, which passages may hold and percentages leave out; `order` int64: positions of the live k-grams,
    sorted by (id, id before, position), and `grams` int32 their ids; `after` int64: where in `order` the next
    (id, id before) begins. Both count from the submission's own first.
    """

    kinds: Kinds
    ids: Ids
    boilerplate: Flags
    ignored: Flags
    order: Positions
    grams: Ids
    after: Positions


def sides_of(kinds: Kinds, ids: Ids, flags: tuple[Flags, Flags], bounds: Positions) -> tuple[Side, Positions]:
    """Lay out all submissions of a cohort in one Side, and say whose part of its `order` is where.

    Live k-grams are sorted by owner, then so that those on one run are skipped together.
    """
    before = np.concatenate((np.full(1, -1, dtype=np.int32), ids[:-1]))[: len(ids)]
    live = np.flatnonzero(ids >= 0)
    owner = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))[live]
    sort = np.lexsort((before[live], ids[live], owner))
    order, owner = live[sort], owner[sort]
    keys = np.stack((owner, ids[order], before[order]))
    ends = np.flatnonzero((np.diff(keys) != 0).any(axis=0)) + 1
    sizes = np.diff(np.concatenate(([0], ends, [len(order)])))
    held = np.searchsorted(owner, np.arange(len(bounds))).astype(np.int64)
    after = np.repeat(np.cumsum(sizes), sizes) - held[owner]
    return Side(kinds, ids, *flags, order - bounds[owner], ids[order], after), held


@njit
def sort_rows(rows: Runs) -> None:
    """Sort rows of three in place by the first two columns: Shell's method, quick for the few of a pair."""
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
    """Drop the tokens at either end of a run that are flagged on either side."""
    left, right = flags
    while length > 0 and (left[a] or right[b]):
        a, b, length = a + 1, b + 1, length - 1
    while length > 0 and (left[a + length - 1] or right[b + length - 1]):
        length -= 1
    return a, b, length


@njit
def _extend(left: Side, right: Side, a: int, b: int) -> tuple[int, int, int]:
    """Maximal run of equal tokens through (a, b), less boilerplate at either end."""
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
def _before(side: Side, at: int) -> int:
    return side.ids[at - 1] if at else -1


@njit
def places_of(grams: Ids, distinct: int) -> Ids:
    """Make a table of where in `grams` each of the `distinct` k-grams begins: -1 for those it has not."""
    places = np.full(distinct, -1, dtype=np.int32)
    enter(grams, places)
    return places


@njit
def enter(grams: Ids, places: Ids) -> None:
    """Put the k-grams of a submission into a table that has none."""
    for at in range(len(grams) - 1, -1, -1):
        places[grams[at]] = at


@njit
def _group_end(grams: Ids, at: int) -> int:
    end = at + 1
    while end < len(grams) and grams[end] == grams[at]:
        end += 1
    return end


@njit
def ranked(a: int, length: int) -> int:
    """Put longer runs before shorter ones, and equally long ones by their left token, which is `& LOW`."""
    return a - (length << BITS)


@njit
def fill_runs(left: Side, right: Side, k: int, places: Ids, rows: Runs) -> int:
    """Fill `rows` with maximal runs that hold a live k-gram, as far as there is room; return how many.

    Two k-grams that follow the same live k-gram lie on a run that is seeded further left. Passing over
    all of those at once keeps low-entropy text (a constant table) linear where it would be quadratic.
    """
    count, at = 0, 0
    while at < len(right.grams):
        first = places[right.grams[at]]
        if first < 0:
            at += 1
            continue
        end = _group_end(right.grams, at)
        for a in left.order[first : _group_end(left.grams, first)]:
            before, j = _before(left, a), at
            while j < end:
                b = right.order[j]
                if before >= 0 and _before(right, b) == before:
                    j = right.after[j]
                    continue
                start, other, length = _extend(left, right, a, b)
                if length >= k:
                    if count < len(rows):
                        rows[count, 0], rows[count, 1], rows[count, 2] = ranked(start, length), other, length
                    count += 1
                j += 1
        at = end
    return count


@njit
def _free_before(kinds: tuple[Kinds, Kinds], taken: tuple[Flags, Flags], a: int, b: int, most: int) -> int:
    """How many equal tokens, free on both sides, stand before (a, b); `most` if more."""
    (left, right), (on_left, on_right) = kinds, taken
    low, end = 1, min(a, b, most)
    while low <= end and left[a - low] == right[b - low] and not (on_left[a - low] or on_right[b - low]):
        low += 1
    return low - 1


@njit
def _free_from(kinds: tuple[Kinds, Kinds], taken: tuple[Flags, Flags], a: int, b: int) -> int:
    """How many equal tokens, free on both sides, begin at (a, b)."""
    (left, right), (on_left, on_right) = kinds, taken
    high, end = 0, min(len(left) - a, len(right) - b)
    while high < end and left[a + high] == right[b + high] and not (on_left[a + high] or on_right[b + high]):
        high += 1
    return high


@njit
def fill_free_runs(
    pair: tuple[Side, Side], sizes: tuple[int, int], taken: tuple[Flags, Flags], places: Ids, rows: Runs
) -> int:
    """Fill `rows` with maximal free runs of at least so many tokens, as `fill_runs` does; no boilerplate.

    `sizes`: tokens of a k-gram, and of such a run at least.

    Every k-gram that both sides have is live, so that such a run holds one at a multiple of the stride; the
    first of these finds it. No taken stretch is shorter than a k-gram: one whose ends are free is free.
    """
    left, right = pair
    kinds, (on_left, on_right) = (left.kinds, right.kinds), taken
    k, least = sizes
    stride, count = least - k + 1, 0
    for b in range(0, len(right.ids), stride):
        first = places[right.ids[b]] if right.ids[b] >= 0 else -1
        if first < 0 or on_right[b] or on_right[b + k - 1]:
            continue
        for a in left.order[first : _group_end(left.grams, first)]:
            if on_left[a] or on_left[a + k - 1]:
                continue
            low = _free_before(kinds, taken, a, b, stride)
            if low == stride:
                continue
            length = low + _free_from(kinds, taken, a, b)
            if length >= least:
                if count == len(rows):
                    return count + 1
                rows[count, 0], rows[count, 1], rows[count, 2] = ranked(a - low, length), b - low, length
                count += 1
    return count
