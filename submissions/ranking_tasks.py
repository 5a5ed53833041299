"""Celery tasks of a ranking; like all tasks they return nothing, and running one twice is safe.

A small class is ranked by rank_next alone. For a large one it only stores a plan; then score_shard scores the
pairs, on all workers. Who computes the last shard goes on with `make_report`, since it has the class in
memory: first it has the listed pairs aligned in shards, and after these it makes the report. The state of all
of it is in Postgres, and messages have primary keys only: a lost one is sent again (`submissions.recovery`).
"""

from __future__ import annotations

import logging
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from submissions import lifecycle, retrying, turns
from submissions.comparisons import compares, comparing_assignments
from submissions.disk_space import WAITS_FOR_ROOM, is_database_away, is_no_room
from submissions.ingest.rereading import replace_documents, waits_for_ranking
from submissions.models import RankingPlan, RankingShard, Report
from submissions.ranking.memory import ClassTooLarge
from submissions.ranking.progress import Cancelled
from submissions.ranking.selection import CohortChanged
from submissions.storage.posting_runs import merge_small
from submissions.turns import cohort_size
from submissions.work import jobs
from submissions.work.heartbeats import package_version
from submissions.work.jobs import GAVE_UP
from submissions.work.kinds import MAX_ATTEMPTS
from submissions.work.locks import Work, work_lock
from submissions.work.queues import HEAVY, QUEUES, TakesLong, cohort_queue, send
from submissions.work.running import BROKEN, OUT_OF_TIME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from submissions.models import Assignment
    from submissions.ranking.prepared import Prepared
    from submissions.ranking.rank import Results

logger = logging.getLogger(__name__)

# Seconds after which work on an assignment is tried again that another process works on.
BUSY_SECONDS = 3
# A ranking takes what its class needs and can be cancelled; the limit only ends one that would never end.
RANKING_SECONDS = 12 * 60 * 60
LAST_SECONDS = RANKING_SECONDS + 60
# Number of messages for shards of one ranking that wait at a time, so that the work of others is between.
SHARDS_AT_ONCE = 16


def enqueue_rank(assignment: Assignment) -> Report:
    """Enqueue the ranking of an assignment's cohort when this transaction commits."""
    report, created = lifecycle.queue_report(assignment, cohort_queue(*cohort_size(assignment)))
    if created:
        transaction.on_commit(partial(send, rank_next, report.queue, report.queue))
    return report


@shared_task(
    name="submissions.tasks.rank_next",
    autoretry_for=(lifecycle.AssignmentBusy,), max_retries=None, default_retry_delay=BUSY_SECONDS,
    soft_time_limit=RANKING_SECONDS, time_limit=LAST_SECONDS,
)  # fmt: skip
def rank_next(queue: str) -> None:
    """Rank the cohort of the report whose turn it is, then delete the older reports of its assignment.

    A report waits while another one of its assignment is ranked, without a worker.
    """
    report = _claim_report(queue)
    if report is None:
        return
    with work_lock(Work.REPORT, report.pk) as mine, work_lock(Work.RANKING, report.assignment_id) as free:
        if not (mine and free):  # A cancelled ranking has not ended yet.
            lifecycle.postpone_report(report.pk)
            raise lifecycle.AssignmentBusy
        with _handling_errors(report.pk):
            if compares(report.assignment):
                merge_small()
            _rank(report)
    jobs.enqueue("merge_postings", queue=HEAVY)
    _start_waiting_reports()


def _claim_report(queue: str) -> Report | None:
    with turns.choosing():
        startable = turns.startable_reports(queue)
        report_id = next((pk for pk in startable if lifecycle.start_report(pk)), None)
        # Shards of an earlier attempt are not followed any more.
        RankingPlan.objects.filter(report=report_id).delete()
        return None if report_id is None else Report.objects.get(pk=report_id)


def _start_waiting_reports() -> None:
    for name in QUEUES:  # A report that waited for the one that ended may be in the other queue.
        if turns.startable_reports(name):
            send(rank_next, name, name)


@contextmanager
def _handling_errors(report_id: int) -> Iterator[None]:
    """Queue or fail the report where ranking it, or a part of it, raises an error."""
    try:
        yield
    except Cancelled:
        return
    except lifecycle.AssignmentBusy:
        lifecycle.postpone_report(report_id)
        raise
    except CohortChanged:
        lifecycle.postpone_report(report_id)
        _start_waiting_reports()
    except TakesLong:
        if retrying.make_report_heavy(report_id, "ranking it takes long"):
            send(rank_next, HEAVY, HEAVY)
    except (ClassTooLarge, SoftTimeLimitExceeded) as error:
        reason = str(error) if isinstance(error, ClassTooLarge) else OUT_OF_TIME
        lifecycle.fail_report(report_id, reason)
    except Exception as error:
        if is_no_room(error):
            lifecycle.requeue_report(report_id, WAITS_FOR_ROOM, message=WAITS_FOR_ROOM)
        elif not is_database_away(error):  # Otherwise the sweep finds the work without its lock.
            lifecycle.fail_report(report_id, BROKEN)
        raise


def _rank(report: Report) -> None:
    """Rank the cohort of a report, or cut its pairs into shards; nothing is locked while it is loaded."""
    from submissions.ranking.prepared import prepare  # noqa: PLC0415 - imports the engine: workers only
    from submissions.ranking.shards import cut  # noqa: PLC0415

    # The last report must keep its documents until the new one is there: then this is one transaction.
    prepared = None if waits_for_ranking(report.assignment_id) else prepare(report)
    if prepared and cut(report, prepared):
        _send_shards(report.pk)
        return
    with transaction.atomic():
        _rank_locked(report.pk, report.assignment_id, prepared)


