"""Make the results of a ranking of the scores of its shards."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from fingerprint import engine
from submissions.ranking.exclusions import rank_without_exclusions
from submissions.ranking.rank import compute, track_aligned
from submissions.ranking.selection import CohortChanged
from submissions.ranking.shards import forget, load_planned, plan_check, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fingerprint.engine import CandidatePairs, Cohort, LexicalTable, Scores
    from submissions.models import RankingPlan
    from submissions.ranking.rank import Results


def merge(plan: RankingPlan) -> Results:
    """Return what ranking the cohort of a plan in one piece would, from the scores of its shards.

    Raises
    ------
    Cancelled
        When a user cancelled the ranking.
    CohortChanged
        When what the plan selected was changed.
    """
    forget()
    cohort, check = load_planned(plan), plan_check(plan.pk)
    own = len(engine.scored_cohorts(cohort.inputs))
    results = compute(cohort, check, score_pairs=StoredScores(plan))
    listed = len(results.best.scores.similarity)
    aligned = list(track_aligned(plan.report_id, results.aligned, listed))
    if not cohort.is_ranked_twice:
        return results._replace(aligned=aligned)
    before = rank_without_exclusions(cohort, results.ranking, StoredScores(plan, own))
    return results._replace(aligned=aligned, before=lambda: before)


class StoredScores:
    """The scores of the jobs of a plan from number `first` on; it is called for them in their order."""

    def __init__(self, plan: RankingPlan, first: int = 0) -> None:
        self._plan, self._numbers = plan, count(first)

    def __call__(
        self, cohort: Cohort, lexical: LexicalTable, pairs: CandidatePairs, check: Callable[[], None]
    ) -> Scores:
        check()
        parts = list(self._parts(next(self._numbers)))
        if not parts:  # No shard has no pairs.
            parts = [engine.score(cohort, lexical, pairs.take(np.arange(0)), check)]
        scores = engine.Scores(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
        if len(scores.similarity) != len(pairs.left):
            raise CohortChanged
        return scores

    def _parts(self, job: int) -> Iterator[Scores]:
        shards = self._plan.shards.filter(job=job).order_by("number").values_list("scores", flat=True)
        for scores in shards.iterator(chunk_size=1):
            yield unpack(bytes(scores or b""))
