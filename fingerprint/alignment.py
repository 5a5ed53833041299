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


class Side(NamedTuple):
    """One submission of n tokens, files joined by separators that equal nothing.

    `kinds` uint64 [n]; `ids` int32 [n]: the k-gram that starts at a token, -1 where none is live;
    `boilerplate` bool [n]: tokens that no passage begins or ends with; `ignored` bool [n]: those and common
    code, which passages may hold and percentages leave out; `order` int64: positions of the live k-grams,
    sorted by (id, id before, position); `after` int64: where in `order` the next (id, id before) begins.
    """

    kinds: Kinds
    ids: Ids
    boilerplate: Flags
    ignored: Flags
    order: Seeds
    after: Seeds

    @classmethod
    def of(cls, kinds: Kinds, ids: Ids, flags: tuple[Flags, Flags], owner: Seeds) -> Side:
        """Sort the live k-grams by owner, then so that those on one run are skipped together."""
        before = np.concatenate((np.full(1, -1, dtype=np.int32), ids[:-1]))[: len(ids)]
        live = np.flatnonzero(ids >= 0)
        order = live[np.lexsort((live, before[live], ids[live], owner[live]))]
        keys = np.stack((owner[order], ids[order], before[order]))
        ends = np.flatnonzero((np.diff(keys) != 0).any(axis=0)) + 1
        sizes = np.diff(np.concatenate(([0], ends, [len(order)])))
        return cls(kinds, ids, *flags, order, np.repeat(np.cumsum(sizes), sizes))


@njit
def _seed_groups(left: Side, right: Side) -> Seeds:
    """Rows (left from, left to, right from, right to) into both orders, one for each shared k-gram."""
    groups = np.empty((min(len(left.order), len(right.order)), 4), dtype=np.int64)
    found, a, b = 0, 0, 0
    while a < len(left.order) and b < len(right.order):
        x, y = left.ids[left.order[a]], right.ids[right.order[b]]
        if x < y:
            a += 1
        elif y < x:
            b += 1
        else:
            a_end, b_end = a + 1, b + 1
            while a_end < len(left.order) and left.ids[left.order[a_end]] == x:
                a_end += 1
            while b_end < len(right.order) and right.ids[right.order[b_end]] == x:
                b_end += 1
            groups[found] = (a, a_end, b, b_end)
            found += 1
            a, b = a_end, b_end
    return groups[:found]


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
def _runs(left: Side, right: Side, k: int) -> list[tuple[int, int, int]]:
    """All maximal runs that hold a live k-gram, as (-length, a, b).

    Two k-grams that follow the same live k-gram lie on a run that is seeded further left. Passing over
    all of those at once keeps low-entropy text (a constant table) linear where it would be quadratic.
    """
    runs = [(0, 0, 0) for _ in range(0)]
    for a_from, a_to, b_from, b_to in _seed_groups(left, right):
        for a in left.order[a_from:a_to]:
            before, j = _before(left, a), b_from
            while j < b_to:
                b = right.order[j]
                if before >= 0 and _before(right, b) == before:
                    j = right.after[j]
                    continue
                start, other, length = _extend(left, right, a, b)
                if length >= k:
                    runs.append((-length, start, other))
                j += 1
    return runs


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
def _tile(runs: list[tuple[int, int, int]], left: Side, right: Side, k: int) -> list[tuple[int, int, int]]:
    """Take runs longest first; what a taken run leaves of another goes back in line."""
    taken = (np.zeros(len(left.kinds), dtype=np.bool_), np.zeros(len(right.kinds), dtype=np.bool_))
    tiles = [(0, 0, 0) for _ in range(0)]
    pieces = [(0, 0, 0) for _ in range(0)]
    runs.sort()
    at = 0
    while at < len(runs) or len(pieces) > 0:
        if len(pieces) > 0 and (at == len(runs) or pieces[0] < runs[at]):
            negative, a, b = heapq.heappop(pieces)
        else:
            negative, a, b = runs[at]
            at += 1
        length = -negative
        start, end = _free_piece(taken, a, b, length)
        if end - start < length:
            if end - start >= k:
                heapq.heappush(pieces, (start - end, a + start, b + start))
            if length - end >= k:
                heapq.heappush(pieces, (end - length, a + end, b + end))
        elif left.ids[a : a + length - k + 1].max() >= 0:
            tiles.append((a, b, length))
            taken[0][a : a + length] = True
            taken[1][b : b + length] = True
    return tiles


@njit
def tiles_of(left: Side, right: Side, k: int) -> Runs:
    """Non-overlapping runs of equal tokens of at least `k`, longest first; common code is in them."""
    tiles = _tile(_runs(left, right, k), left, right, k)
    rows = np.empty((len(tiles), 3), dtype=np.int64)
    for i in range(len(tiles)):
        rows[i, 0], rows[i, 1], rows[i, 2] = tiles[i]
    return rows


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
    rows = shown_of(tiles_of(left, right, k), left, right, k)
    return rows[np.lexsort((rows[:, 1], rows[:, 0], -rows[:, 2]))]
