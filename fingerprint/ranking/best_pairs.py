"""Find the best pairs of a cohort without scoring all of them, by upper bounds of their similarities.

The bounds are cheaper than the scores: quick bounds for all pairs, and closer bounds for the pairs left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.distinct import distinct_values, first_places
from fingerprint.kernels.registry import kernel, njit
from fingerprint.kernels.types import Bounds, Counts, Flags, Floats, Ids, Owners, Positions, Rows
from fingerprint.ranking import score_constants as constants
from fingerprint.ranking.alignment import CohortTokens, find_members
from fingerprint.ranking.parallel import Check, never_end, run_chunks
from fingerprint.ranking.scoring import Scores, continuation, length_factor, score, similarities
from fingerprint.ranking.sorting import highest_id, longest_part
from fingerprint.ranking.threshold import LOWEST_THRESHOLD, SAMPLE_SIZE
from fingerprint.ranking.tiling import fill_members

if TYPE_CHECKING:
    from fingerprint.ranking.candidates import CandidatePairs
    from fingerprint.ranking.cohort import Cohort, RunningSums
    from fingerprint.ranking.score_constants import PassageLengths
    from fingerprint.ranking.terms import LexicalTable

# Added to each bound. Sums of the same weights in a different order differ by far less.
SLACK = 1e-7

# At least so many pairs are scored, or get a closer bound, before checking again whether any other pair can be wanted.
# Each step doubles their number, so that there are few steps, and at most twice the pairs that have to be scored.
PAIRS_PER_STEP, BOUNDS_PER_STEP = 512, 8192
UNSCORED = -1.0


@njit
def _fill_stretches(places: Ids, first: int, k: int, stretches: Rows) -> int:
    """Fill `stretches` with the (start, end) of each stretch of shared k-grams; return their number.

    `places` are where they begin, ascending, from token `first` of the cohort on.
    """
    count, end = 0, -1
    for place in places:
        at = first + place
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
        total += (weights[end] - weights[begin]) * length_factor(before[row] + tokens + after, lengths.half_length)
        if row > 0:
            gap = kept[begin] - kept[stretches[row - 1, 1]]
            after = (after + tokens) * continuation(gap, lengths.gap_scale)
    return total


@kernel
def _add_half_bounds(
    cohort: tuple[CohortTokens, RunningSums], pairs: Rows, parameters: tuple[int, int, PassageLengths], bounds: Floats
) -> None:
    """Add half of the bound of each pair's second side; pairs with the same first side must be adjacent.

    The parameters are k, the number of distinct k-grams, and `LENGTHS`.
    """
    (indexed, sums), (k, distinct, lengths) = cohort, parameters
    kgrams, starts = indexed.tokens.kgrams, indexed.submission_starts
    ordered, order_starts = indexed.tokens.ordered_kgrams, indexed.order_starts
    # A bit for each k-gram of the first side, see `Workspace`.
    members, entered = np.zeros((distinct + 1 >> 6) + 1, dtype=np.uint64), -1
    longest = longest_part(starts)
    places = np.empty(longest, dtype=np.int32)
    stretches, before = np.empty((longest // k + 1, 2), dtype=np.int64), np.zeros(longest // k + 1)
    for row in range(len(pairs)):
        first_side, second_side = pairs[row]
        if first_side != entered:
            if entered >= 0:
                for kgram in ordered[order_starts[entered] : order_starts[entered + 1]]:
                    members[kgram + 1 >> 6] = 0
            fill_members(ordered[order_starts[first_side] : order_starts[first_side + 1]], members)
            entered = first_side
        start, end = starts[second_side], starts[second_side + 1]
        shared = find_members(kgrams[start:end], members, places)
        count = _fill_stretches(places[:shared], start, k, stretches)
        bounds[row] += _stretched_weight(stretches[:count], sums, lengths, before) / 2


def _close_coverage_bounds(cohort: Cohort, pairs: Rows, check: Check) -> Floats:
    """Return a closer bound than `coverage_bounds`; it takes some ten times as long."""
    bounds = np.zeros(len(pairs))
    arrays, parameters = (cohort.indexed, cohort.sums), (cohort.k, cohort.distinct[0], constants.LENGTHS)
    swapped = pairs[:, ::-1]
    for sides in (pairs, swapped):
        order = np.argsort(sides[:, 0], kind="stable")
        rows, halves = np.ascontiguousarray(sides[order]), np.zeros(len(pairs))

        def fill(part: slice, rows: Rows = rows, halves: Floats = halves) -> None:
            _add_half_bounds(arrays, rows[part], parameters, halves[part])

        run_chunks(cohort, rows, fill, check)
        bounds[order] += halves
    return bounds


def quick_bounds(cohort: Cohort, lexical: LexicalTable, candidates: CandidatePairs, check: Check = never_end) -> Floats:
    """Return an upper bound of the similarity of each pair: float64 [n]."""
    pairs = np.stack((candidates.left, candidates.right), axis=1).astype(np.int64)
    return similarities(cohort, lexical, pairs, coverage_bounds(cohort, pairs, check), check) + SLACK


def worth_scoring(cohort: Cohort, lexical: LexicalTable, candidates: CandidatePairs) -> Flags:
    """Return which pairs a ranking may have to score: all of a few, else those that may reach a threshold."""
    if len(candidates.left) <= SAMPLE_SIZE:
        return np.ones(len(candidates.left), dtype=np.bool_)
    return quick_bounds(cohort, lexical, candidates) >= LOWEST_THRESHOLD


def close_bounds(cohort: Cohort, lexical: LexicalTable, candidates: CandidatePairs, check: Check = never_end) -> Floats:
    """Return a closer upper bound of the similarity of each pair: float64 [n]."""
    pairs = np.stack((candidates.left, candidates.right), axis=1).astype(np.int64)
    return similarities(cohort, lexical, pairs, _close_coverage_bounds(cohort, pairs, check), check) + SLACK


class KgramPostings(NamedTuple):
    """The distinct matchable k-grams of each submission: p postings, sorted by k-gram, then by submission.

    `owners` int32 [p]: submission; `weights` float64 [p], `tokens` int32 [p]: weight and number of the tokens of all
    its occurrences there. The postings of submission s are at `positions[starts[s]:starts[s + 1]]` (int32), each
    followed by the postings of later submissions with the same k-gram, up to `ends` (int32 [p], like `positions`).
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
    """Fill the k-gram, weight and tokens of each posting, by submission, and where each submission begins.

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
    """Fill the position of each posting in the order of the k-grams, and where the k-gram's postings end."""
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


