"""Sort what numpy takes longer for: few runs, or millions of numbers without gaps; quick maxima."""

from __future__ import annotations

import numpy as np

from fingerprint.kernels.registry import bare_kernel, bare_njit, kernel, njit
from fingerprint.kernels.types import Bounds, Ids, Positions, Runs

# Up to so many numbers are sorted by insertion.
FEW = 48


@kernel
def sort_places(places: Positions) -> None:
    """Sort numbers in place; `ndarray.sort` takes longer to begin than this takes for few of them."""
    if len(places) > FEW:
        places.sort()
        return
    for at in range(1, len(places)):
        place, to = places[at], at
        while to > 0 and place < places[to - 1]:
            places[to] = places[to - 1]
            to -= 1
        places[to] = place


@bare_kernel
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
                rows[to, 0], rows[to, 1], rows[to, 2] = (rows[to - gap, 0], rows[to - gap, 1], rows[to - gap, 2])
                to -= gap
            rows[to, 0], rows[to, 1], rows[to, 2] = x, y, z
        gap //= 3


@njit
def group_by_length(runs: Runs) -> tuple[Bounds, Positions]:
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


@njit
def _reorder(order: Ids, keys: Ids) -> Ids:
    """Return `order` sorted by the keys of its entries; equal keys stay in order (counting sort)."""
    starts = np.zeros(highest_id(keys) + 2, dtype=np.int64)
    for key in keys:
        starts[key + 1] += 1
    for key in range(len(starts) - 1):
        starts[key + 1] += starts[key]
    reordered = np.empty_like(order)
    for at in order:
        reordered[starts[keys[at]]] = at
        starts[keys[at]] += 1
    return reordered


@kernel
def order_by(first: Ids, second: Ids, third: Ids) -> Ids:
    """Return the indices, int32, that sort by three keys, the first one first, as `np.lexsort` does.

    Keys are numbers from 0; the time is linear in their count and in the highest one.
    """
    return _reorder(_reorder(_reorder(np.arange(len(first), dtype=np.int32), third), second), first)


@kernel
def number_pairs(first: Ids, second: Ids) -> Ids:
    """Return a number for each pair of two keys, the same for equal pairs: int32, from 0, without gaps."""
    order = _reorder(_reorder(np.arange(len(first), dtype=np.int32), second), first)
    numbers, number = np.empty(len(first), dtype=np.int32), 0
    for at in range(len(order)):
        here, before = order[at], order[max(at - 1, 0)]
        number += first[here] != first[before] or second[here] != second[before]
        numbers[here] = number
    return numbers


@njit
def highest_id(ids: Ids) -> int:
    """Return the highest id, -1 where there is none."""
    highest = -1
    for one in ids:
        highest = max(highest, one)
    return highest


@njit
def longest_part(starts: Bounds) -> int:
    """Return the length of the longest part between two starts, 0 where there is none."""
    longest = 0
    for at in range(len(starts) - 1):
        longest = max(longest, starts[at + 1] - starts[at])
    return longest
