"""Celery tasks. They take primary keys and return nothing; running one twice is safe.

A batch goes through ingest -> fingerprint (in chunks) -> rank. Each task checks the state first, so that a
task delivered twice, late or after a cancellation does nothing.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded
from django.db import IntegrityError, transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from submissions import lifecycle, recovery
from submissions.archives.limits import BadArchive
from submissions.disk_space import WAITS_FOR_ROOM, is_database_away, is_no_room
from submissions.ingest.batches import (
    BatchEnded,
    count_pending,
    increment_documents_done,
    ingest_batch,
    pending_documents,
)
from submissions.ingest.boilerplate import read_boilerplate as read_uploaded_boilerplate
from submissions.ingest.documents import delete_unreferenced, fingerprint_pending
from submissions.ingest.uploads import delete_orphans, discard_uploads
from submissions.models import Assignment, Batch, BoilerplateUpload, Report, Upload
from submissions.ranking.progress import Cancelled
from submissions.work_locks import Work, work_lock

if TYPE_CHECKING:
    from collections.abc import Callable

    from celery import Task

logger = logging.getLogger(__name__)

# Number of documents per fingerprint task.
CHUNK = 16
# Seconds after which work on an assignment is tried again that another process works on.
BUSY_SECONDS = 3
# Longer than any upload takes: a source that nothing refers to after this time is not needed.
SOURCE_GRACE_PERIOD = timedelta(hours=2)
BROKEN = (
    "An error on the server; its log has the details. Try again, or report it to whoever runs this server."
)


def send(task: Task[Any, Any], key: int) -> None:
    """Enqueue a task; while the broker does not answer, leave that to the sweep, which finds what waits."""
    try:
        task.delay(key)
    except OperationalError as error:
        logger.warning("%s %s is enqueued later: the broker does not answer: %s", task.name, key, error)


# IntegrityError: a source was deleted with another batch just before this one referred to it; the retry
# stores it again.
@shared_task(autoretry_for=(IntegrityError,), retry_backoff=True, max_retries=3)
def ingest(batch_id: int) -> None:
    """Unpack a batch and enqueue its documents."""
    with work_lock(Work.BATCH, batch_id) as mine:
        if mine and lifecycle.start_unpacking(batch_id):
            _ingest(batch_id)
    if mine:  # Also when an earlier run lost its worker between unpacking and this point.
        _enqueue_documents(batch_id)


def _ingest(batch_id: int) -> None:
    try:
        ingest_batch(Batch.objects.select_related("assignment").get(pk=batch_id))
    except BatchEnded:
        return
    except BadArchive as error:
        lifecycle.fail_batch(batch_id, str(error), "nothing of the upload can be read")
    except SoftTimeLimitExceeded:
        lifecycle.fail_batch(batch_id, recovery.OUT_OF_TIME, "out of time while unpacking")
    except IntegrityError:
        raise
    except Exception as error:
        if is_no_room(error):
            lifecycle.wait_for_room(batch_id)
        elif not is_database_away(error):  # Otherwise the sweep finds the work without its lock.
            lifecycle.fail_batch(batch_id, BROKEN, f"{type(error).__name__} while unpacking")
        raise


def _enqueue_documents(batch_id: int) -> None:
    if not Batch.objects.filter(pk=batch_id, state=Batch.State.FINGERPRINTING).exists():
        return
    discard_uploads(Upload.objects.filter(batch=batch_id))
    keys = pending_documents(batch_id)
    for start in range(0, len(keys), CHUNK):
        fingerprint.delay(batch_id, keys[start : start + CHUNK])
    _rank_when_read(batch_id)


def _rank_when_read(batch_id: int) -> None:
    """Update the number of documents read; when none is left, enqueue the ranking, once."""
    if count_pending(batch_id):
        return
    with transaction.atomic():
        if lifecycle.start_ranking(batch_id):
            enqueue_rank(Assignment.objects.get(batches=batch_id))


def enqueue_rank(assignment: Assignment) -> Report:
    """Enqueue the ranking of an assignment's cohort when this transaction commits."""
    report, created = lifecycle.queue_report(assignment)
    if created:
        transaction.on_commit(partial(send, rank, report.pk))
    return report


@shared_task
def fingerprint(batch_id: int, document_ids: list[int]) -> None:
    """Read and fingerprint a chunk of a batch's documents."""
    batch = Batch.objects.filter(pk=batch_id, state=Batch.State.FINGERPRINTING)
    for pk in document_ids:
        if not batch.exists():
            return
        try:
            fingerprint_pending([pk])
        except Exception as error:
            if is_no_room(error):
                lifecycle.wait_for_room(batch_id)
            raise
        increment_documents_done(batch_id)
    _rank_when_read(batch_id)


@shared_task(autoretry_for=(IntegrityError,), retry_backoff=True, max_retries=3)
def read_boilerplate(upload_id: int) -> None:
    """Register uploaded files as boilerplate and enqueue their documents."""
    with work_lock(Work.BOILERPLATE, upload_id) as mine:
        if mine and lifecycle.start_boilerplate(upload_id):
            _read_boilerplate(BoilerplateUpload.objects.select_related("assignment").get(pk=upload_id))


def _read_boilerplate(upload: BoilerplateUpload) -> None:
    documents: list[int] = []
    try:
        documents = read_uploaded_boilerplate(upload)
    except SoftTimeLimitExceeded:
        lifecycle.fail_boilerplate(upload.pk, recovery.OUT_OF_TIME, "out of time while reading")
    except IntegrityError:
        raise
    except Exception as error:
        if is_no_room(error):
            lifecycle.requeue_boilerplate(upload.pk, WAITS_FOR_ROOM, message=WAITS_FOR_ROOM)
        elif not is_database_away(error):  # Otherwise the sweep finds the work without its lock.
            lifecycle.fail_boilerplate(upload.pk, BROKEN, f"{type(error).__name__} while reading")
        raise
    discard_uploads(upload.uploads.all())
    if documents:
        transaction.on_commit(partial(fingerprint_boilerplate.delay, upload.assignment_id, documents))


