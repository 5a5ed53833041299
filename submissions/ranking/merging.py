"""Make the results of a ranking of what its shards computed."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from fingerprint import engine
from submissions.models import RankingShard
from submissions.ranking.exclusions import rank_without_exclusions
from submissions.ranking.kept_cohorts import planned, unpack_parts, unpack_scores
from submissions.ranking.prepared import ListedPairs, with_copies
from submissions.ranking.rank import compute
from submissions.ranking.selection import CohortChanged
from submissions.ranking.shards import plan_check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fingerprint.engine import CandidatePairs, Cohort, LexicalTable, Scores
    from submissions.models import RankingPlan
    from submissions.ranking.load import LoadedCohort
    from submissions.ranking.rank import Results


def merge_scores(plan: RankingPlan) -> Results:
    """Return what ranking the cohort of a plan in one piece would, from the scores of its shards.

    Raises
    ------
    Cancelled
        When a user cancelled the ranking.
    CohortChanged
        When what the plan selected was changed.
    """
    kept = planned(plan)
    return compute(kept.cohort, plan_check(plan.pk), kept.candidates, StoredScores(plan))


def with_effect(plan: RankingPlan, results: Results) -> Results:
    """Return results that know the ranking without exclusions, where that is another one."""
    cohort, job_count = results.cohort, len(planned(plan).jobs)
    if not cohort.is_ranked_twice:
        return results
    before = rank_without_exclusions(cohort, results.ranking, StoredScores(plan, job_count))
    return results._replace(before=lambda: before)


def merge_passages(plan: RankingPlan, results: Results, copied: LoadedCohort) -> Iterator[ListedPairs]:
    """Yield the pairs that the report lists, with what its shards aligned; see `rank.save` for `copied`."""
    shards = plan.shards.filter(kind=RankingShard.Kind.PASSAGES).order_by("number")
    done = 0
    for pairs, packed in shards.values_list("pairs", "result").iterator(chunk_size=1):
        ranking = results.best.take(np.arange(done, done + pairs))
        yield with_copies(results.cohort, copied, ListedPairs(ranking, unpack_parts(bytes(packed or b""))))
        done += pairs


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
        shards = self._plan.shards.filter(kind=RankingShard.Kind.SCORES, job=job).order_by("number")
        for scores in shards.values_list("result", flat=True).iterator(chunk_size=1):
            yield unpack_scores(bytes(scores or b""))
