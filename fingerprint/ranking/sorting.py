"""Sort the few runs of a pair in place: `ndarray.sort` takes longer to begin than these take in all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint._jit import njit

if TYPE_CHECKING:
    from fingerprint.types import Positions, Runs

# Up to so many numbers are sorted by insertion.
FEW = 48


@njit
def sort_places(places: Positions) -> None:
    """Sort numbers in place."""
    if len(places) > FEW:
        places.sort()
        return
    for at in range(1, len(places)):
        place, to = places[at], at
        while to > 0 and place < places[to - 1]:
            places[to] = places[to - 1]
            to -= 1
        places[to] = place


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