def _rank_locked(report_id: int, assignment_id: int, prepared: Prepared | None) -> None:
    from submissions.ranking.prepared import is_current  # noqa: PLC0415 - imports the engine: workers only
    from submissions.ranking.rank import rank_without_cancelled  # noqa: PLC0415

    unfinished = Report.objects.filter(pk=report_id, state__in=Report.UNFINISHED)
    locked = lifecycle.lock_assignment(assignment_id, wait=False)
    report = unfinished.select_related("assignment").first()
    if locked is None or report is None:  # another worker was faster, or the report was deleted
        return
    is_read_again = replace_documents(locked)
    is_ready = prepared is not None and not is_read_again and is_current(locked, prepared)
    _finish(report, rank_without_cancelled(report, prepared if is_ready else None))
    if is_read_again:
        for other in comparing_assignments(locked):
            enqueue_rank(other)


def _finish(report: Report, batches: list[int]) -> None:
    if not lifecycle.finish_report(report):
        raise Cancelled
    report.save(update_fields=["duplicates", "findings", "parameters"])
    report.assignment.reports.filter(pk__lt=report.pk).delete()
    lifecycle.finish_batches(batches)


def _send_shards(report_id: int) -> None:
    """Send the messages of the first shards that wait; each of them sends that of a later one."""
    waiting = RankingShard.objects.filter(plan__report=report_id, result=None).order_by("number")
    for pk in waiting.values_list("pk", flat=True)[:SHARDS_AT_ONCE]:
        send(score_shard, HEAVY, pk)


@shared_task(soft_time_limit=RANKING_SECONDS, time_limit=LAST_SECONDS)
def score_shard(shard_id: int) -> None:
    """Score or align the pairs of one shard; after the last one, go on with the ranking."""
    from submissions.ranking.shards import compute  # noqa: PLC0415 - imports the engine: workers only

    with work_lock(Work.SHARD, shard_id) as mine:
        shard = _start_shard(shard_id) if mine else None
        if shard is None:
            return
        with _handling_errors(shard.plan.report_id):
            compute(shard)
    _go_on(shard)


def _start_shard(shard_id: int) -> RankingShard | None:
    """Return a shard that waits to be computed, and count the attempt; fail the report after too many."""
    waiting = RankingShard.objects.filter(pk=shard_id, result=None, plan__report__state=Report.State.RUNNING)
    shard = waiting.select_related("plan__report__assignment").first()
    if shard is None or _is_of_another_version(shard.plan):
        return None
    if shard.attempts >= MAX_ATTEMPTS:
        lifecycle.fail_report(shard.plan.report_id, GAVE_UP)
        return None
    waiting.update(attempts=F("attempts") + 1, touched=timezone.now())
    return shard


def _is_of_another_version(plan: RankingPlan) -> bool:
    if plan.version == package_version():
        return False
    logger.warning("report %s is ranked by version %s; this worker is %s", plan.report_id, plan.version,
                   package_version())  # fmt: skip
    return True


def _go_on(shard: RankingShard) -> None:
    """Send the message of a later shard, behind the work of others; after the last one, make the report."""
    from submissions.ranking.kept_cohorts import forget  # noqa: PLC0415 - imports the engine: workers only
    from submissions.ranking.shards import is_followed  # noqa: PLC0415

    plan = shard.plan
    waiting = plan.shards.filter(result=None)
    if not is_followed(plan.pk):
        forget(plan.pk)
        return
    for later in waiting.filter(attempts=0, number=shard.number + SHARDS_AT_ONCE):
        send(score_shard, HEAVY, later.pk)
    if not waiting.exists():
        make_report(plan.report_id)
    elif shard.kind == RankingShard.Kind.PASSAGES and not waiting.filter(attempts=0).exists():
        forget(plan.pk)


@shared_task(soft_time_limit=RANKING_SECONDS, time_limit=LAST_SECONDS)
def merge_ranking(report_id: int) -> None:
    """Go on with a ranking whose shards are all computed."""
    make_report(report_id)


def make_report(report_id: int) -> None:
    """Make the report of the results of all shards; before that, have the listed pairs aligned in shards."""
    report = Report.objects.filter(pk=report_id).first()
    if report is None:
        return
    with work_lock(Work.REPORT, report_id) as mine, work_lock(Work.RANKING, report.assignment_id) as free:
        plan = _start_merge(report_id) if mine and free else None
        if plan is None:
            return
        # Where the assignment is busy, the report waits again and is started below.
        with suppress(lifecycle.AssignmentBusy), _handling_errors(report_id):
            _merge(plan)
    if Report.objects.filter(pk=report_id, state=Report.State.RUNNING).exists():
        _send_shards(report_id)
    else:
        _start_waiting_reports()


def _start_merge(report_id: int) -> RankingPlan | None:
    """Return the plan of a running report whose shards are all computed, and count the attempt."""
    plans = RankingPlan.objects.filter(report=report_id, report__state=Report.State.RUNNING)
    plan = plans.select_related("report__assignment").first()
    if plan is None or plan.shards.filter(result=None).exists() or _is_of_another_version(plan):
        return None
    if plan.merges >= MAX_ATTEMPTS:
        lifecycle.fail_report(report_id, GAVE_UP)
        return None
    plans.update(merges=F("merges") + 1, touched=timezone.now())
    return plan


def _merge(plan: RankingPlan) -> None:
    """Cut the listed pairs into shards, or else save the report; nothing is locked while computing."""
    from submissions.ranking.merging import merge_scores, with_effect  # noqa: PLC0415 - the engine: workers only
    from submissions.ranking.shards import cut_listed  # noqa: PLC0415

    results = merge_scores(plan)
    if not plan.shards.filter(kind=RankingShard.Kind.PASSAGES).exists() and cut_listed(plan, results.best):
        return
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
