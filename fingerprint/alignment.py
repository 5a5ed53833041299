"""Passages: maximal runs of equal tokens shared by two submissions, verified token by token.

Fingerprints say where to look; what is drawn is found on the tokens (winnowing, section 5.2).
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint._jit import njit

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.tokens import Kinds

    Ids = npt.NDArray[np.int32]
    Flags = npt.NDArray[np.bool_]
    Seeds = npt.NDArray[np.int64]
    Runs = npt.NDArray[np.int64]

# A submission has fewer tokens than this many bits count.
BITS = 32
LOW = (1 << BITS) - 1
# Runs that a pair rarely has more of.
ROOM = 256


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
    order: Seeds
    grams: Ids
    after: Seeds


def sides_of(kinds: Kinds, ids: Ids, flags: tuple[Flags, Flags], bounds: Seeds) -> tuple[Side, Seeds]:
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
def _trim(flags: tuple[Flags, Flags], a: int, b: int, length: int) -> tuple[int, int, int]:
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
    return _trim((left.boilerplate, right.boilerplate), a - low, b - low, low + high)


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
def _rank(a: int, length: int) -> int:
    """Put longer runs before shorter ones, and equally long ones by their left token, which is `& LOW`."""
    return a - (length << BITS)


@njit
def _fill_runs(left: Side, right: Side, k: int, places: Ids, rows: Runs) -> int:
    """Fill `rows` with maximal runs, as far as there is room; return how many there are.

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
                        rows[count, 0], rows[count, 1], rows[count, 2] = _rank(start, length), other, length
                    count += 1
                j += 1
        at = end
    return count


@njit
def _runs(left: Side, right: Side, k: int, places: Ids) -> Runs:
    """All maximal runs that hold a live k-gram, as (rank, b, length), longest first, then by a and b."""
    rows = np.empty((ROOM, 3), dtype=np.int64)
    count = _fill_runs(left, right, k, places, rows)
    if count > len(rows):  # once more: rows that grow meanwhile would slow the usual pair down threefold
        rows = np.empty((count, 3), dtype=np.int64)
        _fill_runs(left, right, k, places, rows)
    sort_rows(rows[:count])
    return rows[:count]


@njit
def _free_piece(taken: tuple[Flags, Flags], a: int, b: int, length: int) -> tuple[int, int]:
    """First stretch [from, to) of the run (a, b, length) that is taken on neither side."""
    at = 0
    while at < length and (taken[0][a + at] or taken[1][b + at]):
        at += 1
    start = at
    while at < length and not (taken[0][a + at] or taken[1][b + at]):
        at += 1
    return start, at


@njit
def _is_live(side: Side, a: int, length: int, k: int) -> bool:
    for at in range(a, a + length - k + 1):  # noqa: SIM110 - a generator cannot be compiled
        if side.ids[at] >= 0:
            return True
    return False


@njit
def _tile(runs: Runs, left: Side, right: Side, k: int) -> Runs:
    """Take runs longest first; what a taken run leaves of another goes back in line."""
    taken = (np.zeros(len(left.kinds), dtype=np.bool_), np.zeros(len(right.kinds), dtype=np.bool_))
    tiles, count = np.empty((min(len(left.kinds), len(right.kinds)) // k, 3), dtype=np.int64), 0
    pieces = [(0, 0, 0) for _ in range(0)]
    at = 0
    while at < len(runs) or len(pieces) > 0:
        if len(pieces) > 0 and (at == len(runs) or pieces[0] < (runs[at, 0], runs[at, 1], runs[at, 2])):
            rank, b, length = heapq.heappop(pieces)
        else:
            rank, b, length = runs[at, 0], runs[at, 1], runs[at, 2]
            at += 1
        a = rank & LOW
        if length < 2 * k and (taken[0][a + k - 1] or taken[1][b + k - 1]):
            continue  # whatever is left on either side of this token is shorter than k
        start, end = _free_piece(taken, a, b, length)
        if end - start < length:
            if end - start >= k:
                heapq.heappush(pieces, (_rank(a + start, end - start), b + start, end - start))
            if length - end >= k:
                heapq.heappush(pieces, (_rank(a + end, length - end), b + end, length - end))
        elif _is_live(left, a, length, k):
            tiles[count, 0], tiles[count, 1], tiles[count, 2] = a, b, length
            count += 1
            for offset in range(length):
                taken[0][a + offset] = taken[1][b + offset] = True
    return tiles[:count]


@njit
def tiles_of(left: Side, right: Side, k: int, places: Ids) -> Runs:
    """Non-overlapping runs of equal tokens of at least `k`, by left token; common code is in them.

    `places` is the table of the left side's k-grams, see `places_of`.
    """
    tiles = _tile(_runs(left, right, k, places), left, right, k)
    sort_rows(tiles)
    return tiles


@njit
def shown_of(tiles: Runs, left: Side, right: Side, k: int) -> Runs:
    """Cut ignored code off the ends of tiles; those of which at least `k` tokens are left."""
    rows = np.empty_like(tiles)
    found = 0
    for i in range(len(tiles)):
        a, b, length = _trim((left.ignored, right.ignored), tiles[i, 0], tiles[i, 1], tiles[i, 2])
        if length >= k:
            rows[found, 0], rows[found, 1], rows[found, 2] = a, b, length
            found += 1
    return rows[:found]


def passages(left: Side, right: Side, k: int) -> Runs:
    """Non-overlapping passages of two submissions, longest first.

    Each row (left token, right token, length) is a run of equal tokens of at least `k`, as long as the
    tokens and the longer passages allow, that neither begins nor ends with an ignored token; ties go to
    the earlier left, then right token.

    Returns
    -------
    int64 array [p, 3].
    """
    distinct = 1 + max(int(side.grams.max(initial=-1)) for side in (left, right))
    rows = shown_of(tiles_of(left, right, k, places_of(left.grams, distinct)), left, right, k)
    return rows[np.lexsort((rows[:, 1], rows[:, 0], -rows[:, 2]))]
