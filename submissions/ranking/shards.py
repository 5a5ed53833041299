"""Cut the pairs of a large ranking into shards that any worker scores, in any order and perhaps twice."""

from __future__ import annotations

import logging
import time
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from django.conf import settings
from django.db.models import Sum
from django.utils import timezone

from fingerprint import engine
from submissions.heartbeats import package_version
from submissions.models import RankingPlan, RankingShard, Report
from submissions.queues import HEAVY
from submissions.ranking import progress
from submissions.ranking.load import load_cohort
from submissions.ranking.memory import check_memory
from submissions.ranking.selection import CohortChanged, Selection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt

    from fingerprint.engine import Cohort, LexicalTable, ScoringJob
    from fingerprint.types import Floats
    from submissions.ranking.load import LoadedCohort

logger = logging.getLogger(__name__)

# Processor seconds of a pair, of each token of both sides, and of each fingerprint that both share, which
# takes most. They are too high for short files: cutting such a class early only loads it more often.
PAIR_SECONDS, TOKEN_SECONDS, SHARED_SECONDS = 1e-5, 1e-8, 7e-6
# How pairs and scores are stored.
SIDES, FLOATS, WHOLE = np.dtype("<i4"), np.dtype("<f8"), np.dtype("<i8")
WHOLE_COLUMNS = frozenset({"tokens", "longest", "lines"})


class _Kept(NamedTuple):
    """What one plan scores with exclusions, or without: cohorts and their terms, by the number of the job."""

    plan: int
    jobs: dict[int, tuple[Cohort, LexicalTable]]


# What this process loaded last, and nothing else, so that its memory is bounded.
_kept: list[_Kept] = []


def cut(
    report: Report,
    cohort: LoadedCohort,
    selection: Selection,
    batches: list[int],
    jobs: list[ScoringJob],
) -> bool:
    """Store a plan of the report with its shards, in the caller's transaction, if its `jobs` take long.

    Return whether they do. The report goes to the heavy queue, where its shards are.
    """
    rankings = 1 + cohort.is_ranked_twice
    check_memory(_token_count(cohort), rankings * sum(len(job.pairs.left) for job in jobs))
    if rankings * sum(_seconds(job).sum() for job in jobs) <= settings.SHARD_SECONDS:
        return False
    more = engine.scoring_jobs(cohort.without_exclusions()) if cohort.is_ranked_twice else []
    _store_plan(report, cohort, selection, batches, jobs + more)
    return True


def _token_count(cohort: LoadedCohort) -> int:
    return len(cohort.inputs.cohort.tokens.kinds) - len(cohort.files)


def _store_plan(
    report: Report, cohort: LoadedCohort, selection: Selection, batches: list[int], jobs: list[ScoringJob]
) -> None:
    seconds = [_seconds(job) for job in jobs]
    RankingPlan.objects.filter(report=report).delete()
    plan = RankingPlan.objects.create(
        report=report,
        selection=selection.to_json(),
        digest=cohort.inputs.digest(),
        version=package_version(),
        batches=batches,
        submissions=len(cohort.submissions),
        pairs=sum(map(len, seconds)),
    )
    parts = chain.from_iterable(
        ((number, part) for part in _parts(job, cost))
        for number, (job, cost) in enumerate(zip(jobs, seconds, strict=True))
    )
    shards = RankingShard.objects.bulk_create(
        (
            RankingShard(plan=plan, number=number, job=job, pairs=sides.shape[1], sides=sides.tobytes())
            for number, (job, sides) in enumerate(parts)
        ),
        batch_size=20,
    )
    Report.objects.filter(pk=report.pk).update(queue=HEAVY, touched=timezone.now())
    logger.info("report %s: %s pairs in %s shards", report.pk, plan.pairs, len(shards))


def _seconds(job: ScoringJob) -> Floats:
    shared = job.pairs.shared.astype(np.float64)
    seconds: Floats = job.tokens * TOKEN_SECONDS + shared * SHARED_SECONDS + PAIR_SECONDS
    return seconds


