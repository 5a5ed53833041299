"""Celery tasks. They return nothing; running one twice is safe.

A batch goes through unpack_next -> fingerprint (in chunks) -> rank_next. The first and the last choose what
to work on (`submissions.turns`); each one checks the state, so that a task delivered twice, late or after a
cancellation does nothing.
"""

from __future__ import annotations

import logging
import time
from functools import partial
from math import ceil

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded
from django.db import IntegrityError, transaction

from submissions import lifecycle, recovery, retrying, turns
from submissions.archives.limits import BadArchive
from submissions.comparisons import comparing_assignments
from submissions.disk_space import WAITS_FOR_ROOM, is_database_away, is_no_room
from submissions.ingest.batches import (
    add_documents_done,
    count_pending,
    ingest_batch,
    pending_documents,
)
from submissions.ingest.boilerplate import read_boilerplate as read_uploaded_boilerplate
from submissions.ingest.coarse_streams import needs_coarse_streams
from submissions.ingest.contents import BatchEnded
from submissions.ingest.documents import fingerprint_groups, fingerprint_pending
from submissions.ingest.rereading import replace_documents
from submissions.ingest.uploads import discard_uploads
from submissions.models import Assignment, Batch, BoilerplateUpload, Report, Upload
from submissions.queues import HEAVY, QUEUES, SMALL_BATCH_FILES, TakesLong, cohort_queue, send
from submissions.ranking.progress import Cancelled
from submissions.sandbox.process import NotStarted
from submissions.turns import cohort_size
from submissions.work_locks import Work, work_lock

logger = logging.getLogger(__name__)

# A task reads this many documents, or for this time, and enqueues the rest, so that uploads take turns.
CHUNK = 64
SLICE_SECONDS = 10
# Number of tasks that read one batch at the same time.
LANES = 4
# Seconds after which work on an assignment is tried again that another process works on.
BUSY_SECONDS = 3
# A ranking takes what its class needs and can be cancelled; the limit only ends one that would never end.
RANKING_SECONDS = 12 * 60 * 60


@shared_task
def unpack_next(queue: str) -> None:
    """Unpack the batch of a queue whose turn it is, and enqueue its documents."""
    batch_id = _claim_batch(queue)
    if batch_id is None:
        return
    with work_lock(Work.BATCH, batch_id) as mine:
        if mine:
            _unpack(batch_id)
    enqueue_documents(batch_id)
    if not Batch.objects.filter(pk=batch_id, state__in=Batch.STARTED).exists():
        _start_waiting_batches()


def _claim_batch(queue: str) -> int | None:
    with turns.choosing():
        startable = turns.startable_batches(queue)
        return next((pk for pk in startable if lifecycle.start_unpacking(pk)), None)


def _start_waiting_batches() -> None:
    """Have a batch started that waited because its user had enough started ones."""
    for queue in QUEUES:
        if turns.startable_batches(queue):
            send(unpack_next, queue, queue)


def _unpack(batch_id: int) -> None:
    try:
        ingest_batch(Batch.objects.select_related("assignment").get(pk=batch_id))
    except BatchEnded:
        return
    except TakesLong:
        if retrying.make_batch_heavy(batch_id, "unpacking it takes long"):
            send(unpack_next, HEAVY, HEAVY)
    except BadArchive as error:
        lifecycle.fail_batch(batch_id, str(error), "nothing of the upload can be read")
    except SoftTimeLimitExceeded:
        lifecycle.fail_batch(batch_id, recovery.OUT_OF_TIME, "out of time while unpacking")
    except IntegrityError:
        # A source was deleted with another batch just before this one referred to it: it is stored again.
        queue = Batch.objects.values_list("queue", flat=True).get(pk=batch_id)
        if lifecycle.requeue_batch(batch_id, "one of its sources was deleted with another upload"):
            send(unpack_next, queue, queue)
    except Exception as error:
        _give_up_unpacking(batch_id, error)
        raise


def _give_up_unpacking(batch_id: int, error: Exception) -> None:
    if is_no_room(error):
        lifecycle.wait_for_room(batch_id)
    elif not _was_interrupted(error):
        lifecycle.fail_batch(batch_id, recovery.BROKEN, f"{type(error).__name__} while unpacking")


def _was_interrupted(error: Exception) -> bool:
    """Return whether the database or a child that reads files was lost: the sweep finds such work again."""
    return is_database_away(error) or isinstance(error, NotStarted)


def enqueue_documents(batch_id: int) -> None:
    """Enqueue the reading of a batch's documents, or its ranking where they are read."""
    batch = Batch.objects.filter(pk=batch_id, state=Batch.State.FINGERPRINTING).first()
    if batch is None:
        return
    discard_uploads(Upload.objects.filter(batch=batch_id))
    keys = pending_documents(batch_id)
    if len(keys) > SMALL_BATCH_FILES and retrying.make_batch_heavy(batch_id, f"{len(keys)} files"):
        batch.queue = HEAVY
    lanes = min(LANES, ceil(len(keys) / CHUNK))
    for lane in range(lanes):
        send(fingerprint, batch.queue, batch_id, keys[lane::lanes])
    _rank_when_read(batch_id)


