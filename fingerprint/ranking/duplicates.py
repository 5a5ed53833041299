"""Submissions that are the same, found before any two are compared (syntactic clustering, section 4).

Exact duplicates have the same bytes, lexical ones the same tokens once their front-ends folded the rest
away, and some share every fingerprint without that. Each is one group, named by what all its
members have in common.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.unionfind import components

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


class Sameness(StrEnum):
    """How much the members of a group have in common, most first."""

    IDENTICAL = "identical"
    LEXICAL = "lexical"
    FINGERPRINTS = "fingerprints"


class Group(NamedTuple):
    """Documents (numbers, ascending) that are the same in this sense."""

    sameness: Sameness
    members: list[int]


def groups(keys: Sequence[Sequence[Hashable]]) -> list[Group]:
    """Group documents by equal keys.

    Parameters
    ----------
    keys : for each `Sameness`, in its order, one key a document; an empty or None key is like no other

    Returns
    -------
    Groups of two or more, by their first member.

    Raises
    ------
    ValueError
        When there is not one list of keys for each `Sameness`, or their lengths differ.
    """
    if len(keys) != len(Sameness) or len({len(column) for column in keys}) > 1:
        raise ValueError(f"{[len(c) for c in keys]} keys; {len(Sameness)} lists of one length are wanted")
    links = [link for column in keys for link in _links(column)]
    left, right = np.array(links, dtype=np.int64).reshape(-1, 2).T
    labels = components(len(keys[0]), left, right)
    found: dict[int, list[int]] = {}
    for document, label in enumerate(labels.tolist()):
        found.setdefault(label, []).append(document)
    return [Group(_sameness(keys, members), members) for members in found.values() if len(members) > 1]


def _links(column: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Link each document to the first with its key."""
    first: dict[Hashable, int] = {}
    return [(first.setdefault(key, document), document) for document, key in enumerate(column) if key]


def _sameness(keys: Sequence[Sequence[Hashable]], members: list[int]) -> Sameness:
    """Give the most that all members have in common; where only chains of links join them, the least."""
    for sameness, column in zip(Sameness, keys, strict=True):
        if len({column[member] for member in members}) == 1 and column[members[0]]:
            return sameness
    return Sameness.FINGERPRINTS
