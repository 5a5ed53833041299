"""All state changes of batches, boilerplate and reports: conditional updates, logged with ids and reason.

A batch goes queued -> unpacking (-> listed -> queued, with a preview) -> fingerprinting -> ranking -> done,
uploaded boilerplate queued -> reading -> done, a report queued -> running -> done. All can fail; batches and
reports can be cancelled. docs/do/stuck-batch.md explains how to read the log.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import OperationalError, transaction
from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import Coalesce, Least
from django.dispatch import receiver
from django.utils import timezone
from psycopg.errors import LockNotAvailable

from submissions.core.database import WAITS_FOR_ROOM
from submissions.models import Assignment, Batch, BoilerplateUpload, Job, Report, SubmissionFile
from submissions.work import jobs
from submissions.work.jobs import BUSY, Later, change_rows
from submissions.work.kinds import HEAVY, INTERACTIVE
from submissions.work.locks import Work, transaction_lock

if TYPE_CHECKING:
    from submissions.core.models import Refusal

logger = logging.getLogger(__name__)

# A ranking up to this size takes a worker a few seconds.
SMALL_COHORT_FILES = 200
SMALL_COHORT_TOKENS = 500_000
# The ranking of an upload that was read waits at most so long for others of its assignment, to have them too.
LONGEST_WAIT = timedelta(seconds=30)
MINUTE = timedelta(minutes=1)
TO_UNPACK = (Batch.State.QUEUED, Batch.State.UNPACKING)
NOT_RANKED = "It was read, but is in no report yet: the ranking was cancelled. Rank again to have it compared."


class AssignmentBusy(Later):
    """Another process has locked the assignment."""

    def __init__(self) -> None:
        super().__init__(BUSY, "the assignment is being changed")


def lock_assignment(assignment_id: int, *, wait: bool = True) -> Assignment | None:
    """Lock an assignment until the transaction ends; ranking and deleting it exclude each other this way.

    Raises AssignmentBusy when it is locked and `wait` is False. The transaction must be rolled back.
    """
    # `no_key`: other transactions can still insert rows that refer to the assignment, such as new uploads.
    locked = Assignment.objects.select_for_update(no_key=True, nowait=not wait)
    try:
        return locked.filter(pk=assignment_id).first()
    except OperationalError as error:
        if wait or not isinstance(error.__cause__, LockNotAvailable):
            raise
        raise AssignmentBusy from error


def language_lock(assignment_id: int, *, change: bool = False) -> None:
    """Lock the language of an assignment until the transaction ends: to `change` it, or to rely on it.

    So every file is stored as the language says, or is there when its change is carried out.
    """
    transaction_lock(Work.LANGUAGE, assignment_id, wait=True, shared=not change)


# Batches


def _batch(batch_id: int, *states: Batch.State) -> QuerySet[Batch]:
    return Batch.objects.filter(pk=batch_id, state__in=states)


def start_unpacking(batch_id: int) -> bool:
    """Note that a batch is being unpacked. Return whether the state allowed it."""
    return change_batches(_batch(batch_id, *TO_UNPACK), Batch.State.UNPACKING)


def requeue_batch(batch_id: int, reason: str) -> bool:
    """Note that a batch waits again to be unpacked. Return whether the state allowed it."""
    return change_batches(_batch(batch_id, *TO_UNPACK), Batch.State.QUEUED, _room_message(reason), reason)


def _room_message(reason: str) -> str:
    return reason if reason == WAITS_FOR_ROOM else ""


def note_room(batch_id: int, *, is_waited_for: bool) -> None:
    """Note whether the reading of a batch waits for room on the disk."""
    message, state = WAITS_FOR_ROOM if is_waited_for else "", Batch.State.FINGERPRINTING
    change_batches(_batch(batch_id, state).exclude(message=message), state, message)


def list_batch(batch_id: int) -> bool:
    """Let an unpacked batch wait for its uploader. Return whether the state allowed it."""
    return change_batches(_batch(batch_id, Batch.State.UNPACKING), Batch.State.LISTED)


def continue_batch(batch_id: int, **fields: Any) -> bool:
    """Queue a batch that waited for its uploader. Return whether the state allowed it."""
    listed = _batch(batch_id, Batch.State.LISTED)
    return change_batches(listed, Batch.State.QUEUED, "", "its uploader has checked it", **fields)


def start_fingerprinting(batch_id: int) -> bool:
    return change_batches(_batch(batch_id, Batch.State.UNPACKING), Batch.State.FINGERPRINTING)


def start_ranking(batch_id: int) -> bool:
    return change_batches(_batch(batch_id, Batch.State.FINGERPRINTING), Batch.State.RANKING)


def finish_batches(batch_ids: Iterable[int]) -> None:
    """Set ranked batches to done."""
    ranked = Batch.objects.filter(pk__in=list(batch_ids), state__in=Batch.FULLY_READ)
    change_batches(ranked, Batch.State.DONE)


def fail_batch(batch_id: int, message: str, reason: str = "") -> None:
    """Fail a running batch with a `message` for its uploader; the log gets `reason`, or else the message."""
    change_batches(_batch(batch_id, *Batch.RUNNING), Batch.State.FAILED, message, reason)


@transaction.atomic
def cancel_batch(batch: Batch) -> bool:
    """Cancel a batch that has not ended; its workers stop before their next file. Return whether it could."""
    for kind in ("unpack", "read_documents"):
        jobs.cancel(kind, [batch.pk])
    return change_batches(_batch(batch.pk, *Batch.CANCELLABLE), Batch.State.CANCELLED, "Cancelled.")


# Boilerplate


def start_boilerplate(upload_id: int) -> bool:
    """Note that uploaded boilerplate is being read; False if it has ended."""
    return _change_boilerplate(_running_boilerplate(upload_id), BoilerplateUpload.State.READING)


def requeue_boilerplate(upload_id: int, reason: str) -> bool:
    """Note that uploaded boilerplate waits again. Return whether the state allowed it."""
    waiting = _running_boilerplate(upload_id)
    return _change_boilerplate(waiting, BoilerplateUpload.State.QUEUED, reason, message=_room_message(reason))


def finish_boilerplate(upload_id: int, refusals: list[Refusal], refused: int) -> bool:
    """Set boilerplate that was read to done. Return False when it was deleted or has ended meanwhile."""
    running = _running_boilerplate(upload_id)
    done = BoilerplateUpload.State.DONE
    return _change_boilerplate(running, done, message="", refusals=refusals, refused=refused)


def fail_boilerplate(upload_id: int, message: str) -> None:
    running = _running_boilerplate(upload_id)
    _change_boilerplate(running, BoilerplateUpload.State.FAILED, message, message=message)


def _running_boilerplate(upload_id: int) -> QuerySet[BoilerplateUpload]:
    return BoilerplateUpload.objects.filter(pk=upload_id, state__in=BoilerplateUpload.RUNNING)


# Reports


@transaction.atomic
def enqueue_rank(assignment: Assignment, *, waits: bool = False) -> Report:
    """Enqueue the ranking of an assignment's cohort when this transaction commits; return its report.

    If it `waits`, it is due when every upload is read, or LONGEST_WAIT after the first one that waits; and
    not before a minute after RANKINGS_A_MINUTE others ended, or began where they still run.
    """
    due = _due(assignment.pk) if waits else None
    report, queued = queue_report(assignment), _queued_ranking(assignment.pk)
    if due and queued.select_for_update().exists():
        queued.update(due=Least("due", due))
        return report
    queue = cohort_queue(*cohort_size(assignment))
    jobs.enqueue("rank", assignment.pk, user=assignment.course.owner_id, queue=queue)
    if due:  # Maintenance announces it then.
        queued.update(due=due)
    return report


def _due(assignment_id: int) -> datetime | None:
    """Return until when the ranking of an upload that was read waits for others; None for not at all."""
    now = timezone.now()
    times = [now + LONGEST_WAIT] if _has_unread(assignment_id) else []
    ranked = Batch.objects.filter(assignment=assignment_id, state=Batch.State.DONE, since__gt=now - MINUTE)
    running = Report.objects.filter(assignment=assignment_id, state=Report.State.RUNNING)
    # The uploads of one ranking are done at one time.
    ends = {
        *ranked.exclude(role=Batch.Role.OTHER).values_list("since", flat=True),
        *running.values_list("since", flat=True),
    }
    if len(ends) >= settings.RANKINGS_A_MINUTE:
        times.append(sorted(ends)[-settings.RANKINGS_A_MINUTE] + MINUTE)
    return max((time for time in times if time > now), default=None)


def _queued_ranking(assignment_id: int) -> QuerySet[Job]:
    return Job.objects.filter(kind="rank", subject=assignment_id, state=Job.State.QUEUED)


def _has_unread(assignment_id: int) -> bool:
    # Of two uploads that end at the same time, the later one sees that the other one has.
    transaction_lock(Work.TOGETHER, assignment_id, wait=True)
    return Batch.objects.filter(assignment=assignment_id, state__in=Batch.UNREAD).exists()


@receiver(jobs.state_changed, sender=Batch, dispatch_uid="rankings")
def _rank_without(assignment_id: int, state: str, **_: Any) -> None:
    if state in {Batch.State.FAILED, Batch.State.CANCELLED, Batch.State.LISTED}:
        transaction.on_commit(partial(_hasten, assignment_id))


@transaction.atomic
def _hasten(assignment_id: int) -> None:
    """Have a ranking start that waited for an upload which will not be read, if it was the last one."""
    queued = _queued_ranking(assignment_id)
    if _has_unread(assignment_id) or not queued.exists():
        return
    if due := _due(assignment_id):
        queued.update(due=Least("due", due))
    else:
        jobs.enqueue("rank", assignment_id)


def waited_for(assignment_id: int) -> int | None:
    """Return for how many uploads the ranking of an assignment waits, 0 for those to come; or None."""
    now = timezone.now()
    due = _queued_ranking(assignment_id).filter(due__gt=now, reason="").values_list("due", flat=True).first()
    if due is None or due > now + LONGEST_WAIT:
        return None if due is None else 0
    return Batch.objects.filter(assignment=assignment_id, state__in=Batch.UNREAD).count()


def cohort_queue(files: int, tokens: int) -> str:
    """Return the queue of the ranking of a cohort."""
    return INTERACTIVE if files <= SMALL_COHORT_FILES and tokens <= SMALL_COHORT_TOKENS else HEAVY


def cohort_size(assignment: Assignment) -> tuple[int, int]:
    """Return the number of files and of tokens of the batches that an assignment's ranking will load."""
    files = SubmissionFile.objects.filter(
        submission__batch__assignment=assignment, submission__batch__state__in=Batch.FULLY_READ
    )
    sizes = files.aggregate(files=Count("pk"), tokens=Coalesce(Sum("document__token_count"), 0))
    return sizes["files"], sizes["tokens"]


