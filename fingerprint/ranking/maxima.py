"""Maxima for kernels: `ndarray.max` would take longer to compile than what it is used in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.kernels.registry import njit

if TYPE_CHECKING:
    from fingerprint.types import Bounds, Ids


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
