"""Passages: greedy tiling of two submissions with the runs of equal tokens that they share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint.kernels.registry import bare_njit, kernel, njit
from fingerprint.ranking.alignment import longer
from fingerprint.ranking.repetition import RANKED_RUNS_PER_TOKEN, fill_ranked_runs
from fingerprint.ranking.runs import (
    INITIAL_RUNS,
    POSITION_BITS,
    POSITION_MASK,
    has_any,
    lines_of,
    list_long_runs,
    list_runs,
    place_of,
    trim,
    trim_to_lines,
    with_room,
)
from fingerprint.ranking.short_tiles import add_short_tiles, pop_piece, push_piece, shared_places
from fingerprint.ranking.sorting import sort_places, sort_rows

if TYPE_CHECKING:
    from fingerprint.ranking.alignment import IndexedTokens
    from fingerprint.ranking.runs import Lines
    from fingerprint.ranking.workspace import Workspace
    from fingerprint.types import Bounds, Flags, Ids, Positions, Runs

# Few pairs have more pieces that wait than this.
INITIAL_PIECES = 64
# Number of comparisons of tokens or positions after which a pair counts as repetitive: measured in
# `bench.repetitive`; pairs of programs that people wrote take a fraction.
STEPS_PER_TOKEN, LEAST_STEPS = 64, 1 << 16


@bare_njit
def _first_free_piece(taken: tuple[Flags, Flags], a: int, b: int, length: int) -> tuple[int, int]:
    """Return the first stretch [start, end) of the run (a, b, length) that is free on both sides."""
    left, right = taken
    at = 0
    while at < length and (left[a + at] or right[b + at]):
        at += 1
    start = at
    while at < length and not (left[a + at] or right[b + at]):
        at += 1
    return start, at


@bare_njit
def _mark(taken: tuple[Flags, Flags], tiles: Runs, at: int, value: int) -> None:
    """Mark the tokens of a tile as taken, with 1, or as free again, with 0."""
    a, b, length = tiles[at, 0], tiles[at, 1], tiles[at, 2]
    for offset in range(length):
        taken[0][a + offset] = taken[1][b + offset] = value == 1


@bare_njit
def _has_matchable_kgram(kgrams: Ids, a: int, length: int, k: int) -> bool:
    for at in range(a, a + length - k + 1):  # noqa: SIM110 - a generator cannot be compiled
        if kgrams[at] >= 0:
            return True
    return False


@njit
def _group_by_length(runs: Runs) -> tuple[Bounds, Positions]:
    """Return the places of runs by length: those of length n are `places[starts[n]:starts[n + 1]]`."""
    starts = np.zeros(_longest(runs) + 3, dtype=np.int64)
    places = np.empty(len(runs), dtype=np.int64)
    _fill_places(runs, starts, places)
    return starts[:-1], places


@bare_njit
def _longest(runs: Runs) -> int:
    longest = 0
    for at in range(len(runs)):
        longest = max(longest, runs[at, 1])
    return longest


@bare_njit
def _fill_places(runs: Runs, starts: Bounds, places: Positions) -> None:
    for at in range(len(runs)):
        starts[runs[at, 1] + 2] += 1
    for length in range(len(starts) - 1):
        starts[length + 1] += starts[length]
    for at in range(len(runs)):
        length = runs[at, 1]
        places[starts[length + 1]] = runs[at, 0]
        starts[length + 1] += 1


@bare_njit
def _keep_open(places: Positions, taken: tuple[Flags, Flags], k: int) -> int:
    """Move those runs to the front of which token number k is free on both sides; return their number."""
    count, (left, right) = 0, taken
    for place in places:
        # Without a branch: which runs are open cannot be predicted.
        places[count] = place
        count += not (left[(place >> POSITION_BITS) + k - 1] | right[(place & POSITION_MASK) + k - 1])
    return count


@njit
def _add_tiles(
    runs: Runs, lengths: tuple[int, int], sides: tuple[Ids, tuple[Flags, Flags]], tiles: Runs
) -> int:
    """Fill `tiles` with pieces of the runs, longest first, then by place; return their number.

    `lengths` are k, and the least length of a tile; `sides` are the ids of the k-grams on the left, and what
    is taken. When earlier tiles cover part of a run, its free pieces are queued as runs of their own length.
    The tiles are marked in `taken`. Most short runs are covered when their turn comes, so only the others are
    sorted.
    """
    k, least = lengths
    starts, places = _group_by_length(runs)
    count, waiting, pieces = 0, 0, np.empty((INITIAL_PIECES, 2), dtype=np.int64)
    for length in range(len(starts) - 2, least - 1, -1):
        of_length, progress = places[starts[length] : starts[length + 1]], (0, count, waiting)
        if length < 2 * k:  # the pieces before and after token number k are too short
            of_length = of_length[: _keep_open(of_length, sides[1], k)]
        sort_places(of_length)
        while True:
            progress = _add_tiles_of((of_length, pieces, tiles), (length, k, least), sides, progress)
            count, waiting = progress[1], progress[2]
            if waiting + 2 <= len(pieces):
                break
            pieces = with_room(pieces, waiting + 2)
    return count


@bare_njit
def _add_tiles_of(
    arrays: tuple[Positions, Runs, Runs],
    lengths: tuple[int, int, int],
    sides: tuple[Ids, tuple[Flags, Flags]],
    progress: tuple[int, int, int],
) -> tuple[int, int, int]:
    """Fill tiles with the runs and pieces of one length; `lengths` are this, k, and the least one of a tile.

    The arrays are the places of the runs, the pieces and the tiles. The progress is the number of runs that
    are done, of tiles, and of waiting pieces; this ends early where there is no room for two more pieces.
    """
    (of_length, pieces, tiles), (left_kgrams, taken), (at, count, waiting) = arrays, sides, progress
    length, k, least = lengths
    while waiting + 2 <= len(pieces):
        has_piece = waiting > 0 and pieces[0, 0] == length
        if at == len(of_length) and not has_piece:
            break
        if has_piece and (at == len(of_length) or pieces[0, 1] < of_length[at]):
            place = pop_piece(pieces, waiting)
            waiting -= 1
        else:
            place = of_length[at]
            at += 1
        a, b = place >> POSITION_BITS, place & POSITION_MASK
        start, end = _first_free_piece(taken, a, b, length)
        if end - start < length:
            if end - start >= least:
                push_piece(pieces, waiting, end - start, place_of(a + start, b + start))
                waiting += 1
            if length - end >= least:
                push_piece(pieces, waiting, length - end, place_of(a + end, b + end))
                waiting += 1
        elif _has_matchable_kgram(left_kgrams, a, length, k):
            tiles[count, 0], tiles[count, 1], tiles[count, 2] = a, b, length
            _mark(taken, tiles, count, 1)
            count += 1
    return at, count, waiting


@njit
def _tile_in_two_turns(
    pair: tuple[IndexedTokens, IndexedTokens], k: int, space: Workspace, tiles: Runs
) -> int:
    """Fill `tiles` as from all runs; return their number, or -1 where `_runs_of_pair` is to decide."""
    left, right = pair
    if has_any(left.boilerplate) or has_any(right.boilerplate):
        return -1
    shared, starts = shared_places(right, space)
    # A step is a look at a start of a run, or one token of a run. Each start is one of those counted here.
    if starts * (k + 1) > _most_steps(left, right):
        return -1
    least = k + longer(k)
    runs = list_long_runs((left.long, right.long), least, space.long_table, space.long_members)
    sides = left.kgrams, space.taken
    count = _add_tiles(runs, (k, least), sides, tiles)
    return add_short_tiles(pair, (k, least), (shared, count), space, tiles)


@bare_njit
def _most_steps(left: IndexedTokens, right: IndexedTokens) -> int:
    return LEAST_STEPS + STEPS_PER_TOKEN * (len(left.kinds) + len(right.kinds))


@njit
def _runs_of_pair(left: IndexedTokens, right: IndexedTokens, k: int, left_table: Ids) -> Runs:
    """Return the runs of a pair: all, or for a repetitive pair a number linear in its tokens."""
    steps = _most_steps(left, right)
    runs = np.empty((INITIAL_RUNS, 2), dtype=np.int64)
    count, runs = list_runs((left, right), k, left_table, steps, runs)
    if count < 0:
        runs = np.empty((RANKED_RUNS_PER_TOKEN * len(right.kinds), 2), dtype=np.int64)
        count = fill_ranked_runs((left, right), k, left_table, steps, runs)
    return runs[:count]


@kernel
def tile_pair(left: IndexedTokens, right: IndexedTokens, k: int, space: Workspace) -> Runs:
    """Return non-overlapping runs of at least `k` equal tokens, by left token; they may contain common code.

    The workspace is filled for the left side, see `enter`.

    Returns
    -------
    int64 array [tiles, 3]: left token, right token, length.
    """
    tiles = np.empty((min(len(left.kinds), len(right.kinds)) // k, 3), dtype=np.int64)
    count = _tile_in_two_turns((left, right), k, space, tiles)
    if count < 0:
        runs = _runs_of_pair(left, right, k, space.table)
        count = _add_tiles(runs, (k, k), (left.kgrams, space.taken), tiles)
    for at in range(count):
        _mark(space.taken, tiles, at, 0)
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
    count, common_count = _fill_passages(tiles, (lines, ignored), k, rows, common)
    return rows[:count], common[:common_count]


@bare_njit
def _fill_passages(
    tiles: Runs, sides: tuple[Lines, tuple[Flags, Flags]], k: int, rows: Runs, common: Runs
) -> tuple[int, int]:
    """Fill `rows` with passages and `common` with common passages; return their numbers."""
    lines, ignored = sides
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
    return count, common_count
