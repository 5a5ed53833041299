"""Passages: greedy tiling of two submissions by the runs of equal tokens that they share."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import numpy as np

from fingerprint._jit import njit
from fingerprint.ranking.alignment import LOW, fill_free_runs, fill_runs, places_of, ranked, sort_rows, trim

if TYPE_CHECKING:
    from fingerprint.ranking.alignment import Side
    from fingerprint.types import Flags, Ids, Runs

# Runs that a pair rarely has more of, and how many times as many there is room for when it has.
ROOM = 256
MORE = 16


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
def _take(
    runs: Runs, sizes: tuple[int, int], left: Side, taken: tuple[Flags, Flags], found: tuple[Runs, int]
) -> int:
    """Add runs to the tiles found, longest first; what a taken run leaves of another goes back in line.

    `sizes`: tokens of a k-gram, and of the least piece worth keeping. Returns how many tiles there are then.
    """
    k, least = sizes
    tiles, count = found
    pieces = [(0, 0, 0) for _ in range(0)]
    at = 0
    while at < len(runs) or len(pieces) > 0:
        if len(pieces) > 0 and (at == len(runs) or pieces[0] < (runs[at, 0], runs[at, 1], runs[at, 2])):
            rank, b, length = heapq.heappop(pieces)
        else:
            rank, b, length = runs[at, 0], runs[at, 1], runs[at, 2]
            at += 1
        a = rank & LOW
        if length < 2 * least and (taken[0][a + least - 1] or taken[1][b + least - 1]):
            continue  # whatever is left on either side of this token is too short
        start, end = _free_piece(taken, a, b, length)
        if end - start < length:
            if end - start >= least:
                heapq.heappush(pieces, (ranked(a + start, end - start), b + start, end - start))
            if length - end >= least:
                heapq.heappush(pieces, (ranked(a + end, length - end), b + end, length - end))
        elif _is_live(left, a, length, k):
            tiles[count, 0], tiles[count, 1], tiles[count, 2] = a, b, length
            count += 1
            for offset in range(length):
                taken[0][a + offset] = taken[1][b + offset] = True
    return count


@njit
def _take_by_length(
    pair: tuple[Side, Side], k: int, places: Ids, taken: tuple[Flags, Flags], tiles: Runs
) -> int:
    """Tile long runs before short ones are looked for: most of those lie in what is taken by then.

    Two tables of numbers have a run for each of their rows with each, and hardly a tile.
    """
    rows, count = np.empty((ROOM, 3), dtype=np.int64), 0
    least = max(k, min(len(pair[0].kinds), len(pair[1].kinds)) // 2)
    while True:
        found = fill_free_runs(pair, (k, least), taken, places, rows)
        while found > len(rows):
            rows = np.empty((MORE * len(rows), 3), dtype=np.int64)
            found = fill_free_runs(pair, (k, least), taken, places, rows)
        sort_rows(rows[:found])
        count = _take(rows[:found], (k, least), pair[0], taken, (tiles, count))
        if least == k:
            return count
        least = max(k, least // 2)


@njit
def tiles_of(left: Side, right: Side, k: int, places: Ids, taken: tuple[Flags, Flags]) -> Runs:
    """Non-overlapping runs of equal tokens of at least `k`, by left token; common code is in them.

    `places` is the table of the left side's k-grams, see `places_of`; `taken` has room for the tokens of
    either side, none of them set before or after.
    """
    tiles = np.empty((min(len(left.kinds), len(right.kinds)) // k, 3), dtype=np.int64)
    rows = np.empty((ROOM, 3), dtype=np.int64)
    found = fill_runs(left, right, k, places, rows)
    if found > len(rows) and not (left.boilerplate.any() or right.boilerplate.any()):
        count = _take_by_length((left, right), k, places, taken, tiles)
    else:
        if found > len(rows):
            rows = np.empty((found, 3), dtype=np.int64)
            fill_runs(left, right, k, places, rows)
        sort_rows(rows[:found])
        count = _take(rows[:found], (k, k), left, taken, (tiles, 0))
    for at in range(count):
        a, b, length = tiles[at]
        taken[0][a : a + length] = False
        taken[1][b : b + length] = False
    sort_rows(tiles[:count])
    return tiles[:count]


@njit
def shown_of(tiles: Runs, left: Side, right: Side, k: int) -> Runs:
    """Cut ignored code off the ends of tiles; those of which at least `k` tokens are left."""
    rows = np.empty_like(tiles)
    found = 0
    for i in range(len(tiles)):
        a, b, length = trim((left.ignored, right.ignored), tiles[i, 0], tiles[i, 1], tiles[i, 2])
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
    taken = np.zeros(len(left.kinds), dtype=np.bool_), np.zeros(len(right.kinds), dtype=np.bool_)
    tiles = tiles_of(left, right, k, places_of(left.grams, distinct), taken)
    rows = shown_of(tiles, left, right, k)
    return rows[np.lexsort((rows[:, 1], rows[:, 0], -rows[:, 2]))]
