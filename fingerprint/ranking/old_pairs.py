"""Pairs with old submissions that a look-up chose; other pairs with these are not compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from fingerprint.types import Flags, Owners, Positions


class OldPairs(NamedTuple):
    """The pairs of a cohort of n submissions that are compared although one side is old.

    `old` bool [n]: the submissions that were looked up; `keys` int64, ascending: a chosen pair (left, right),
    left below right, as left * n + right.
    """

    old: Flags
    keys: Positions

    @classmethod
    def from_lists(cls, submissions: int, old: Collection[int], pairs: Iterable[tuple[int, int]]) -> OldPairs:
        """Build the arrays from numbers of submissions, of which there are `submissions`."""
        flags = np.zeros(submissions, dtype=np.bool_)
        flags[list(old)] = True
        keys = {min(pair) * submissions + max(pair) for pair in pairs}
        return cls(flags, np.array(sorted(keys), dtype=np.int64))

    def has_old(self, left: Owners, right: Owners) -> Flags:
        """Return for each pair whether one of its sides was looked up."""
        flags: Flags = self.old[left] | self.old[right]
        return flags

    def keep(self, left: Owners, right: Owners) -> Flags:
        """Return for each pair, left below right, whether it is compared."""
        keys = left.astype(np.int64) * len(self.old) + right
        flags: Flags = ~self.has_old(left, right) | np.isin(keys, self.keys)
        return flags
