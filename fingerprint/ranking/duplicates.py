"""Groups of submissions that are the same, found without comparing pairs (syntactic-clustering, section 4).

Exact duplicates have the same bytes, lexical duplicates the same tokens after normalisation, and others only
the same fingerprints. The sameness of a group is the strongest that all its members share.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.unionfind import components

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


class Sameness(StrEnum):
    """A property that the members of a group have in common; the strongest is first."""

    IDENTICAL = "identical"
    LEXICAL = "lexical"
    FINGERPRINTS = "fingerprints"


class DuplicateGroup(NamedTuple):
    """Documents (numbers, ascending) that are the same, and in which sense they are."""

    sameness: Sameness
    members: list[int]


def group_duplicates(keys: Sequence[Sequence[Hashable]]) -> list[DuplicateGroup]:
    """Group documents that are connected by equal keys.

    Parameters
    ----------
    keys : for each `Sameness`, in its order, a list with the key of every document; an empty key or None
        equals no other key

    Returns
    -------
    Groups of two or more documents, ordered by their first member.

    Raises
    ------
    ValueError
        When there is not one list of keys for each `Sameness`, or their lengths differ.
    """
    if len(keys) != len(Sameness) or len({len(column) for column in keys}) > 1:
        raise ValueError(f"lists of {[len(c) for c in keys]} keys; expected {len(Sameness)} of equal length")
    links = [link for column in keys for link in _links(column)]
    left, right = np.array(links, dtype=np.int64).reshape(-1, 2).T
    labels = components(len(keys[0]), left, right)
    groups: dict[int, list[int]] = {}
    for document, label in enumerate(labels.tolist()):
        groups.setdefault(label, []).append(document)
    return [
        DuplicateGroup(_sameness(keys, members), members) for members in groups.values() if len(members) > 1
    ]


def _links(column: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return the pair of each document with the first document that has the same key."""
    first: dict[Hashable, int] = {}
    return [(first.setdefault(key, document), document) for document, key in enumerate(column) if key]


def _sameness(keys: Sequence[Sequence[Hashable]], members: list[int]) -> Sameness:
    """Return the strongest sameness of all members; the weakest if they are connected only through others."""
    for sameness, column in zip(Sameness, keys, strict=True):
        if len({column[member] for member in members}) == 1 and column[members[0]]:
            return sameness
    return Sameness.FINGERPRINTS
