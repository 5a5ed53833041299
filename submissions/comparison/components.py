"""Connected components of submissions that pairs join. Needs no Django."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def connected_components(pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return the components of the submissions in `pairs`, the largest first, each in ascending order.

    Components of one size are in the order of their first pair.
    """
    parents: dict[int, int] = {}
    for left, right in pairs:
        left_root, right_root = _root(parents, left), _root(parents, right)
        if left_root != right_root:
            parents[right_root] = left_root
    members: dict[int, list[int]] = defaultdict(list)
    for submission in parents:
        members[_root(parents, submission)].append(submission)
    return sorted(map(sorted, members.values()), key=len, reverse=True)


def _root(parents: dict[int, int], submission: int) -> int:
    """Return the root of a submission's tree; shorten the way to it."""
    parent = parents.setdefault(submission, submission)
    while parent != submission:
        parents[submission] = grandparent = parents[parent]
        submission, parent = grandparent, parents[grandparent]
    return submission
