"""Keep the cohort of the ranking that this process works on: loading it takes long."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from fingerprint import engine
from submissions.ranking.load import load_cohort
from submissions.ranking.memory import ClassTooLarge, check_memory
from submissions.ranking.selection import CohortChanged, Selection

if TYPE_CHECKING:
    from fingerprint.engine import CandidatePairs, Cohort, LexicalTable
    from submissions.models import RankingPlan
    from submissions.ranking.load import LoadedCohort


class Kept:
    """The cohort of a plan; `candidates` are those of its first job where they are known."""

    def __init__(self, plan: int, cohort: LoadedCohort, candidates: CandidatePairs | None = None) -> None:
        self.plan, self.cohort, self.candidates = plan, cohort, candidates

    @cached_property
    def jobs(self) -> list[tuple[Cohort, LexicalTable]]:
        """The cohort and the terms of each scoring job with exclusions."""
        return engine.scored_cohorts(self.cohort.inputs)

    @cached_property
    def _jobs_without_exclusions(self) -> list[tuple[Cohort, LexicalTable]]:
        return engine.scored_cohorts(self.cohort.without_exclusions())

    def job(self, number: int) -> tuple[Cohort, LexicalTable]:
        """Return the cohort and the terms of the job with this number; those without exclusions are last."""
        own = len(self.jobs)
        return self.jobs[number] if number < own else self._jobs_without_exclusions[number - own]


# What this process loaded last, and nothing else, so that its memory is bounded.
_kept: list[Kept] = []


def keep(kept: Kept) -> None:
    """Keep a cohort in place of any other."""
    _kept[:] = [kept]


def planned(plan: RankingPlan) -> Kept:
    """Return the cohort of a plan; load it unless it is kept.

    Raises
    ------
    CohortChanged
        When it is loaded and not the same any more.
    """
    if not any(kept.plan == plan.pk for kept in _kept):
        forget()
        keep(Kept(plan.pk, _load(plan)))
    return _kept[0]


def _load(plan: RankingPlan) -> LoadedCohort:
    cohort = load_cohort(plan.report.assignment, Selection.from_json(plan.selection))
    if cohort.inputs.digest() != bytes(plan.digest):
        raise CohortChanged
    return cohort


def make_room(tokens: int) -> None:
    """Free what this process keeps unless a class of so many tokens fits in memory beside it."""
    try:
        check_memory(tokens + sum(kept.cohort.token_count for kept in _kept))
    except ClassTooLarge:
        forget()


def forget(plan_id: int | None = None) -> None:
    """Free what this process keeps of a plan, or of any."""
    if _kept and plan_id in {None, _kept[0].plan}:
        _kept.clear()
