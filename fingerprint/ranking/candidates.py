"""Candidate pairs: those that share enough of their fingerprints, weighted by rarity."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint._jit import njit
from fingerprint.index import CandidatePairs
from fingerprint.ranking import score_constants as constants
from fingerprint.ranking.groups import NO_GROUPS, Groups, share_group
from fingerprint.ranking.weights import rarity

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.index import InvertedIndex
    from fingerprint.types import Bounds, Floats, Owners

# A candidate pair shares at least this part of the lighter side's fingerprints, by weight. In measurements,
# values from 0 to 0.03 rank alike, and this one halves the number of pairs in a class of 259.
FLOOR = 0.01


class Postings(NamedTuple):
    """An index in both directions, of values to owners and of owners to values, with weights.

    The owners of value v are `owners[owner_starts[v]:owner_starts[v + 1]]`; the values of owner d are
    `values[value_starts[d]:value_starts[d + 1]]`; `weights` float64: weight of each value.
    """

    owner_starts: Bounds
    owners: Owners
    values: Bounds
    value_starts: Bounds
    weights: Floats


@njit
def owner_weights(table: Postings) -> Floats:
    """Return the total weight of each owner's values: float64 [owners]."""
    weights = np.zeros(len(table.value_starts) - 1)
    for owner in range(len(weights)):
        for value in table.values[table.value_starts[owner] : table.value_starts[owner + 1]]:
            weights[owner] += table.weights[value]
    return weights


@njit
def add_shared(table: Postings, left: int, weight: Floats, shared: Owners, partners: Owners) -> int:
    """Add up what `left` shares with every later owner.

    Fill `partners` with the owners that share anything and return their number; add the weight and the number
    of shared values to the entries of these owners in `weight` and `shared`.
    """
    count = 0
    for value in table.values[table.value_starts[left] : table.value_starts[left + 1]]:
        for right in table.owners[table.owner_starts[value] : table.owner_starts[value + 1]]:
            if right > left:
                if shared[right] == 0:
                    partners[count] = right
                    count += 1
                shared[right] += 1
                weight[right] += table.weights[value]
    return count


@njit
def _fill_pairs(table: Postings, floor: float, groups: Groups, rows: npt.NDArray[np.int32]) -> int:
    """Fill `rows` with (left, right, shared) of the pairs, as many as fit; return their number."""
    weights = owner_weights(table)
    owners = len(weights)
    weight, count = np.zeros(owners), 0
    shared, partners = np.zeros(owners, dtype=np.int32), np.empty(owners, dtype=np.int32)
    for left in range(owners):
        partner_count = add_shared(table, left, weight, shared, partners)
        for right in partners[:partner_count]:
            enough = weight[right] >= floor * min(weights[left], weights[right])
            if enough and not share_group(groups, left, right):
                if count < len(rows):
                    rows[count, 0], rows[count, 1], rows[count, 2] = left, right, shared[right]
                count += 1
            weight[right], shared[right] = 0.0, 0
    return count


def postings(index: InvertedIndex) -> Postings:
    """Return the index in both directions; a value weighs its rarity."""
    owners = int(index.owners.max()) + 1 if len(index.owners) else 0
    by_owner = np.argsort(index.owners, kind="stable")
    values = np.repeat(np.arange(len(index.values)), np.diff(index.starts))[by_owner]
    value_starts = np.searchsorted(index.owners[by_owner], np.arange(owners + 1))
    weights = rarity(index.frequency, constants.RARITY_EXPONENT)
    return Postings(index.starts, index.owners, values, value_starts, weights)


def weighted_pairs(index: InvertedIndex, floor: float = FLOOR, groups: Groups = NO_GROUPS) -> CandidatePairs:
    """Return the pairs of owners whose shared values weigh at least `floor` of all values of the lighter one.

    Owners that have one of the `groups` in common are no pair. Pairs are counted for one owner at a time, so
    that a pair below the floor takes no memory (winnowing, section 5.2).
    """
    table = postings(index)
    rows = np.empty((_fill_pairs(table, floor, groups, np.empty((0, 3), dtype=np.int32)), 3), dtype=np.int32)
    _fill_pairs(table, floor, groups, rows)
    return CandidatePairs(*np.ascontiguousarray(rows.T))
