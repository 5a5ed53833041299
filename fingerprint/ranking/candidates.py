"""Pairs worth scoring: those that share enough of their fingerprints, weighted by rarity."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint._jit import njit
from fingerprint.index import Candidates
from fingerprint.ranking.score_constants import RARITY_EXPONENT
from fingerprint.ranking.weights import rarity

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.index import InvertedIndex
    from fingerprint.types import Bounds, Floats, Owners

# Least part of the lighter side's fingerprints, by weight, that a pair shares. Measured, 0 to 0.03 rank
# alike; this one halves the pairs of a class of 259.
FLOOR = 0.01


class Postings(NamedTuple):
    """Both directions of an index: who holds value v is `owners[starts[v]:starts[v + 1]]`.

    What owner d holds is `values[held[d]:held[d + 1]]`; `weights` float64, one a value.
    """

    starts: Bounds
    owners: Owners
    values: Bounds
    held: Bounds
    weights: Floats


@njit
def _masses(table: Postings) -> Floats:
    masses = np.zeros(len(table.held) - 1)
    for owner in range(len(masses)):
        for value in table.values[table.held[owner] : table.held[owner + 1]]:
            masses[owner] += table.weights[value]
    return masses


@njit
def _meet(table: Postings, left: int, weight: Floats, shared: Owners, partners: Owners) -> int:
    """Add up what `left` shares with every later owner; return how many such partners there are."""
    met = 0
    for value in table.values[table.held[left] : table.held[left + 1]]:
        for right in table.owners[table.starts[value] : table.starts[value + 1]]:
            if right > left:
                if shared[right] == 0:
                    partners[met] = right
                    met += 1
                shared[right] += 1
                weight[right] += table.weights[value]
    return met


@njit
def _tally(table: Postings, floor: float, rows: npt.NDArray[np.int32]) -> int:
    """Fill as many rows (left, right, shared) as there is room for; return how many there are."""
    masses = _masses(table)
    count = len(masses)
    weight, found = np.zeros(count), 0
    shared, partners = np.zeros(count, dtype=np.int32), np.empty(count, dtype=np.int32)
    for left in range(count):
        met = _meet(table, left, weight, shared, partners)
        for right in partners[:met]:
            if weight[right] >= floor * min(masses[left], masses[right]):
                if found < len(rows):
                    rows[found, 0], rows[found, 1], rows[found, 2] = left, right, shared[right]
                found += 1
            weight[right], shared[right] = 0.0, 0
    return found


def weighted_pairs(index: InvertedIndex, floor: float = FLOOR) -> Candidates:
    """Owners whose common values weigh at least `floor` of the lighter one's, counted one owner at a time.

    A pair below the floor never takes room (winnowing, section 5.2).
    """
    count = int(index.owners.max()) + 1 if len(index.owners) else 0
    by_owner = np.argsort(index.owners, kind="stable")
    values = np.repeat(np.arange(len(index.values)), np.diff(index.starts))[by_owner]
    held = np.searchsorted(index.owners[by_owner], np.arange(count + 1))
    table = Postings(index.starts, index.owners, values, held, rarity(index.frequency, RARITY_EXPONENT))
    rows = np.empty((_tally(table, floor, np.empty((0, 3), dtype=np.int32)), 3), dtype=np.int32)
    _tally(table, floor, rows)
    return Candidates(*np.ascontiguousarray(rows.T))
