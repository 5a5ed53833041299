"""Find work that nobody does: lost with a worker or the broker, or held by a process that does not go on.

A worker locks what it works on (`submissions.work.locks`), so started work without a lock is lost. Work that
waits is lost when its queue is empty. Work that holds its lock longer than a task may take is stuck.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, Subquery
from django.utils import timezone

from submissions import language_changes, lifecycle, turns
from submissions.ingest.batches import pending_documents
from submissions.ingest.rereading import pending_rereading
from submissions.models import (
    Batch,
    Boilerplate,
    BoilerplateUpload,
    Document,
    LanguageChange,
    RankingPlan,
    RankingShard,
    Report,
)
from submissions.work.finding import SENDING, STARTING
from submissions.work.heartbeats import answering
from submissions.work.locks import Work, end_session, sessions
from submissions.work.messages import empty_queues
from submissions.work.queues import HEAVY, INTERACTIVE, QUEUES
from submissions.work.running import OUT_OF_TIME

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.db.models import QuerySet

    Unfinished = QuerySet[Batch] | QuerySet[BoilerplateUpload] | QuerySet[LanguageChange] | QuerySet[Report]

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
    for batch in Batch.objects.filter(state=Batch.State.UNPACKING, touched__lt=long_ago):
        lifecycle.fail_batch(batch.pk, OUT_OF_TIME, "unpacking does not go on")
        end_session(Work.BATCH, batch.pk)
    reading = BoilerplateUpload.objects.filter(state=BoilerplateUpload.State.READING)
    for upload in reading.filter(touched__lt=long_ago):
        lifecycle.fail_boilerplate(upload.pk, OUT_OF_TIME, "reading does not go on")
        end_session(Work.BOILERPLATE, upload.pk)
    for batch in Batch.objects.filter(state=Batch.State.FINGERPRINTING, touched__lt=long_ago):
        # Reading a document is started a limited number of times, so this ends.
        for document in pending_documents(batch.pk):
            if end_session(Work.DOCUMENT, document, STUCK):
                logger.warning("document %s of batch %s: its reader was ended", document, batch.pk)


def end_stuck_language_changes() -> None:
    """Fail a change that is decided for longer than a task may take, and end readers that do not go on."""
    long_ago = timezone.now() - STUCK
    for change in LanguageChange.objects.filter(state__in=LanguageChange.RUNNING, touched__lt=long_ago):
        if change.state == LanguageChange.State.QUEUED:
            if end_session(Work.LANGUAGE_CHANGE, change.pk):
                language_changes.fail(change.pk, OUT_OF_TIME, "deciding does not go on")
            continue
        for document in pending_rereading(change.assignment_id):
            if end_session(Work.DOCUMENT, document, STUCK):
                logger.warning("document %s of language change %s: its reader was ended", document, change.pk)


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


def lost_uploads() -> list[tuple[int, str]]:
    """Return the batches, with their queues, that no process unpacks and that no message will start."""
    # A batch waits without a message while its user has enough started ones.
    startable = [pk for queue in QUEUES for pk in turns.startable_batches(queue)]
    queued = Batch.objects.filter(state=Batch.State.QUEUED, pk__in=startable)
    return _lost(Batch.objects.filter(state=Batch.State.UNPACKING), Work.BATCH) + _unsent(queued)


def lost_readings() -> list[int]:
    """Return the batches with documents that no process reads and that no message will start."""
    quiet = Batch.objects.filter(state=Batch.State.FINGERPRINTING)
    return [pk for pk, _ in _unsent(quiet) if not _is_read(pending_documents(pk))]


def lost_language_changes() -> list[tuple[int, str]]:
    """Return the changes of a language, with their queues, that no process carries out or will start."""
    states = LanguageChange.State
    locked = sessions(Work.LANGUAGE_CHANGE)
    queued = _unsent(LanguageChange.objects.filter(state=states.QUEUED))
    reading = LanguageChange.objects.filter(state=states.READING).values_list("pk", "assignment_id")
    assignments = dict(reading)
    unread = _unsent(LanguageChange.objects.filter(state=states.READING))
    return [change for change in queued if change[0] not in locked] + [
        change for change in unread if not _is_read(pending_rereading(assignments[change[0]]))
    ]


def lost_boilerplate_uploads() -> list[tuple[int, str]]:
    """Return the uploads of boilerplate, with their queues, that no process reads and no message starts."""
    states = BoilerplateUpload.State
    return _lost(BoilerplateUpload.objects.filter(state=states.READING), Work.BOILERPLATE) + _unsent(
        BoilerplateUpload.objects.filter(state=states.QUEUED)
    )


def lost_boilerplate() -> list[tuple[int, int]]:
    """Return (assignment, document) of registered boilerplate that waits to be read, or to be ranked without.

    No process reads it, and no message will start that.
    """
    newest = Report.objects.filter(assignment=OuterRef("assignment")).order_by("-pk").values("created")[:1]
    cohort = Batch.objects.filter(assignment=OuterRef("assignment"), state__in=Batch.FULLY_READ)
    registered = Boilerplate.objects.annotate(ranked=Subquery(newest), cohort=Exists(cohort))
    unranked = Q(cohort=True) & (Q(ranked=None) | Q(ranked__lt=F("created")))
    waiting = registered.filter(
        unranked | Q(document__state=Document.State.PENDING), created__lt=timezone.now() - SENDING
    )
    keys = list(waiting.values_list("assignment_id", "document_id"))
    return [key for key in keys if not _is_read(key[1:])] if keys and INTERACTIVE in empty_queues() else []


def unranked_batches() -> list[Batch]:
    """Return the batches that wait for a report of their assignment although none is unfinished."""
    waiting = Batch.objects.filter(state=Batch.State.RANKING, touched__lt=timezone.now() - STARTING)
    return list(waiting.exclude(assignment__reports__state__in=Report.UNFINISHED))


def _is_read(documents: Iterable[int]) -> bool:
    return not sessions(Work.DOCUMENT).keys().isdisjoint(documents)


def _lost(started: Unfinished, work: Work) -> list[tuple[int, str]]:
    keys = started.filter(touched__lt=timezone.now() - STARTING).values_list("pk", "queue")
    locked = sessions(work)
    return [(pk, queue) for pk, queue in keys if pk not in locked]


def _unsent(waiting: Unfinished) -> list[tuple[int, str]]:
    keys = list(waiting.filter(touched__lt=timezone.now() - SENDING).values_list("pk", "queue"))
    empty = empty_queues() if keys else set()
    return [(pk, queue) for pk, queue in keys if queue in empty]
