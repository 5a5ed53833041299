"""Candidate pairs: pairs that share enough of their fingerprints, weighted by rarity, or rare terms.

An inverted index leads from hashes to the documents that contain them (winnowing, section 5.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fingerprint.distinct import distinct_values
from fingerprint.kernels.registry import kernel, njit
from fingerprint.kernels.types import Bounds, Counts, Flags, Floats, Hashes, Owners, PairRows
from fingerprint.ranking import score_constants as constants
from fingerprint.ranking.groups import NO_GROUPS, Groups, share_group
from fingerprint.ranking.weights import rarity

# A candidate pair shares at least this part of the lighter side's fingerprints, by weight. In measurements,
# values from 0 to 0.03 rank alike, and this one halves the number of pairs in a class of 259.
FLOOR = 0.01
# Pairs that share this weight of rare terms are candidates too, even if they share no fingerprint: one term
# of eight characters that nobody else has. A term of more submissions than these counts nothing here.
LEAST_TERMS, MOST_SUBMISSIONS = 1.0, 20
# Sums of weights may be smaller by rounding errors.
ROUNDING = 1e-9
# Pairs that are counted and stored at once: those of a large class; more are counted first.
ROOM = 1 << 18


class CandidatePairs(NamedTuple):
    """Pairs of owners as parallel int32 arrays: `left` < `right`, and how many distinct values they share."""

    left: Owners
    right: Owners
    shared: Counts

    def take(self, rows: npt.NDArray[np.integer]) -> CandidatePairs:
        return CandidatePairs(self.left[rows], self.right[rows], self.shared[rows])


@dataclass(frozen=True, slots=True)
class InvertedIndex:
    """Index from values to owners.

    `values` uint64 [v]: the distinct values, ascending; `starts` int64 [v + 1]: value number i belongs to
    `owners[starts[i]:starts[i + 1]]`; `owners` int32, ascending for each value.
    """

    values: Hashes
    starts: Bounds
    owners: Owners

    @classmethod
    def build(cls, values: Hashes, owners: npt.NDArray[np.integer]) -> InvertedIndex:
        """Build the index from parallel arrays: values, and the number (0, 1, ...) of each value's owner.

        A value that an owner has several times counts once.
        """
        order = np.lexsort((owners, values))
        values, sorted_owners = values[order], owners[order].astype(np.int32)
        is_new = np.ones(len(values), dtype=np.bool_)
        is_new[1:] = (values[1:] != values[:-1]) | (sorted_owners[1:] != sorted_owners[:-1])
        values, sorted_owners = values[is_new], sorted_owners[is_new]
        distinct, starts = np.unique(values, return_index=True)
        return cls(distinct, np.append(starts, len(values)).astype(np.int64), sorted_owners)

    @property
    def frequency(self) -> Counts:
        """Document frequency, int32 [v]: the number of owners of each value."""
        return np.diff(self.starts).astype(np.int32)

    def lookup(self, values: Hashes, limit: int | None = None) -> tuple[Owners, Counts]:
        """Return the owners that have any of `values`, and how many each has (winnowing, section 3.2).

        Only the smallest `limit` distinct values are looked up. With a small limit the counts estimate
        resemblance; without a limit they give containment.

        Returns: two int32 arrays: owners, ascending, and the number of values for each. Raises ValueError
        when `limit` is below 1.
        """
        if limit is not None and limit < 1:
            raise ValueError(f"limit is {limit}; it must be at least 1")
        queries = distinct_values(values)[:limit]
        rows = np.searchsorted(self.values, queries)
        known = rows < len(self.values)
        known[known] = self.values[rows[known]] == queries[known]
        hits = [self.owners[self.starts[i] : self.starts[i + 1]] for i in rows[known]]
        owners, counts = np.unique(np.concatenate([np.empty(0, np.int32), *hits]), return_counts=True)
        return owners, counts.astype(np.int32)


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


@kernel
def _fill_pairs(table: Postings, floor: float, least: float, groups: Groups, rows: PairRows) -> int:
    """Fill `rows` with (left, right, shared) of the pairs, as many as fit; return their number."""
    weights = owner_weights(table)
    owners = len(weights)
    weight, count = np.zeros(owners), 0
    shared, partners = np.zeros(owners, dtype=np.int32), np.empty(owners, dtype=np.int32)
    for left in range(owners):
        partner_count = add_shared(table, left, weight, shared, partners)
        for right in partners[:partner_count]:
            enough = weight[right] >= max(least, floor * min(weights[left], weights[right]))
            if enough and not share_group(groups, left, right):
                if count < len(rows):
                    rows[count, 0], rows[count, 1], rows[count, 2] = left, right, shared[right]
                count += 1
            weight[right], shared[right] = 0.0, 0
    return count


def postings(index: InvertedIndex, weights: Floats | None = None) -> Postings:
    """Return the index in both directions; by default a value weighs its rarity."""
    owners = int(index.owners.max()) + 1 if len(index.owners) else 0
    by_owner = np.argsort(index.owners, kind="stable")
    values = np.repeat(np.arange(len(index.values)), np.diff(index.starts))[by_owner]
    value_starts = np.searchsorted(index.owners[by_owner], np.arange(owners + 1))
    if weights is None:
        weights = rarity(index.frequency, constants.RARITY_EXPONENT)
    return Postings(index.starts, index.owners, values, value_starts, weights)


def weighted_pairs(
    index: InvertedIndex, floor: float = FLOOR, groups: Groups = NO_GROUPS, counted: Flags | None = None
) -> CandidatePairs:
    """Return the pairs of owners whose shared values weigh at least `floor` of all values of the lighter one.

    Owners that have one of the `groups` in common are no pair. Values weigh their rarity among the `counted`
    owners, all by default. Pairs are counted for one owner at a time, so that a pair below the floor takes no
    memory (winnowing, section 5.2).
    """
    weights = None
    if counted is not None:
        sums = np.concatenate(([0], np.cumsum(counted[index.owners], dtype=np.int64)))
        weights = rarity(sums[index.starts[1:]] - sums[index.starts[:-1]], constants.RARITY_EXPONENT)
    return _pairs(postings(index, weights), floor, 0.0, groups)


def _pairs(table: Postings, floor: float, least: float, groups: Groups) -> CandidatePairs:
    rows = np.empty((ROOM, 3), dtype=np.int32)
    count = _fill_pairs(table, floor, least, groups, rows)
    if count > len(rows):
        rows = np.empty((count, 3), dtype=np.int32)
        _fill_pairs(table, floor, least, groups, rows)
    return CandidatePairs(*np.ascontiguousarray(rows[:count].T))


def rare_term_pairs(ids: Hashes, owners: Owners, weights: Floats, groups: Groups = NO_GROUPS) -> CandidatePairs:
    """Return the pairs whose shared rare terms weigh at least `LEAST_TERMS`, with `shared` 0.

    Terms of at most `MOST_SUBMISSIONS` submissions are rare; many common terms make no candidate. `ids` and
    `owners` are terms and the owners that have them, `weights` the weights of the terms by id.
    """
    index = InvertedIndex.build(ids, owners)
    rare = (index.frequency > 1) & (index.frequency <= MOST_SUBMISSIONS)
    kept = np.repeat(rare, index.frequency)
    starts = np.concatenate(([0], np.cumsum(index.frequency[rare], dtype=np.int64)))
    rare_index = InvertedIndex(index.values[rare], starts, index.owners[kept])
    pairs = _pairs(postings(rare_index, weights[rare_index.values]), 0.0, LEAST_TERMS - ROUNDING, groups)
    return pairs._replace(shared=np.zeros_like(pairs.shared))


def merged_pairs(first: CandidatePairs, second: CandidatePairs) -> CandidatePairs:
    """Return the pairs of both, by left and right owner; of a pair in both the first one."""
    left, right, shared = (np.concatenate(columns) for columns in zip(first, second, strict=True))
    order = np.lexsort((right, left))
    left, right = left[order], right[order]
    is_new = np.ones(len(order), dtype=np.bool_)
    is_new[1:] = (left[1:] != left[:-1]) | (right[1:] != right[:-1])
    return CandidatePairs(left[is_new], right[is_new], shared[order][is_new])
