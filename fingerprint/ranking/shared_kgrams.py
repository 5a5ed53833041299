"""Upper bounds of what the passages of pairs cover, from the k-grams that both sides contain.

Passages lie within these k-grams. An index adds up, for all pairs of a submission at once, how many tokens
are in them and what these weigh, without a look at any place; a token counts once for each k-gram it is in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.kernels.registry import kernel, njit
from fingerprint.ranking import score_constants as constants
from fingerprint.ranking.coverage import length_factor
from fingerprint.ranking.parallel import run_chunks

if TYPE_CHECKING:
    from fingerprint.ranking.cohort import Cohort
    from fingerprint.ranking.parallel import Check
    from fingerprint.types import Bounds, Floats, Owners, Positions, Rows


class KgramPostings(NamedTuple):
    """The distinct matchable k-grams of each submission: p postings, sorted by k-gram, then by submission.

    `owners` int32 [p]: submission; `weights`, `tokens` float64 [p]: weight and number of the tokens of all
    its occurrences there. Those of submission s are at `positions[starts[s]:starts[s + 1]]` (int64), each
    followed by those of later submissions with the same k-gram, up to `ends` (int64 [p], like `positions`).
    """

    owners: Owners
    weights: Floats
    tokens: Floats
    positions: Positions
    ends: Positions
    starts: Bounds

    @classmethod
    def of_cohort(cls, cohort: Cohort) -> KgramPostings:
        kgrams = cohort.tokens.ordered_kgrams
        owners = np.repeat(np.arange(len(cohort), dtype=np.int32), np.diff(cohort.order_starts))
        first = cohort.tokens.order + cohort.submission_starts[owners]
        is_new = np.ones(len(kgrams), dtype=np.bool_)
        is_new[1:] = (kgrams[1:] != kgrams[:-1]) | (owners[1:] != owners[:-1])
        new = np.flatnonzero(is_new)
        sums = cohort.sums.weight, cohort.sums.own
        weights, tokens = (np.add.reduceat(one[first + cohort.k] - one[first], new) for one in sums)
        kgrams, owners = kgrams[new], owners[new]
        order = np.argsort(kgrams, kind="stable")
        positions = np.empty_like(order)
        positions[order] = np.arange(len(order))
        ends = np.searchsorted(kgrams[order], kgrams, side="right")
        starts = np.searchsorted(owners, np.arange(len(cohort) + 1))
        return cls(owners[order], weights[order], tokens[order].astype(np.float64), positions, ends, starts)


@njit
def _add_shared(postings: KgramPostings, left: int, shared: Floats) -> None:
    """Add up what `left` shares with each later submission: weight and tokens on the left, and on the right.

    `shared` is float64 [submissions, 4].
    """
    owners, weights, tokens = postings.owners, postings.weights, postings.tokens
    for entry in range(postings.starts[left], postings.starts[left + 1]):
        own = postings.positions[entry]
        weight, count = weights[own], tokens[own]
        for other in range(own + 1, postings.ends[entry]):
            right = owners[other]
            shared[right, 0] += weight
            shared[right, 1] += count
            shared[right, 2] += weights[other]
            shared[right, 3] += tokens[other]


@kernel
def _fill_bounds(
    postings: KgramPostings, totals: tuple[Floats, Floats], pairs: Rows, half_length: float, bounds: Floats
) -> None:
    """Fill the bound of each pair; `pairs` are sorted by the left side. `totals` are of each submission."""
    total_weights, total_tokens = totals
    shared, row = np.zeros((len(total_weights), 4)), 0
    while row < len(pairs):
        left = pairs[row, 0]
        shared[left:] = 0.0
        _add_shared(postings, left, shared)
        while row < len(pairs) and pairs[row, 0] == left:
            for side in range(2):
                own, of_side = pairs[row, side], shared[pairs[row, 1], 2 * side : 2 * side + 2]
                weight, tokens = min(of_side[0], total_weights[own]), min(of_side[1], total_tokens[own])
                bounds[row] += weight * length_factor(tokens, half_length) / 2
            row += 1


def coverage_bounds(cohort: Cohort, pairs: Rows, check: Check) -> Floats:
    """Return an upper bound of the weight that the passages of each pair cover, computed on all cores.

    On the left of each pair (int64 [n, 2]) is the submission with the lower number.
    """
    postings = KgramPostings.of_cohort(cohort)
    starts = cohort.submission_starts
    totals = np.diff(cohort.sums.weight[starts]), np.diff(cohort.sums.own[starts]).astype(np.float64)
    order = np.argsort(pairs[:, 0], kind="stable")
    rows, bounds = np.ascontiguousarray(pairs[order]), np.zeros(len(pairs))

    def fill(part: slice) -> None:
        _fill_bounds(postings, totals, rows[part], constants.LENGTHS.half_length, bounds[part])

    run_chunks(cohort, rows, fill, check)
    by_pair = np.empty_like(bounds)
    by_pair[order] = bounds
    return by_pair
