"""Jobs of a ranking: what each step does, and what becomes of a report.

The job of a ranking is that of an assignment. A small class is ranked by it alone. For a large one it stores
a plan and waits for its parts: jobs that score the pairs, on all workers. After the last one it goes on: it
has the listed pairs aligned in shards, waits again, and makes the report. All of it is in Postgres, so any
worker goes on with it.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction

from submissions import lifecycle
from submissions.comparisons import compares, comparing_assignments
from submissions.ingest.rereading import replace_documents, waits_for_ranking
from submissions.models import Job, RankingPlan, RankingShard, Report
from submissions.ranking.kept_cohorts import ClassTooLarge
from submissions.ranking.progress import Cancelled
from submissions.ranking.selection import CohortChanged
from submissions.storage.posting_runs import merge_small
from submissions.work import jobs
from submissions.work.heartbeats import package_version
from submissions.work.kinds import HEAVY
from submissions.work.locks import Work, work_lock

if TYPE_CHECKING:
    from submissions.models import Assignment
    from submissions.ranking.prepared import Prepared
    from submissions.ranking.rank import Results

logger = logging.getLogger(__name__)

# Number of shards of one ranking that wait at a time, so that the work of others is between.
SHARDS_AT_ONCE = 16


def rank(job: Job) -> None:
    """Go on with the ranking of an assignment, then delete the older reports.

    Raises
    ------
    Parts
        When its shards are to be computed first.
    Later, Again
        When the assignment is being changed, or a ranking that was cancelled has not ended yet; or when what
        was planned was changed.
    Refused
        When the class is too large.
    """
    report = lifecycle.running_report(job.subject)
    if report is None:
        return
    with work_lock(Work.RANKING, job.subject) as free:
        if not free:
            raise lifecycle.AssignmentBusy
        try:
            _go_on(report)
        except Cancelled:
            return
        except CohortChanged:
            RankingPlan.objects.filter(report=report).delete()
            raise jobs.Again from None
        except ClassTooLarge as error:
            raise jobs.Refused(str(error), str(error)) from error


def _go_on(report: Report) -> None:
    plan = RankingPlan.objects.filter(report=report).select_related("report__assignment").first()
    if plan is None:
        if compares(report.assignment):
            merge_small()
        _begin(report)
        jobs.enqueue("merge_postings", queue=HEAVY)
    elif enqueue_shards(plan):
        raise jobs.Parts
    elif plan.version != package_version():  # Another version might score otherwise.
        raise jobs.Later(jobs.ROOM_INTERVAL, f"it was begun by version {plan.version}")
    else:
        _merge(plan)


def _begin(report: Report) -> None:
    """Rank the cohort of a report, or cut its pairs into shards; nothing is locked while it is loaded."""
    from submissions.ranking.prepared import prepare  # noqa: PLC0415 - imports the engine: workers only
    from submissions.ranking.shards import cut  # noqa: PLC0415

    # The last report must keep its documents until the new one is there: then this is one transaction.
    prepared = None if waits_for_ranking(report.assignment_id) else prepare(report)
    plan = cut(report, prepared) if prepared else None
    if plan:
        enqueue_shards(plan)
        raise jobs.Parts
    with transaction.atomic():
        _rank_locked(report.pk, report.assignment_id, prepared)


def _rank_locked(report_id: int, assignment_id: int, prepared: Prepared | None) -> None:
    from submissions.ranking.prepared import is_current  # noqa: PLC0415 - imports the engine: workers only
    from submissions.ranking.rank import rank_without_cancelled  # noqa: PLC0415

    unfinished = Report.objects.filter(pk=report_id, state__in=Report.UNFINISHED)
    locked = lifecycle.lock_assignment(assignment_id, wait=False)
    report = unfinished.select_related("assignment").first()
    if locked is None or report is None:  # the report was deleted
        return
    is_read_again = replace_documents(locked)
    is_ready = prepared is not None and not is_read_again and is_current(locked, prepared)
    _finish(report, rank_without_cancelled(report, prepared if is_ready else None))
    if is_read_again:
        for other in comparing_assignments(locked):
            lifecycle.enqueue_rank(other)


def _finish(report: Report, batches: list[int]) -> None:
    if not lifecycle.finish_report(report):
        raise Cancelled
    report.save(update_fields=["duplicates", "findings", "parameters"])
    report.assignment.reports.filter(pk__lt=report.pk).delete()
    lifecycle.finish_batches(batches)


def enqueue_shards(plan: RankingPlan) -> bool:
    """Enqueue the first shards that wait; each of them enqueues a later one. Return whether there are any."""
    waiting = plan.shards.filter(result=None).order_by("number").values_list("pk", flat=True)
    first = list(waiting[:SHARDS_AT_ONCE])
    _enqueue(plan, first)
    return bool(first)


def _enqueue(plan: RankingPlan, shards: list[int]) -> None:
    assignment: Assignment = plan.report.assignment
    jobs.enqueue_all("score_shard", shards, assignment.pk, user=assignment.course.owner_id, queue=HEAVY)


def score_shard(job: Job) -> None:
    """Score or align the pairs of one shard, and enqueue a later one, behind the work of others."""
    from submissions.ranking.shards import compute  # noqa: PLC0415 - imports the engine: workers only

    waiting = RankingShard.objects.filter(pk=job.subject, plan__report__state=Report.State.RUNNING)
    shard = waiting.select_related("plan__report__assignment__course").first()
    if shard is None or shard.plan.version != package_version():
        return
    try:
        if shard.result is None:
            compute(shard)
    except Cancelled:
        return
    except CohortChanged:
        _start_again(shard.plan)
        return
    except ClassTooLarge as error:
        raise jobs.Refused(str(error), str(error)) from error
    _enqueue_later(shard)


def _enqueue_later(shard: RankingShard) -> None:
    from submissions.ranking.kept_cohorts import forget  # noqa: PLC0415 - imports the engine: workers only
    from submissions.ranking.shards import is_followed  # noqa: PLC0415

    plan = shard.plan
    if not is_followed(plan.pk):
        forget(plan.pk)
        return
    waiting = plan.shards.filter(result=None)
    _enqueue(plan, list(waiting.filter(number=shard.number + SHARDS_AT_ONCE).values_list("pk", flat=True)))
    queued = Job.objects.filter(kind="score_shard", part=plan.report.assignment_id, state=Job.State.QUEUED)
    if shard.kind == RankingShard.Kind.PASSAGES and waiting.exists() and not queued.exists():
        forget(plan.pk)


def _start_again(plan: RankingPlan) -> None:
    """Have a ranking planned again, of what was changed meanwhile, or by another version."""
    RankingPlan.objects.filter(pk=plan.pk).delete()
    jobs.parts_of("rank", plan.report.assignment_id).delete()


def fail_shard(job: Job, message: str) -> None:
    """Fail the ranking of a shard; one of a version of which no worker is left begins again."""
    shards = RankingShard.objects.filter(pk=job.subject).select_related("plan__report")
    for plan in [shard.plan for shard in shards]:
        if message == jobs.OTHER_VERSION:
            _start_again(plan)
            continue
        for ranking in Job.objects.filter(kind="rank", subject=job.part).exclude(state=Job.State.QUEUED):
            jobs.fail(ranking, message)


def show_ranking(job: Job, state: str, reason: str) -> None:
    """Show the state of a job on the report of its assignment: the newest one is what is ranked."""
    if state == Job.State.RUNNING:
        lifecycle.start_report(job.subject)
    else:
        lifecycle.requeue_report(job.subject, reason)


def fail_ranking(job: Job, message: str) -> None:
    """Fail the report of a job, and the batches that wait for it when no other one is coming."""
    unfinished = Report.objects.filter(assignment=job.subject, state__in=Report.UNFINISHED)
    for report in unfinished.order_by("-state")[:1]:  # the running one, if there is one
        lifecycle.fail_report(report.pk, message)


def _merge(plan: RankingPlan) -> None:
    """Cut the listed pairs into shards, or else save the report; nothing is locked while computing."""
    from submissions.ranking.merging import merge_scores, with_effect  # noqa: PLC0415 - the engine: workers only
    from submissions.ranking.shards import cut_listed  # noqa: PLC0415

    results = merge_scores(plan)
    is_scored_only = not plan.shards.filter(kind=RankingShard.Kind.PASSAGES).exists()
    if is_scored_only and cut_listed(plan, results.best):
        enqueue_shards(plan)
        raise jobs.Parts
    _save(plan, with_effect(plan, results))


def _save(plan: RankingPlan, results: Results) -> None:
    from submissions.ranking.kept_cohorts import forget  # noqa: PLC0415 - imports the engine: workers only
    from submissions.ranking.merging import merge_passages  # noqa: PLC0415
    from submissions.ranking.prepared import has_files  # noqa: PLC0415
    from submissions.ranking.rank import has_cancelled, save  # noqa: PLC0415

    report = plan.report
    with transaction.atomic():
        lifecycle.lock_assignment(report.assignment_id, wait=True)
        if not RankingPlan.objects.filter(pk=plan.pk, report__state=Report.State.RUNNING).exists():
            raise Cancelled
        if not has_files(results.cohort):
            raise CohortChanged
        save(report, results, partial(merge_passages, plan, results))
        if has_cancelled(report):
            raise CohortChanged
        _finish(report, plan.batches)
        plan.delete()
    forget(plan.pk)
