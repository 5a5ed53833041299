"""Groups of submissions that are the same, without comparing pairs (syntactic-clustering, section 4)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


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

    Parameters
    ----------
    keys : for each `Sameness`, in its order, a list with the key of every document; an empty key or None
        equals no other key

    Returns
    -------
    Groups of two or more documents, the strongest sameness first, then by their first member. Documents may
    be in a group of each sameness; a group is left out where a stronger one has exactly its members.

    Raises
    ------
    ValueError
        When there is not one list of keys for each `Sameness`, or their lengths differ.
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
