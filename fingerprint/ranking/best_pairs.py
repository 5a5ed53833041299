"""Find the best pairs of a cohort without scoring all of them, by upper bounds of their similarities."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.ranking.parallel import never_end
from fingerprint.ranking.scoring import Scores, score
from fingerprint.ranking.upper_bounds import similarity_bounds

if TYPE_CHECKING:
    from fingerprint.index import CandidatePairs
    from fingerprint.ranking.cohort import Cohort
    from fingerprint.ranking.parallel import Check
    from fingerprint.ranking.terms import LexicalTable
    from fingerprint.types import Floats, Rows

# At least so many pairs are scored before checking again whether any other pair can be wanted. Each step
# doubles their number, so that there are few steps, and at most twice the pairs that have to be scored.
PAIRS_PER_STEP = 512
UNSCORED = -1.0


class Wanted(NamedTuple):
    """The pairs that a search is for, each with all that have the same similarity.

    These are the best `best` pairs, those of similarity `least` and above, and where `of_each` the best pair
    of each submission.
    """

    best: int
    least: float = inf
    of_each: bool = False


class Scored(NamedTuple):
    """Rows of the candidates that are scored (int64), and their scores."""

    rows: Rows
    scores: Scores


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

    Pairs are scored by descending bound, until no other one can be wanted. Those that are `scored` already
    are not scored again.
    """
    bounds = similarity_bounds(cohort, lexical, candidates, check)
    similarity = np.full(len(bounds), UNSCORED)
    parts = [] if scored is None else [scored]
    for part in parts:
        similarity[part.rows] = part.scores.similarity
    rows, searched = _first_rows(candidates, bounds, similarity, wanted), 0
    while True:
        parts.append(Scored(rows, score(cohort, lexical, candidates.take(rows), check)))
        similarity[rows], searched = parts[-1].scores.similarity, searched + len(rows)
        rows = _next_rows(candidates, bounds, similarity, wanted)
        if not len(rows):
            break
        rows = _highest(rows, bounds, max(PAIRS_PER_STEP, searched))
    columns = zip(*(part.scores for part in parts), strict=True)
    return Scored(np.concatenate([part.rows for part in parts]), Scores(*map(np.concatenate, columns)))


def _first_rows(candidates: CandidatePairs, bounds: Floats, similarity: Floats, wanted: Wanted) -> Rows:
    """Return the unscored rows among those with the highest bounds, and with the highest of a submission."""
    order = np.argsort(-bounds, kind="stable")
    rows = order[: max(wanted.best, PAIRS_PER_STEP)]
    if wanted.of_each:
        sides = np.stack((candidates.left[order], candidates.right[order]), axis=1).ravel()
        _, first = np.unique(sides, return_index=True)
        rows = np.union1d(rows, order[first // 2])
    return np.sort(rows[similarity[rows] == UNSCORED])


def _next_rows(candidates: CandidatePairs, bounds: Floats, similarity: Floats, wanted: Wanted) -> Rows:
    """Return the unscored rows that may be wanted, ascending."""
    least = np.full(len(bounds), min(_nth_best(similarity, wanted.best), wanted.least))
    if wanted.of_each:
        least = np.minimum(least, _least_best_match(candidates, similarity))
    return np.flatnonzero((similarity == UNSCORED) & (bounds >= least))


def _highest(rows: Rows, bounds: Floats, count: int) -> Rows:
    """Return the `count` rows with the highest bounds, ascending; all if there are fewer."""
    if len(rows) <= count:
        return rows
    return np.sort(rows[np.argpartition(-bounds[rows], count)[:count]])


def _nth_best(similarity: Floats, n: int) -> float:
    """Return the n-th highest similarity; that of unscored pairs if fewer are scored."""
    if n > len(similarity):
        return UNSCORED
    return float(np.partition(similarity, len(similarity) - n)[len(similarity) - n])


def _least_best_match(candidates: CandidatePairs, similarity: Floats) -> Floats:
    """Return for each pair the similarity from which on it is the best one of a side, as far as is known."""
    count = int(candidates.right.max(initial=-1)) + 1
    best = np.full(count, UNSCORED)
    np.maximum.at(best, candidates.left, similarity)
    np.maximum.at(best, candidates.right, similarity)
    least: Floats = np.minimum(best[candidates.left], best[candidates.right])
    return least
