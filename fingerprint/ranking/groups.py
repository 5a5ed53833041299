"""Groups of submissions that are never compared with each other, such as the attempts of one student."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.kernels.registry import kernel, njit

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from fingerprint.types import Bounds, Ids


class Groups(NamedTuple):
    """The groups of each submission: those of submission s are `ids[starts[s]:starts[s + 1]]`, ascending."""

    starts: Bounds
    ids: Ids

    @classmethod
    def from_lists(cls, groups: Sequence[Collection[int]]) -> Groups:
        """Build the arrays from the numbers of the groups of each submission, which fit in int32."""
        distinct = [sorted(set(ids)) for ids in groups]
        starts = np.cumsum([0, *map(len, distinct)], dtype=np.int64)
        return cls(starts, np.array([one for ids in distinct for one in ids], dtype=np.int32))


NO_GROUPS = Groups.from_lists([])


@njit
def share_group(groups: Groups, left: int, right: int) -> bool:
    """Return whether two submissions have a group in common; without any groups, neither is looked up."""
    if len(groups.ids) == 0:
        return False
    at, other = groups.starts[left], groups.starts[right]
    while at < groups.starts[left + 1] and other < groups.starts[right + 1]:
        if groups.ids[at] == groups.ids[other]:
            return True
        if groups.ids[at] < groups.ids[other]:
            at += 1
        else:
            other += 1
    return False


@kernel
def _count(groups: Groups) -> int:
    count, submissions = 0, len(groups.starts) - 1
    for left in range(submissions):
        if groups.starts[left] < groups.starts[left + 1]:
            for right in range(left + 1, submissions):
                count += share_group(groups, left, right)
    return count


def count_pairs(groups: Groups) -> int:
    """Return the number of pairs of submissions that have a group in common."""
    return int(_count(groups)) if len(groups.ids) else 0