def queue_report(assignment: Assignment) -> Report:
    """Return the assignment's queued report, or a new one.

    It is locked until the transaction ends: no worker starts it before the changes that it is to rank.
    """
    waiting = assignment.reports.select_for_update().filter(state=Report.State.QUEUED).first()
    if waiting:
        # It will rank the newest changes, so it counts as created now.
        assignment.reports.filter(pk=waiting.pk).update(created=timezone.now())
        return waiting
    report = Report.objects.create(assignment=assignment)
    logger.info("report %s of assignment %s: queued", report.pk, assignment.pk)
    return report


def running_report(assignment_id: int) -> Report | None:
    running = Report.objects.filter(assignment=assignment_id, state=Report.State.RUNNING)
    return running.select_related("assignment__course").first()


def start_report(assignment_id: int) -> None:
    """Note that the newest unfinished report of an assignment is being ranked; delete older ones."""
    unfinished = Report.objects.filter(assignment=assignment_id, state__in=Report.UNFINISHED)
    if newest := unfinished.first():
        unfinished.filter(pk__lt=newest.pk).delete()
        change_reports(unfinished.filter(pk=newest.pk), Report.State.RUNNING)


def requeue_report(assignment_id: int, reason: str) -> bool:
    """Note that the running report of an assignment waits again. Return whether there was one."""
    running = Report.objects.filter(assignment=assignment_id, state=Report.State.RUNNING)
    return change_reports(running, Report.State.QUEUED, reason, message=_room_message(reason))


