"""Upper bounds of the scores of pairs, which are cheaper than the scores: quick ones, and closer ones.

Passages lie within the k-grams that both sides contain. For the quick bounds, an index adds up, for all
pairs of a submission at once, how many tokens are in these k-grams and what they weigh, without a look at
any place; a token counts once for each k-gram it is in. For the closer ones: on each side, these k-grams
form stretches. The tokens between two passages include those between their stretches. So a passage gets at
most as much length from its neighbours as its stretch gets from neighbouring stretches, all tokens of which
are in passages. The contribution of names, literals and imports is computed exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.kernels.registry import kernel, njit
from fingerprint.ranking import score_constants as constants
from fingerprint.ranking.coverage import continuation, length_factor
from fingerprint.ranking.parallel import never_end, run_chunks
from fingerprint.ranking.scoring import similarity_of
from fingerprint.ranking.sorting import highest_id, longest_part

if TYPE_CHECKING:
    from fingerprint.index import CandidatePairs
    from fingerprint.ranking.alignment import CohortTokens
    from fingerprint.ranking.cohort import Cohort, RunningSums
    from fingerprint.ranking.parallel import Check
    from fingerprint.ranking.score_constants import PassageLengths
    from fingerprint.ranking.terms import LexicalTable
    from fingerprint.types import Bounds, Counts, Flags, Floats, Ids, Owners, Rows

# Added to each bound. Sums of the same weights in a different order differ by far less.
SLACK = 1e-7


@njit
def _fill_stretches(kgrams: Ids, first: int, shared: Flags, k: int, stretches: Rows) -> int:
    """Fill `stretches` with the (start, end) of each stretch of `shared` k-grams; return their number.

    `kgrams` are the ids of the side's k-grams, from token `first` of the cohort on.
    """
    count, end = 0, -1
    for at in range(first, first + len(kgrams)):
        kgram = kgrams[at - first]
        if kgram < 0 or not shared[kgram]:
            continue
        if at > end:
            stretches[count, 0] = at
            count += 1
        end = at + k
        stretches[count - 1, 1] = end
    return count


@njit
def _stretched_weight(stretches: Rows, sums: RunningSums, lengths: PassageLengths, before: Floats) -> float:
    """Return an upper bound of the chained weight of one side; `before` has room for each stretch."""
    weights, kept = sums.weight, sums.kept
    for row in range(1, len(stretches)):
        begin, end = stretches[row - 1]
        gap = kept[stretches[row, 0]] - kept[end]
        before[row] = (before[row - 1] + kept[end] - kept[begin]) * continuation(gap, lengths.gap_scale)
    total, after = 0.0, 0.0
    for row in range(len(stretches) - 1, -1, -1):
        begin, end = stretches[row]
        tokens = kept[end] - kept[begin]
        total += (weights[end] - weights[begin]) * length_factor(
            before[row] + tokens + after, lengths.half_length
        )
        if row > 0:
            gap = kept[begin] - kept[stretches[row - 1, 1]]
            after = (after + tokens) * continuation(gap, lengths.gap_scale)
    return total


@kernel
def _add_half_bounds(
    cohort: tuple[Ids, Bounds, RunningSums],
    pairs: Rows,
    parameters: tuple[int, int, PassageLengths],
    bounds: Floats,
) -> None:
    """Add half of the bound of each pair's second side; pairs with the same first side must be adjacent.

    The parameters are k, the number of distinct k-grams, and `LENGTHS`.
    """
    kgrams, starts, sums = cohort
    k, distinct, lengths = parameters
    # The last entry is for the id -1, which stands for no k-gram.
    on_first_side, entered = np.zeros(distinct + 1, dtype=np.bool_), -1
    longest = longest_part(starts) // k + 1
    stretches, before = np.empty((longest, 2), dtype=np.int64), np.zeros(longest)
    for row in range(len(pairs)):
        first_side, second_side = pairs[row]
        if first_side != entered:
            if entered >= 0:
                for kgram in kgrams[starts[entered] : starts[entered + 1]]:
                    on_first_side[kgram] = False
            for kgram in kgrams[starts[first_side] : starts[first_side + 1]]:
                on_first_side[kgram] = True
            entered = first_side
        start, end = starts[second_side], starts[second_side + 1]
        count = _fill_stretches(kgrams[start:end], start, on_first_side, k, stretches)
        bounds[row] += _stretched_weight(stretches[:count], sums, lengths, before) / 2


def _close_coverage_bounds(cohort: Cohort, pairs: Rows, check: Check) -> Floats:
    """Return a closer bound than `coverage_bounds`; it takes some ten times as long."""
    bounds = np.zeros(len(pairs))
    arrays = (cohort.tokens.kgrams, cohort.submission_starts, cohort.sums)
    distinct = 1 + int(cohort.tokens.kgrams.max(initial=-1))
    parameters = cohort.k, distinct, constants.LENGTHS
    swapped = pairs[:, ::-1]
    for sides in (pairs, swapped):
        order = np.argsort(sides[:, 0], kind="stable")
        rows, halves = np.ascontiguousarray(sides[order]), np.zeros(len(pairs))

        def fill(part: slice, rows: Rows = rows, halves: Floats = halves) -> None:
            _add_half_bounds(arrays, rows[part], parameters, halves[part])

        run_chunks(cohort, rows, fill, check)
        bounds[order] += halves
    return bounds


def quick_bounds(
    cohort: Cohort, lexical: LexicalTable, candidates: CandidatePairs, check: Check = never_end
) -> Floats:
    """Return an upper bound of the similarity of each pair: float64 [n]."""
    pairs = np.stack((candidates.left, candidates.right), axis=1).astype(np.int64)
    return similarity_of(cohort, lexical, pairs, coverage_bounds(cohort, pairs, check))[0] + SLACK


def close_bounds(
    cohort: Cohort, lexical: LexicalTable, candidates: CandidatePairs, check: Check = never_end
) -> Floats:
    """Return a closer upper bound of the similarity of each pair: float64 [n]."""
    pairs = np.stack((candidates.left, candidates.right), axis=1).astype(np.int64)
    return similarity_of(cohort, lexical, pairs, _close_coverage_bounds(cohort, pairs, check))[0] + SLACK


class KgramPostings(NamedTuple):
    """The distinct matchable k-grams of each submission: p postings, sorted by k-gram, then by submission.

    `owners` int32 [p]: submission; `weights` float64 [p], `tokens` int32 [p]: weight and number of the tokens
    of all its occurrences there. Those of submission s are at `positions[starts[s]:starts[s + 1]]` (int32),
    each followed by those of later submissions with the same k-gram, up to `ends` (int32 [p], like
    `positions`).
    """

    owners: Owners
    weights: Floats
    tokens: Counts
    positions: Ids
    ends: Ids
    starts: Bounds

    @classmethod
    def of_cohort(cls, cohort: Cohort) -> KgramPostings:
        most = len(cohort.tokens.ordered_kgrams)
        starts = np.zeros(len(cohort) + 1, dtype=np.int64)
        columns = np.empty(most, np.int32), np.empty(most), np.empty(most, np.int32)
        count = _fill_postings(cohort.indexed, cohort.sums, cohort.k, columns, starts)
        kgrams, weights, tokens = columns[0][:count], columns[1][:count], columns[2][:count]
        positions, ends = np.empty_like(kgrams), np.empty_like(kgrams)
        _place_postings(kgrams, positions, ends)
        by_kgram = np.empty_like(tokens), np.empty_like(weights), np.empty_like(tokens)
        by_kgram[0][positions] = np.repeat(np.arange(len(cohort), dtype=np.int32), np.diff(starts))
        by_kgram[1][positions] = weights
        by_kgram[2][positions] = tokens
        return cls(*by_kgram, positions, ends, starts)


@kernel
def _fill_postings(
    cohort: CohortTokens, sums: RunningSums, k: int, columns: tuple[Ids, Floats, Counts], starts: Bounds
) -> int:
    """Fill the k-gram, weight and tokens of each posting, by submission, and where those of each begin.

    Return the number of postings.
    """
    (kgrams, weights, tokens), count = columns, -1
    ordered, order = cohort.tokens.ordered_kgrams, cohort.tokens.order
    for owner in range(len(starts) - 1):
        starts[owner], last = count + 1, -1
        for at in range(cohort.order_starts[owner], cohort.order_starts[owner + 1]):
            if ordered[at] != last:
                last, count = ordered[at], count + 1
                kgrams[count], weights[count], tokens[count] = last, 0.0, 0
            first = cohort.submission_starts[owner] + order[at]
            weights[count] += sums.weight[first + k] - sums.weight[first]
            tokens[count] += sums.kept[first + k] - sums.kept[first]
    starts[-1] = count + 1
    return count + 1


@kernel
def _place_postings(kgrams: Ids, positions: Ids, ends: Ids) -> None:
    """Fill the position of each posting in the order of the k-grams, and where those of its k-gram end."""
    starts = np.zeros(highest_id(kgrams) + 2, dtype=np.int32)
    for kgram in kgrams:
        starts[kgram + 1] += 1
    for kgram in range(len(starts) - 1):
        starts[kgram + 1] += starts[kgram]
    for at in range(len(kgrams)):
        positions[at] = starts[kgrams[at]]
        starts[kgrams[at]] += 1
    for at in range(len(kgrams)):
        ends[at] = starts[kgrams[at]]


@njit
def _add_shared(postings: KgramPostings, left: int, shared: Floats) -> None:
    """Add up what `left` shares with each later submission: weight and tokens on the left, and on the right.

    `shared` is float64 [submissions, 4].
    """
    owners, weights, tokens = postings.owners, postings.weights, postings.tokens
    for entry in range(postings.starts[left], postings.starts[left + 1]):
        place = postings.positions[entry]
        weight, count = weights[place], tokens[place]
        for other in range(place + 1, postings.ends[entry]):
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
                one, of_side = pairs[row, side], shared[pairs[row, 1], 2 * side : 2 * side + 2]
                weight, tokens = min(of_side[0], total_weights[one]), min(of_side[1], total_tokens[one])
                bounds[row] += weight * length_factor(tokens, half_length) / 2
            row += 1


def coverage_bounds(cohort: Cohort, pairs: Rows, check: Check) -> Floats:
    """Return an upper bound of the weight that the passages of each pair cover, computed on all cores.

    On the left of each pair (int64 [n, 2]) is the submission with the lower number.
    """
    postings = KgramPostings.of_cohort(cohort)
    starts = cohort.submission_starts
    totals = np.diff(cohort.sums.weight[starts]), np.diff(cohort.sums.kept[starts]).astype(np.float64)
    order = np.argsort(pairs[:, 0], kind="stable")
    rows, bounds = np.ascontiguousarray(pairs[order]), np.zeros(len(pairs))

    def fill(part: slice) -> None:
        _fill_bounds(postings, totals, rows[part], constants.LENGTHS.half_length, bounds[part])

    run_chunks(cohort, rows, fill, check)
    by_pair = np.empty_like(bounds)
    by_pair[order] = bounds
    return by_pair
