"""Short names of the files of a side: as much of each path as tells it from the others."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def shortest_unique_paths(paths: Sequence[str]) -> list[str]:
    """Return for every path as few of its last parts as no other path ends with, or else all of it."""
    ends = [_ends(path) for path in paths]
    counts = Counter(end for own in ends for end in own)
    return [next((end for end in own if counts[end] == 1), own[-1]) for own in ends]


def _ends(path: str) -> list[str]:
    """Return the ends of a path, the shortest first: `c`, `b/c` and `a/b/c` for `a/b/c`."""
    return list(accumulate(reversed(path.split("/")), lambda end, part: f"{part}/{end}"))