def _parts(job: ScoringJob, seconds: Floats) -> Iterator[npt.NDArray[np.int32]]:
    """Yield the pairs in parts of at most SHARD_SECONDS, or of one pair."""
    sides = np.stack((job.pairs.left, job.pairs.right)).astype(SIDES)
    ends, start = seconds.cumsum(), 0
    while start < len(ends):
        before = ends[start - 1] if start else 0.0
        end = max(start + 1, int(np.searchsorted(ends, before + settings.SHARD_SECONDS, side="right")))
        yield np.ascontiguousarray(sides[:, start:end])
        start = end


def score_shard(shard: RankingShard) -> None:
    """Score the pairs of a shard and store the scores, unless another worker did meanwhile.

    Raises
    ------
    Cancelled
        When its report is no longer ranked by its plan.
    CohortChanged
        When what the plan selected was changed.
    """
    check = plan_check(shard.plan_id)
    cohort, lexical = _load_job(shard)
    sides = np.frombuffer(bytes(shard.sides), dtype=SIDES).reshape(2, -1).astype(np.int32)
    pairs = engine.CandidatePairs(sides[0], sides[1], np.zeros_like(sides[0]))
    scores = engine.score(cohort, lexical, pairs, check)
    unscored = RankingShard.objects.filter(pk=shard.pk, scores=None)
    unscored.update(scores=pack(scores), touched=timezone.now())
    publish(shard.plan)


def publish(plan: RankingPlan) -> None:
    """Publish how many pairs of all shards are scored; the report counts as changed."""
    Report.objects.filter(pk=plan.report_id, state=Report.State.RUNNING).update(touched=timezone.now())
    done = plan.shards.exclude(scores=None).aggregate(total=Sum("pairs"))["total"] or 0
    progress.publish(plan.report_id, progress.comparing(plan.submissions), done, plan.pairs)


def plan_check(plan_id: int) -> Callable[[], None]:
    """Return a function for frequent calls that raises Cancelled when the plan is not followed any more."""
    due = 0.0

    def check() -> None:
        nonlocal due
        if time.monotonic() >= due:
            if not is_followed(plan_id):
                raise progress.Cancelled
            due = time.monotonic() + progress.UPDATE_SECONDS

    return check


def is_followed(plan_id: int) -> bool:
    """Return whether a plan is that of a report which is ranked now."""
    return RankingPlan.objects.filter(pk=plan_id, report__state=Report.State.RUNNING).exists()


def load_planned(plan: RankingPlan) -> LoadedCohort:
    """Load the cohort of a plan again.

    Raises
    ------
    CohortChanged
        When it is not the same any more.
    """
    cohort = load_cohort(plan.report.assignment, Selection.from_json(plan.selection))
    if cohort.inputs.digest() != bytes(plan.digest):
        raise CohortChanged
    return cohort


def forget(plan_id: int | None = None) -> None:
    """Free what this process keeps of a plan, or of any."""
    if _kept and plan_id in {None, _kept[0].plan}:
        _kept.clear()


def _load_job(shard: RankingShard) -> tuple[Cohort, LexicalTable]:
    """Return the cohort of a shard and its terms; load them unless they are kept."""
    if not any(kept.plan == shard.plan_id and shard.job in kept.jobs for kept in _kept):
        forget()
        _kept.append(_Kept(shard.plan_id, _planned_jobs(shard)))
    return _kept[0].jobs[shard.job]


def _planned_jobs(shard: RankingShard) -> dict[int, tuple[Cohort, LexicalTable]]:
    cohort = load_planned(shard.plan)
    jobs = engine.scored_cohorts(cohort.inputs)
    if shard.job < len(jobs):
        return dict(enumerate(jobs))
    return dict(enumerate(engine.scored_cohorts(cohort.without_exclusions()), len(jobs)))


def pack(scores: engine.Scores) -> bytes:
    """Return the columns of scores one after the other, in eight bytes a number."""
    columns = zip(scores._fields, scores, strict=True)
    return b"".join(
        column.astype(WHOLE if name in WHOLE_COLUMNS else FLOATS).tobytes() for name, column in columns
    )


def unpack(packed: bytes) -> engine.Scores:
    """Return what `pack` packed."""
    names = engine.Scores._fields
    rows = np.frombuffer(packed, dtype=np.uint8).reshape(len(names), -1)
    columns: Any = (
        row.view(WHOLE if name in WHOLE_COLUMNS else FLOATS).copy()
        for name, row in zip(names, rows, strict=True)
    )
    return engine.Scores(*columns)
