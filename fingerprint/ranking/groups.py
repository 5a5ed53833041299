"""Groups of submissions that are never compared, and groups of submissions that are the same.

Attempts of one student are never compared.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from fingerprint.kernels.registry import kernel, njit
from fingerprint.kernels.types import Bounds, Ids


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


class Sameness(StrEnum):
    """A property that the members of a group have in common; the strongest is first.

    The same bytes; the same but for layout and comments; but for these and names; the same tokens after
    normalisation, which also makes values and types equal; only the same fingerprints.
    """

    IDENTICAL = "identical"
    LAYOUT = "layout"
    NAMES = "names"
    LEXICAL = "lexical"
    FINGERPRINTS = "fingerprints"


class DuplicateGroup(NamedTuple):
    """Documents (numbers, ascending) that are the same, and in which sense they are."""

    sameness: Sameness
    members: list[int]


def group_duplicates(keys: Sequence[Sequence[Hashable]]) -> list[DuplicateGroup]:
    """Group documents by each sameness.

    keys : for each `Sameness`, in its order, a list with the key of every document; an empty key or None
        equals no other key

    Returns: groups of two or more documents, the strongest sameness first, then by their first member. Documents may be
    in a group of each sameness; a group is left out where a stronger one has exactly its members. Raises ValueError
    when there is not one list of keys for each `Sameness`, or their lengths differ.
    """
    if len(keys) != len(Sameness) or len({len(column) for column in keys}) > 1:
        raise ValueError(f"lists of {[len(c) for c in keys]} keys; expected {len(Sameness)} of equal length")
    groups: dict[tuple[int, ...], Sameness] = {}
    for sameness, column in zip(Sameness, keys, strict=True):
        for members in _by_key(column):
            groups.setdefault(tuple(members), sameness)
    return [DuplicateGroup(sameness, list(members)) for members, sameness in groups.items()]


def _by_key(column: Sequence[Hashable]) -> list[list[int]]:
    """Return the documents of each key that two or more have."""
    groups: dict[Hashable, list[int]] = {}
    for document, key in enumerate(column):
        if key:
            groups.setdefault(key, []).append(document)
    return [members for members in groups.values() if len(members) > 1]
