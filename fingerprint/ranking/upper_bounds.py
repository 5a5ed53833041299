"""Find the best pairs of a cohort without scoring all pairs, by upper bounds of the scores, which are cheap.

Passages lie within the k-grams that both sides contain. On each side, these k-grams form stretches, and
stretches with at most `LONGEST_GAP` tokens between them form a segment. A chain of passages lies within one
segment, so neither its weight nor its number of tokens exceeds that of the segment. The contribution of names
and literals is computed exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint._jit import njit
from fingerprint.ranking.parallel import never_end, run_chunks
from fingerprint.ranking.score_constants import LONGEST_GAP
from fingerprint.ranking.scoring import Scores, length_factor, score, similarity_of

if TYPE_CHECKING:
    from fingerprint.index import CandidatePairs
    from fingerprint.ranking.cohort import Cohort, RunningSums
    from fingerprint.ranking.parallel import Check
    from fingerprint.ranking.terms import LexicalTable
    from fingerprint.types import Bounds, Flags, Floats, Ids, Rows

# Pairs to score before checking again whether any other pair can be among the best.
PAIRS_PER_STEP = 512
# Added to each bound. Sums of the same weights in a different order differ by far less.
SLACK = 1e-7


@njit
def _segment_weight(kgrams: Ids, first: int, sums: RunningSums, shared: Flags, k: int) -> float:
    """Return an upper bound of the chained weight of one side: that of its segments of `shared` k-grams.

    `kgrams` are the ids of the side's k-grams, from token `first` of the cohort on.
    """
    weights, own = sums.weight, sums.own
    total, weight, tokens, begin, end = 0.0, 0.0, 0.0, first, first
    for at in range(first, first + len(kgrams)):
        kgram = kgrams[at - first]
        if kgram < 0 or not shared[kgram]:
            continue
        if at > end:
            weight, tokens = weight + weights[end] - weights[begin], tokens + end - begin
            if own[at] - own[end] > LONGEST_GAP:
                total, weight, tokens = total + weight * length_factor(tokens), 0.0, 0.0
            begin = at
        end = at + k
    weight, tokens = weight + weights[end] - weights[begin], tokens + end - begin
    bound: float = total + weight * length_factor(tokens)
    return bound


@njit
def _add_half_bounds(
    cohort: tuple[Ids, Bounds, RunningSums], pairs: Rows, k: int, distinct: int, bounds: Floats
) -> None:
    """Add half of the bound of each pair's second side; pairs with the same first side must be adjacent."""
    kgrams, starts, sums = cohort
    # The last entry is for the id -1, which stands for no k-gram.
    on_first_side, entered = np.zeros(distinct + 1, dtype=np.bool_), -1
    for row in range(len(pairs)):
        first_side, second_side = pairs[row]
        if first_side != entered:
            if entered >= 0:
                on_first_side[kgrams[starts[entered] : starts[entered + 1]]] = False
            on_first_side[kgrams[starts[first_side] : starts[first_side + 1]]] = True
            entered = first_side
        start, end = starts[second_side], starts[second_side + 1]
        bounds[row] += _segment_weight(kgrams[start:end], start, sums, on_first_side, k) / 2


def _coverage_bounds(cohort: Cohort, pairs: Rows, check: Check) -> Floats:
    """Return an upper bound of the weight that the passages of each pair cover, computed on all cores."""
    bounds = np.zeros(len(pairs))
    arrays = (cohort.tokens.kgrams, cohort.submission_starts, cohort.sums)
    distinct = 1 + int(cohort.tokens.kgrams.max(initial=-1))
    swapped = pairs[:, ::-1]
    for sides in (pairs, swapped):
        order = np.argsort(sides[:, 0], kind="stable")
        rows, halves = np.ascontiguousarray(sides[order]), np.zeros(len(pairs))

        def fill(part: slice, rows: Rows = rows, halves: Floats = halves) -> None:
            _add_half_bounds(arrays, rows[part], cohort.k, distinct, halves[part])

        run_chunks(cohort, rows, fill, check)
        bounds[order] += halves
    return bounds


def similarity_bounds(
    cohort: Cohort, lexical: LexicalTable, candidates: CandidatePairs, check: Check = never_end
) -> Floats:
    """Return an upper bound of the similarity of each pair: float64 [n]."""
    pairs = np.stack((candidates.left, candidates.right), axis=1).astype(np.int64)
    return similarity_of(cohort, lexical, pairs, _coverage_bounds(cohort, pairs, check))[0] + SLACK


def best_pairs(
    cohort: Cohort, lexical: LexicalTable, candidates: CandidatePairs, show: int, check: Check = never_end
) -> tuple[Rows, Scores]:
    """Return rows of the candidates that include the best `show` and all that tie with the last of these.

    Pairs are scored in descending order of their bounds, until no other pair can be among the best.

    Returns
    -------
    int64 array of rows, and the scores of these rows.
    """
    bounds = similarity_bounds(cohort, lexical, candidates, check)
    order = np.argsort(-bounds, kind="stable")
    scored, size = 0, max(show, PAIRS_PER_STEP)
    parts: list[Scores] = []
    while True:
        rows = np.sort(order[scored : scored + size])
        order[scored : scored + size] = rows
        parts.append(score(cohort, lexical, candidates.take(rows), check))
        scored = min(scored + size, len(order))
        if scored == len(order) or _nth_best(parts, show) > bounds[order[scored]]:
            break
    return order[:scored], Scores(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _nth_best(parts: list[Scores], n: int) -> float:
    similarity = np.concatenate([part.similarity for part in parts])
    return float(np.partition(similarity, len(similarity) - n)[len(similarity) - n])
