"""Find work that nobody does: lost with a worker or the broker, or held by a process that does not go on.

A worker locks what it works on (`submissions.work.locks`), so started work without a lock is lost. Work that
waits is lost when its queue is empty. Work that holds its lock longer than a task may take is stuck.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.utils import timezone

from submissions import lifecycle
from submissions.models import (
    Batch,
    RankingPlan,
    RankingShard,
    Report,
)
from submissions.work.finding import SENDING, STARTING
from submissions.work.heartbeats import answering
from submissions.work.locks import Work, end_session, sessions
from submissions.work.messages import empty_queues
from submissions.work.queues import HEAVY
from submissions.work.running import OUT_OF_TIME

if TYPE_CHECKING:
    from django.db.models import QuerySet


logger = logging.getLogger(__name__)

# The time limit of a task, and some time for the worker to end it itself.
STUCK = timedelta(seconds=settings.CELERY_TASK_TIME_LIMIT + 20)


def end_stuck_work() -> None:
    """Fail what is worked on for longer than a task may take, and end the database sessions that hold it.

    A ranking may take as long as its class needs: it is stuck if it sends no query for that time.
    """
    long_ago = timezone.now() - STUCK
    for report in Report.objects.filter(state=Report.State.RUNNING, touched__lt=long_ago):
        if end_session(Work.REPORT, report.pk, STUCK):
            lifecycle.fail_report(report.pk, OUT_OF_TIME)
    for shard in RankingShard.objects.filter(result=None, attempts__gt=0, touched__lt=long_ago):
        # Computing a shard is started a limited number of times, so this ends.
        if end_session(Work.SHARD, shard.pk, STUCK):
            logger.warning("shard %s of plan %s: its worker was ended", shard.number, shard.plan_id)


def lost_reports() -> list[tuple[int, str]]:
    """Return the unfinished reports, with their queues, that no process ranks and no message will start."""
    # A report waits without a message in the queue while another one of its assignment is ranked.
    ranked = sessions(Work.RANKING)
    queued = Report.objects.filter(state=Report.State.QUEUED).exclude(assignment__in=ranked)
    whole = Report.objects.filter(state=Report.State.RUNNING, plan=None)
    return _lost(whole, Work.REPORT) + _unsent(queued)


def lost_shards() -> list[int]:
    """Return the shards of running rankings that no process computes and no message will start."""
    waiting = RankingShard.objects.filter(result=None, plan__report__state=Report.State.RUNNING)
    long_ago = timezone.now() - SENDING
    quiet = list(waiting.filter(touched__lt=long_ago).order_by("pk").values_list("pk", flat=True))
    locked = sessions(Work.SHARD) if quiet and HEAVY in empty_queues() else None
    return [] if locked is None else [pk for pk in quiet if pk not in locked]


def unmerged_reports() -> list[int]:
    """Return the running reports whose shards are all computed, that nothing goes on with."""
    plans = RankingPlan.objects.filter(
        report__state=Report.State.RUNNING, touched__lt=timezone.now() - SENDING
    ).exclude(shards__in=RankingShard.objects.filter(result=None))
    quiet = list(plans.values_list("report_id", flat=True))
    locked = sessions(Work.REPORT) if quiet and HEAVY in empty_queues() else None
    return [] if locked is None else [pk for pk in quiet if pk not in locked]


def outdated_reports() -> list[int]:
    """Return the reports in shards of a version of which no worker is left, while there are others."""
    versions = {worker.version for worker in answering(HEAVY)}
    if not versions:
        return []
    running = RankingPlan.objects.filter(
        report__state=Report.State.RUNNING, touched__lt=timezone.now() - SENDING
    )
    return list(running.exclude(version__in=versions).values_list("report_id", flat=True))


def unranked_batches() -> list[Batch]:
    """Return the batches that wait for a report of their assignment although none is unfinished."""
    waiting = Batch.objects.filter(state=Batch.State.RANKING, touched__lt=timezone.now() - STARTING)
    return list(waiting.exclude(assignment__reports__state__in=Report.UNFINISHED))


def _lost(started: QuerySet[Report], work: Work) -> list[tuple[int, str]]:
    keys = started.filter(touched__lt=timezone.now() - STARTING).values_list("pk", "queue")
    locked = sessions(work)
    return [(pk, queue) for pk, queue in keys if pk not in locked]


def _unsent(waiting: QuerySet[Report]) -> list[tuple[int, str]]:
    keys = list(waiting.filter(touched__lt=timezone.now() - SENDING).values_list("pk", "queue"))
    empty = empty_queues() if keys else set()
    return [(pk, queue) for pk, queue in keys if queue in empty]
