"""Passages: greedy tiling of two submissions with the runs of equal tokens that they share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint.kernels.registry import kernel, njit
from fingerprint.ranking.edges import lines_of, trim, trim_to_lines
from fingerprint.ranking.pieces import pop_piece, push_piece
from fingerprint.ranking.repetition import RANKED_RUNS_PER_TOKEN, fill_ranked_runs
from fingerprint.ranking.runs import POSITION_BITS, POSITION_MASK, list_runs, place_of
from fingerprint.ranking.sorting import sort_places, sort_rows

if TYPE_CHECKING:
    from fingerprint.ranking.alignment import IndexedTokens
    from fingerprint.types import Bounds, Flags, Ids, Positions, Runs

# Few pairs have more runs than this.
INITIAL_RUNS, INITIAL_PIECES = 256, 64
# Number of comparisons of tokens or positions after which a pair counts as repetitive: measured in
# `bench.repetitive`; pairs of programs that people wrote take a fraction.
STEPS_PER_TOKEN, LEAST_STEPS = 64, 1 << 16


@njit
def _first_free_piece(taken: tuple[Flags, Flags], a: int, b: int, length: int) -> tuple[int, int]:
    """Return the first stretch [start, end) of the run (a, b, length) that is free on both sides."""
    at = 0
    while at < length and (taken[0][a + at] or taken[1][b + at]):
        at += 1
    start = at
    while at < length and not (taken[0][a + at] or taken[1][b + at]):
        at += 1
    return start, at


@njit
def _has_matchable_kgram(kgrams: Ids, a: int, length: int, k: int) -> bool:
    for at in range(a, a + length - k + 1):  # noqa: SIM110 - a generator cannot be compiled
        if kgrams[at] >= 0:
            return True
    return False


@njit
def _group_by_length(runs: Runs) -> tuple[Bounds, Positions]:
    """Return the places of runs by length: those of length n are `places[starts[n]:starts[n + 1]]`."""
    longest = 0
    for at in range(len(runs)):
        longest = max(longest, runs[at, 1])
    starts = np.zeros(longest + 3, dtype=np.int64)
    for at in range(len(runs)):
        starts[runs[at, 1] + 2] += 1
    for length in range(longest + 2):
        starts[length + 1] += starts[length]
    places = np.empty(len(runs), dtype=np.int64)
    for at in range(len(runs)):
        length = runs[at, 1]
        places[starts[length + 1]] = runs[at, 0]
        starts[length + 1] += 1
    return starts[:-1], places


@njit
def _keep_open(places: Positions, taken: tuple[Flags, Flags], k: int) -> int:
    """Move those runs to the front of which token number k is free on both sides; return their number."""
    count, (left, right) = 0, taken
    for place in places:
        # Without a branch: which runs are open cannot be predicted.
        places[count] = place
        count += not (left[(place >> POSITION_BITS) + k - 1] | right[(place & POSITION_MASK) + k - 1])
    return count


@njit
def _add_tiles(runs: Runs, k: int, left_kgrams: Ids, taken: tuple[Flags, Flags], tiles: Runs) -> int:
    """Fill `tiles` with pieces of the runs, longest first, then by place; return the number of tiles.

    When earlier tiles cover part of a run, its free pieces are queued as runs of their own length. The new
    tiles are marked in `taken`. Most short runs are covered when their turn comes, so only the others are
    sorted.
    """
    starts, places = _group_by_length(runs)
    pieces, waiting = np.empty((INITIAL_PIECES, 2), dtype=np.int64), 0
    count = 0
    for length in range(len(starts) - 2, k - 1, -1):
        own, at = places[starts[length] : starts[length + 1]], 0
        if length < 2 * k:  # the pieces before and after token number k are too short
            own = own[: _keep_open(own, taken, k)]
        sort_places(own)
        while at < len(own) or (waiting > 0 and pieces[0, 0] == length):
            if waiting > 0 and pieces[0, 0] == length and (at == len(own) or pieces[0, 1] < own[at]):
                place = pop_piece(pieces, waiting)
                waiting -= 1
            else:
                place = own[at]
                at += 1
            a, b = place >> POSITION_BITS, place & POSITION_MASK
            start, end = _first_free_piece(taken, a, b, length)
            if end - start < length:
                if end - start >= k:
                    pieces = push_piece(pieces, waiting, end - start, place_of(a + start, b + start))
                    waiting += 1
                if length - end >= k:
                    pieces = push_piece(pieces, waiting, length - end, place_of(a + end, b + end))
                    waiting += 1
            elif _has_matchable_kgram(left_kgrams, a, length, k):
                tiles[count, 0], tiles[count, 1], tiles[count, 2] = a, b, length
                count += 1
                taken[0][a : a + length] = True
                taken[1][b : b + length] = True
    return count


@njit
def _runs_of_pair(left: IndexedTokens, right: IndexedTokens, k: int, left_table: Ids) -> Runs:
    """Return the runs of a pair: all, or for a repetitive pair a number linear in its tokens."""
    tokens = len(left.kinds) + len(right.kinds)
    steps = LEAST_STEPS + STEPS_PER_TOKEN * tokens
    runs = np.empty((INITIAL_RUNS, 2), dtype=np.int64)
    count, runs = list_runs((left, right), k, left_table, steps, runs)
    if count < 0:
        runs = np.empty((RANKED_RUNS_PER_TOKEN * len(right.kinds), 2), dtype=np.int64)
        count = fill_ranked_runs((left, right), k, left_table, steps, runs)
    return runs[:count]


@kernel
def tile_pair(
    left: IndexedTokens, right: IndexedTokens, k: int, left_table: Ids, taken: tuple[Flags, Flags]
) -> Runs:
    """Return non-overlapping runs of at least `k` equal tokens, by left token; they may contain common code.

    `left_table` is the k-gram table of the left side, see `build_kgram_table`. `taken` has room for the
    tokens of each side; none of them is set before the call or after it.

    Returns
    -------
    int64 array [tiles, 3]: left token, right token, length.
    """
    tiles = np.empty((min(len(left.kinds), len(right.kinds)) // k, 3), dtype=np.int64)
    count = _add_tiles(_runs_of_pair(left, right, k, left_table), k, left.kgrams, taken, tiles)
    for at in range(count):
        a, b, length = tiles[at]
        taken[0][a : a + length] = False
        taken[1][b : b + length] = False
    sort_rows(tiles[:count])
    return tiles[:count]


@kernel
def trim_tiles(tiles: Runs, left: IndexedTokens, right: IndexedTokens, k: int) -> tuple[Runs, Runs]:
    """Return the passages of sorted tiles, and the common ones, which shares do not count.

    Small parts of lines at the ends of a tile are left out, see `trim_to_lines`. Of the rest, a passage has
    no ignored token at its ends; what is cut off, or all where less than `k` tokens remain, is a common
    passage if it has `k` tokens. So every tile has a passage of one sort.
    """
    rows, common = np.empty_like(tiles), np.empty((2 * len(tiles), 3), dtype=np.int64)
    lines, ignored = lines_of(left, right), (left.ignored, right.ignored)
    count, common_count = 0, 0
    for i in range(len(tiles)):
        tile = trim_to_lines(lines, (tiles[i, 0], tiles[i, 1], tiles[i, 2]), k)
        a, b, length = trim(ignored, tile[0], tile[1], tile[2])
        if length >= k:
            rows[count, 0], rows[count, 1], rows[count, 2] = a, b, length
            count += 1
        else:
            a, b, length = tile[0] + tile[2], tile[1] + tile[2], 0
        before = a - tile[0]
        for x, y, n in ((tile[0], tile[1], before), (a + length, b + length, tile[2] - before - length)):
            if n >= k:
                common[common_count, 0], common[common_count, 1], common[common_count, 2] = x, y, n
                common_count += 1
    return rows[:count], common[:common_count]