class Wanted(NamedTuple):
    """The pairs that a search is for, each with all pairs that have the same similarity.

    A search is for the best `best` pairs, the pairs with a similarity of at least `least`, and with `of_each`
    the best pair of each submission.
    """

    best: int
    least: float = inf
    of_each: bool = False


class Scored(NamedTuple):
    """Rows of the candidates that are scored (int64), and their scores."""

    rows: Positions
    scores: Scores


class _Search(NamedTuple):
    """State of a search in n candidates.

    `bounds` float64 [n]: upper bound of each similarity; `is_close` bool [n]: whether it is a closer bound;
    `similarity` float64 [n]: `UNSCORED` where it is not known.
    """

    candidates: CandidatePairs
    wanted: Wanted
    bounds: Floats
    is_close: Flags
    similarity: Floats

    def possible_rows(self, among: Positions) -> Positions:
        """Return those of some rows that are unscored and may be wanted; fewer may be as more are scored."""
        least: float | Floats = min(_nth_best(self.similarity, self.wanted.best), self.wanted.least)
        if self.wanted.of_each:
            least = np.minimum(least, _least_best_match(self.candidates, self.similarity, among))
        possible: Positions = among[(self.similarity[among] == UNSCORED) & (self.bounds[among] >= least)]
        return possible

    def highest(self, rows: Positions, done: int, step: int) -> Positions:
        """Return the rows with the highest bounds, ascending: as many as are `done`, at least `step`."""
        count = max(done, step)
        if len(rows) <= count:
            return rows
        return np.sort(rows[np.argpartition(-self.bounds[rows], count)[:count]])

    def best_of_each(self) -> Positions:
        """Return the rows with the highest bound of each submission, ascending, without the scored ones."""
        candidates, highest = self.candidates, _best_of_each(self.candidates, self.bounds, slice(None))
        # Few pairs have the highest bound of a side; sorting all takes most of the time.
        is_best = (self.bounds == highest[candidates.left]) | (self.bounds == highest[candidates.right])
        order = np.flatnonzero(is_best)
        order = order[np.argsort(-self.bounds[order], kind="stable")]
        sides = np.stack((candidates.left[order], candidates.right[order]), axis=1).ravel()
        rows = distinct_values(order[first_places(sides) // 2])
        unscored: Positions = rows[self.similarity[rows] == UNSCORED]
        return unscored


def best_pairs(
    cohort: Cohort,
    lexical: LexicalTable,
    candidates: CandidatePairs,
    wanted: Wanted,
    *,
    scored: Scored | None = None,
    check: Check = never_end,
) -> Scored:
    """Return the wanted pairs of the candidates, and others that were scored to find them.

    Pairs are scored by descending bound, until no other pair can be wanted. `scored` pairs are not scored
    again. Only pairs that may be wanted by their quick bound get a closer bound.
    """
    bounds = quick_bounds(cohort, lexical, candidates, check)
    search = _Search(candidates, wanted, bounds, np.zeros(len(bounds), dtype=np.bool_), np.full(len(bounds), UNSCORED))
    parts = [] if scored is None else [scored]
    for part in parts:
        search.similarity[part.rows] = part.scores.similarity
    for rows in _steps(search, lambda rows: close_bounds(cohort, lexical, candidates.take(rows), check)):
        parts.append(Scored(rows, score(cohort, lexical, candidates.take(rows), check)))
        search.similarity[rows] = parts[-1].scores.similarity
    columns = zip(*(part.scores for part in parts), strict=True)
    return Scored(np.concatenate([part.rows for part in parts]), Scores(*map(np.concatenate, columns)))


def best_of_both(
    cohort: Cohort,
    lexical: LexicalTable,
    candidates: CandidatePairs,
    wanted: Wanted,
    within: Flags,
    *,
    scored: Scored,
    check: Check,
) -> Scored:
    """Return the wanted candidates `within` a class, of which some are scored, and the wanted others.

    So the pairs found in the class do not depend on the others.
    """
    inside, others = np.flatnonzero(within), np.flatnonzero(~within)
    known = scored._replace(rows=np.searchsorted(inside, scored.rows))
    parts = []
    for rows, before in ((inside, known), (others, None)):
        if len(rows):
            best = best_pairs(cohort, lexical, candidates.take(rows), wanted, scored=before, check=check)
            parts.append(best._replace(rows=rows[best.rows]))
    columns = zip(*(part.scores for part in parts), strict=True)
    return Scored(np.concatenate([part.rows for part in parts]), Scores(*map(np.concatenate, columns)))


def _steps(search: _Search, bounds_of: Callable[[Positions], Floats]) -> Iterator[Positions]:
    """Yield rows to score, the first of them perhaps empty, until no other pair can be wanted."""
    rows = search.best_of_each() if search.wanted.of_each else np.empty(0, dtype=np.int64)
    yield rows
    searched, possible = len(rows), np.arange(len(search.bounds))
    while len(possible := search.possible_rows(possible)):
        rows = search.highest(possible, searched, PAIRS_PER_STEP)
        if not search.is_close[rows].all():
            rows = possible[~search.is_close[possible]]
            rows = search.highest(rows, int(search.is_close.sum()), BOUNDS_PER_STEP)
            search.bounds[rows] = np.minimum(search.bounds[rows], bounds_of(rows))
            search.is_close[rows] = True
            continue
        yield rows
        searched += len(rows)


def _nth_best(similarity: Floats, n: int) -> float:
    """Return the n-th highest similarity, or `UNSCORED` if fewer are scored."""
    scored = similarity[similarity != UNSCORED]
    if n > len(scored):
        return UNSCORED
    return float(np.partition(scored, len(scored) - n)[len(scored) - n])


def _least_best_match(candidates: CandidatePairs, similarity: Floats, rows: Positions) -> Floats:
    """Return for some rows the similarity from which on each is a side's best pair, as far as is known."""
    best = _best_of_each(candidates, similarity, np.flatnonzero(similarity != UNSCORED))
    least: Floats = np.minimum(best[candidates.left[rows]], best[candidates.right[rows]])
    return least


def _best_of_each(candidates: CandidatePairs, values: Floats, rows: Positions | slice) -> Floats:
    """Return the highest value of each submission among some rows of the candidates, `UNSCORED` without any."""
    best = np.full(int(candidates.right.max(initial=-1)) + 1, UNSCORED)
    for side in (candidates.left, candidates.right):
        np.maximum.at(best, side[rows], values[rows])
    return best