def finish_report(report: Report) -> bool:
    """Set a ranked report to done. Return False when it was cancelled meanwhile."""
    running = Report.objects.filter(pk=report.pk, state__in=Report.UNFINISHED)
    return change_reports(running, Report.State.DONE, finished=timezone.now(), message="")


def fail_report(report_id: int, message: str) -> None:
    """Fail an unfinished report; fail the batches that wait for it when no other report is unfinished."""
    for report in Report.objects.filter(pk=report_id, state__in=Report.UNFINISHED):
        unfinished = Report.objects.filter(assignment=report.assignment_id, state__in=Report.UNFINISHED)
        change_reports(unfinished.filter(pk=report.pk), Report.State.FAILED, message, message=message)
        if not unfinished.exists():
            waiting = Batch.objects.filter(assignment=report.assignment_id, state=Batch.State.RANKING)
            change_batches(waiting, Batch.State.FAILED, message)


@transaction.atomic
def cancel_reports(assignment: Assignment) -> bool:
    """Cancel the unfinished reports of an assignment; their workers stop at the next stage.

    Return whether there were any.
    """
    jobs.cancel("rank", [assignment.pk])
    unfinished = assignment.reports.filter(state__in=Report.UNFINISHED)
    return change_reports(unfinished, Report.State.CANCELLED, finished=timezone.now())


@transaction.atomic
def cancel_ranking(assignment: Assignment) -> bool:
    """Cancel the ranking of an assignment; the newest finished report stays.

    Batches that waited for the ranking are set to done with a message; the next ranking includes them. Return
    False when no ranking was queued or running.
    """
    if not cancel_reports(assignment):
        return False
    waiting = assignment.batches.filter(state=Batch.State.RANKING)
    change_batches(waiting, Batch.State.DONE, NOT_RANKED, "the ranking was cancelled")
    return True


def change_batches(
    rows: QuerySet[Batch], state: Batch.State, message: str = "", reason: str = "", **fields: Any
) -> bool:
    return change_rows("batch", rows, reason or message, state=state, message=message, **fields)


def change_reports(rows: QuerySet[Report], state: Report.State, reason: str = "", **fields: Any) -> bool:
    return change_rows("report", rows, reason, state=state, **fields)


def _change_boilerplate(
    rows: QuerySet[BoilerplateUpload], state: BoilerplateUpload.State, reason: str = "", **fields: Any
) -> bool:
    return change_rows("uploaded boilerplate", rows, reason, state=state, **fields)
