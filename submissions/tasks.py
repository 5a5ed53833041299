"""Celery tasks. They return nothing; running one twice is safe.

A batch goes through unpack_next -> fingerprint (in chunks) -> rank_next (`submissions.ranking_tasks`). The
first and the last choose what to work on (`submissions.turns`); each one checks the state, so that a task
delivered twice, late or after a cancellation does nothing.
"""

from __future__ import annotations

import logging
import time
from functools import partial
from math import ceil

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded
from django.db import IntegrityError, transaction

from submissions import lifecycle, retrying, turns
from submissions.archives.limits import BadArchive
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
from submissions.ingest.uploads import discard_uploads
from submissions.models import Assignment, Batch, BoilerplateUpload, Upload
from submissions.ranking_tasks import BUSY_SECONDS, enqueue_rank, rank_next
from submissions.sandbox.process import NotStarted
from submissions.work.locks import Work, work_lock
from submissions.work.queues import HEAVY, QUEUES, SMALL_BATCH_FILES, TakesLong, send
from submissions.work.running import BROKEN, OUT_OF_TIME

__all__ = [
    "CHUNK",
    "LANES",
    "SLICE_SECONDS",
    "enqueue_documents",
    "enqueue_rank",
    "fingerprint",
    "fingerprint_boilerplate",
    "rank_next",
    "read_boilerplate",
    "unpack_next",
]

logger = logging.getLogger(__name__)

# A task reads this many documents, or for this time, and enqueues the rest, so that uploads take turns.
CHUNK = 64
SLICE_SECONDS = 10
# Number of tasks that read one batch at the same time.
LANES = 4


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
        lifecycle.fail_batch(batch_id, OUT_OF_TIME, "out of time while unpacking")
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
        lifecycle.fail_batch(batch_id, BROKEN, f"{type(error).__name__} while unpacking")


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
        lifecycle.fail_boilerplate(upload.pk, OUT_OF_TIME, "out of time while reading")
    except IntegrityError:
        raise
    except Exception as error:
        if is_no_room(error):
            lifecycle.requeue_boilerplate(upload.pk, WAITS_FOR_ROOM, message=WAITS_FOR_ROOM)
        elif not _was_interrupted(error):
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
