"""Find the best pairs of a cohort without scoring all of them, by upper bounds of their similarities."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.distinct import distinct_values, first_places
from fingerprint.ranking.parallel import never_end
from fingerprint.ranking.scoring import Scores, score
from fingerprint.ranking.upper_bounds import close_bounds, quick_bounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fingerprint.index import CandidatePairs
    from fingerprint.ranking.cohort import Cohort
    from fingerprint.ranking.parallel import Check
    from fingerprint.ranking.terms import LexicalTable
    from fingerprint.types import Flags, Floats, Positions

# At least so many pairs are scored, or get a closer bound, before checking again whether any other pair can
# be wanted. Each step doubles their number, so that there are few steps, and at most twice the pairs that
# have to be scored.
PAIRS_PER_STEP, BOUNDS_PER_STEP = 512, 8192
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

    rows: Positions
    scores: Scores


class _Search(NamedTuple):
    """State of a search in n candidates.

    `bounds` float64 [n]: upper bound of each similarity; `is_close` bool [n]: whether it is one of the closer
    ones; `similarity` float64 [n]: `UNSCORED` where it is not known.
    """

    candidates: CandidatePairs
    wanted: Wanted
    bounds: Floats
    is_close: Flags
    similarity: Floats

    def possible_rows(self) -> Positions:
        """Return the unscored rows that may be wanted, ascending."""
        least = np.full(
            len(self.bounds), min(_nth_best(self.similarity, self.wanted.best), self.wanted.least)
        )
        if self.wanted.of_each:
            least = np.minimum(least, _least_best_match(self.candidates, self.similarity))
        return np.flatnonzero((self.similarity == UNSCORED) & (self.bounds >= least))

    def highest(self, rows: Positions, done: int, step: int) -> Positions:
        """Return the rows with the highest bounds, ascending: as many as are `done`, at least `step`."""
        count = max(done, step)
        if len(rows) <= count:
            return rows
        return np.sort(rows[np.argpartition(-self.bounds[rows], count)[:count]])

    def best_of_each(self) -> Positions:
        """Return the rows with the highest bound of each submission, ascending, without the scored ones."""
        order = np.argsort(-self.bounds, kind="stable")
        sides = np.stack((self.candidates.left[order], self.candidates.right[order]), axis=1).ravel()
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

    Pairs are scored by descending bound, until no other one can be wanted. Those that are `scored` already
    are not scored again. Only pairs that may be wanted by a quick bound get a closer one.
    """
    bounds = quick_bounds(cohort, lexical, candidates, check)
    search = _Search(
        candidates, wanted, bounds, np.zeros(len(bounds), dtype=np.bool_), np.full(len(bounds), UNSCORED)
    )
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

    So it depends on none of the others which ones of the class are found.
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
    searched = len(rows)
    while len(possible := search.possible_rows()):
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