@shared_task(autoretry_for=(lifecycle.AssignmentBusy,), max_retries=None, default_retry_delay=BUSY_SECONDS)
def fingerprint_boilerplate(assignment_id: int, document_ids: list[int]) -> None:
    """Fingerprint boilerplate, then enqueue a ranking of the assignment without it."""
    fingerprint_pending(document_ids)
    with transaction.atomic():
        assignment = lifecycle.lock_assignment(assignment_id, wait=False)
        if assignment and assignment.batches.filter(state__in=Batch.FULLY_READ).exists():
            enqueue_rank(assignment)


@shared_task(autoretry_for=(lifecycle.AssignmentBusy,), max_retries=None, default_retry_delay=BUSY_SECONDS)
def rank(report_id: int) -> None:
    """Rank a report's cohort, then delete the older reports of the assignment.

    Another report of the same assignment may be ranked meanwhile: then this one is retried later, so that no
    worker waits.
    """
    unfinished = Report.objects.filter(pk=report_id, state__in=Report.UNFINISHED)
    assignment_id = unfinished.values_list("assignment_id", flat=True).first()
    if assignment_id is None:
        return
    with work_lock(Work.REPORT, report_id) as mine:
        if not mine:
            return
        with work_lock(Work.RANKING, assignment_id) as free:
            if not free:
                raise lifecycle.AssignmentBusy
            if lifecycle.start_report(report_id):
                _rank(report_id, assignment_id)


def _rank(report_id: int, assignment_id: int) -> None:
    try:
        with transaction.atomic():
            _rank_locked(report_id, assignment_id)
    except Cancelled:
        return
    except lifecycle.AssignmentBusy:
        lifecycle.postpone_report(report_id)
        raise
    except SoftTimeLimitExceeded:
        lifecycle.fail_report(report_id, recovery.OUT_OF_TIME)
    except Exception as error:
        if is_no_room(error):
            lifecycle.requeue_report(report_id, WAITS_FOR_ROOM, message=WAITS_FOR_ROOM)
        elif not is_database_away(error):  # Otherwise the sweep finds the work without its lock.
            lifecycle.fail_report(report_id, BROKEN)
        raise


def _rank_locked(report_id: int, assignment_id: int) -> None:
    from submissions.ranking.rank import rank as rank_report  # noqa: PLC0415 - imports numba: workers only

    unfinished = Report.objects.filter(pk=report_id, state__in=Report.UNFINISHED)
    locked = lifecycle.lock_assignment(assignment_id, wait=False)
    report = unfinished.select_related("assignment").first()
    if locked is None or report is None:  # another worker was faster, or the report was deleted
        return
    ranked = _rank_without_cancelled(report, rank_report)
    if not lifecycle.finish_report(report):
        raise Cancelled
    report.save(update_fields=["duplicates", "findings", "parameters"])
    report.assignment.reports.filter(pk__lt=report.pk).delete()
    lifecycle.finish_batches(ranked)


def _rank_without_cancelled(report: Report, rank_report: Callable[[Report], None]) -> list[int]:
    """Rank a report again until no batch was cancelled during the ranking.

    Return the primary keys of the batches that are done with it, including superseded ones.
    """
    while True:
        read = Batch.objects.filter(assignment=report.assignment_id, state__in=Batch.FULLY_READ)
        ranked = list(read.exclude(state=Batch.State.DONE, message="").values_list("pk", flat=True))
        rank_report(report)
        if not Batch.objects.filter(submissions__reports=report, state=Batch.State.CANCELLED).exists():
            return ranked


def sweep() -> None:
    """Re-enqueue work lost to a crashed worker or broker, end stuck work, delete what nothing refers to."""
    recovery.end_stuck_work()
    for pk in recovery.lost_reports():
        if lifecycle.requeue_report(pk, "its worker or its message was lost"):
            rank.delay(pk)
    for pk in recovery.lost_uploads():
        if lifecycle.requeue_batch(pk, "its worker or its message was lost"):
            ingest.delay(pk)
    for pk in recovery.lost_readings():
        logger.warning("batch %s: its unread documents are enqueued again", pk)
        _enqueue_documents(pk)
    for pk in recovery.lost_boilerplate_uploads():
        if lifecycle.requeue_boilerplate(pk, "its worker or its message was lost"):
            read_boilerplate.delay(pk)
    for assignment_id, document_id in recovery.lost_boilerplate():
        logger.warning("re-enqueued boilerplate document %s of assignment %s", document_id, assignment_id)
        fingerprint_boilerplate.delay(assignment_id, [document_id])
    for batch in recovery.unranked_batches():
        logger.warning("batch %s waits for no report: one is enqueued", batch.pk)
        with transaction.atomic():
            enqueue_rank(batch.assignment)
    of_running_batches = Upload.objects.filter(batch__state__in=Batch.RUNNING)
    awaited = of_running_batches | Upload.objects.filter(
        boilerplate_upload__state__in=BoilerplateUpload.RUNNING
    )
    discard_uploads(Upload.objects.exclude(pk__in=awaited.values("pk")))
    delete_orphans(timezone.now() - SOURCE_GRACE_PERIOD)
    delete_unreferenced(timezone.now() - SOURCE_GRACE_PERIOD)