def _rank_when_read(batch_id: int) -> None:
    """Update the number of documents read; when none is left, enqueue the ranking, once."""
    if count_pending(batch_id):
        return
    with transaction.atomic():
        started = lifecycle.start_ranking(batch_id)
        if started:
            enqueue_rank(Assignment.objects.get(batches=batch_id))
    if started:
        _start_waiting_batches()


def enqueue_rank(assignment: Assignment) -> Report:
    """Enqueue the ranking of an assignment's cohort when this transaction commits."""
    report, created = lifecycle.queue_report(assignment, cohort_queue(*cohort_size(assignment)))
    if created:
        transaction.on_commit(partial(send, rank_next, report.queue, report.queue))
    return report


@shared_task
def fingerprint(batch_id: int, document_ids: list[int]) -> None:
    """Read and fingerprint some of a batch's documents, then enqueue the rest after the work of others."""
    try:
        done = _fingerprint_slice(batch_id, document_ids)
    except Exception as error:
        if is_no_room(error):
            lifecycle.wait_for_room(batch_id)
        raise
    if not _is_fingerprinting(batch_id):  # It was cancelled or deleted.
        _start_waiting_batches()
    elif done < len(document_ids):
        _read_rest(batch_id, document_ids[done:], slow=done < CHUNK)
    else:
        _rank_when_read(batch_id)


def _fingerprint_slice(batch_id: int, document_ids: list[int]) -> int:
    """Read documents until the turn of this task ends or the batch is cancelled; return how many are done."""
    batch = Batch.objects.filter(pk=batch_id, state=Batch.State.FINGERPRINTING).first()
    if batch is None:
        return 0
    before, started = 0, time.monotonic()
    for done in fingerprint_groups(document_ids, CHUNK, coarse=needs_coarse_streams(batch.assignment_id)):
        add_documents_done(batch_id, done - before)
        before = done
        if done >= CHUNK or time.monotonic() - started > SLICE_SECONDS or not _is_fingerprinting(batch_id):
            break
    return before


def _is_fingerprinting(batch_id: int) -> bool:
    return Batch.objects.filter(pk=batch_id, state=Batch.State.FINGERPRINTING).exists()


def _read_rest(batch_id: int, document_ids: list[int], *, slow: bool) -> None:
    if slow:
        retrying.make_batch_heavy(batch_id, "reading it takes long")
    queue = Batch.objects.filter(pk=batch_id).values_list("queue", flat=True).first()
    if queue is not None:
        send(fingerprint, queue, batch_id, document_ids)


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
        elif not _was_interrupted(error):
            lifecycle.fail_boilerplate(upload.pk, recovery.BROKEN, f"{type(error).__name__} while reading")
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


@shared_task(
    autoretry_for=(lifecycle.AssignmentBusy,), max_retries=None, default_retry_delay=BUSY_SECONDS,
    soft_time_limit=RANKING_SECONDS, time_limit=RANKING_SECONDS + 60,
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
        _rank(report.pk, report.assignment_id)
    for name in QUEUES:  # A report that waited for this one may be in the other queue.
        if turns.startable_reports(name):
            send(rank_next, name, name)


def _claim_report(queue: str) -> Report | None:
    with turns.choosing():
        startable = turns.startable_reports(queue)
        report_id = next((pk for pk in startable if lifecycle.start_report(pk)), None)
        return None if report_id is None else Report.objects.get(pk=report_id)


def _rank(report_id: int, assignment_id: int) -> None:
    try:
        with transaction.atomic():
            _rank_locked(report_id, assignment_id)
    except Cancelled:
        return
    except lifecycle.AssignmentBusy:
        lifecycle.postpone_report(report_id)
        raise
    except TakesLong:
        if retrying.make_report_heavy(report_id, "ranking it takes long"):
            send(rank_next, HEAVY, HEAVY)
    except SoftTimeLimitExceeded:
        lifecycle.fail_report(report_id, recovery.OUT_OF_TIME)
    except Exception as error:
        if is_no_room(error):
            lifecycle.requeue_report(report_id, WAITS_FOR_ROOM, message=WAITS_FOR_ROOM)
        elif not is_database_away(error):  # Otherwise the sweep finds the work without its lock.
            lifecycle.fail_report(report_id, recovery.BROKEN)
        raise


def _rank_locked(report_id: int, assignment_id: int) -> None:
    from submissions.ranking.rank import rank_without_cancelled  # noqa: PLC0415 - imports numba: workers only

    unfinished = Report.objects.filter(pk=report_id, state__in=Report.UNFINISHED)
    locked = lifecycle.lock_assignment(assignment_id, wait=False)
    report = unfinished.select_related("assignment").first()
    if locked is None or report is None:  # another worker was faster, or the report was deleted
        return
    is_read_again = replace_documents(locked)
    ranked = rank_without_cancelled(report)
    if not lifecycle.finish_report(report):
        raise Cancelled
    report.save(update_fields=["duplicates", "findings", "parameters"])
    report.assignment.reports.filter(pk__lt=report.pk).delete()
    lifecycle.finish_batches(ranked)
    if is_read_again:
        for other in comparing_assignments(locked):
            enqueue_rank(other)
