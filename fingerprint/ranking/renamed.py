"""Submissions of which one differs from the other in names, layout and comments at most."""

from __future__ import annotations

from collections import defaultdict
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Mapping

    from fingerprint.types import Kinds, Positions, Terms

    # The submission of a file, and its kinds of tokens, literals and imports.
    FileColumns = tuple[int, tuple[Kinds, Terms, Terms]]


def renamed_groups(files: Iterable[FileColumns], submissions: int, counted: Collection[int]) -> Positions:
    """Return the number of the group of each submission: int64 [submissions], -1 for one in no group.

    The submissions of a group have the same files by kinds of tokens, literals and imports, in any order.
    Only those that are `counted` are in one: with a few tokens, or nothing but boilerplate, many are equal.
    """
    of_each: dict[int, list[tuple[Kinds, Terms, Terms]]] = defaultdict(list)
    for submission, columns in files:
        if len(columns[0]) and submission in counted:
            of_each[submission].append(columns)
    # Hardly any other submissions have files of the same lengths.
    lengths = {one: tuple(sorted(len(kinds) for kinds, _, _ in own)) for one, own in of_each.items()}
    contents = {one: tuple(sorted(map(_digest, of_each[one]))) for group in _alike(lengths) for one in group}
    numbers = np.full(submissions, -1, dtype=np.int64)
    for number, group in enumerate(_alike(contents)):
        numbers[group] = number
    return numbers


def _alike(keys: Mapping[int, Hashable]) -> list[list[int]]:
    """Return the groups of two and more with equal keys."""
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for one, key in keys.items():
        groups[key].append(one)
    return [group for group in groups.values() if len(group) > 1]


def _digest(columns: tuple[Kinds, Terms, Terms]) -> bytes:
    digest = blake2b(digest_size=16)
    for column in columns:
        digest.update(len(column).to_bytes(8, "little"))
        digest.update(np.ascontiguousarray(column).data)
    return digest.digest()
