"""Celery tasks that carry out a change of an assignment's language. Running one twice is safe.

A change goes through change_language -> read_again (in chunks) -> `tasks.rank_next`, which replaces the old
documents by the new ones.
"""

from __future__ import annotations

import time
from math import ceil

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded
from django.db import IntegrityError, transaction

from submissions import language_changes, lifecycle
from submissions.disk_space import is_database_away, is_no_room
from submissions.ingest.documents import fingerprint_groups
from submissions.ingest.rereading import (
    boilerplate_languages,
    choose_documents,
    count_rereading,
    detect_languages,
    pending_rereading,
    waits_for_ranking,
)
from submissions.models import Batch, LanguageChange
from submissions.ranking_tasks import BUSY_SECONDS, enqueue_rank
from submissions.sandbox.process import NotStarted
from submissions.tasks import CHUNK, LANES, SLICE_SECONDS
from submissions.work.locks import Work, work_lock
from submissions.work.queues import HEAVY, INTERACTIVE, SMALL_BATCH_FILES, send
from submissions.work.running import BROKEN, OUT_OF_TIME


@shared_task(
    autoretry_for=(lifecycle.AssignmentBusy, IntegrityError),
    max_retries=None,
    default_retry_delay=BUSY_SECONDS,
)
def change_language(change_id: int) -> None:
    """Decide which files are read again for a change, and enqueue their documents."""
    with work_lock(Work.LANGUAGE_CHANGE, change_id) as mine:
        if mine and language_changes.start(change_id):
            _choose(LanguageChange.objects.select_related("assignment").get(pk=change_id))
    _enqueue_documents(change_id)


def _choose(change: LanguageChange) -> None:
    try:
        _choose_documents(change)
    except lifecycle.AssignmentBusy:  # A ranking has locked it; that was no attempt.
        language_changes.postpone(change.pk)
        raise
    except SoftTimeLimitExceeded:
        language_changes.fail(change.pk, OUT_OF_TIME, "out of time while deciding")
    except Exception as error:
        if is_no_room(error):
            language_changes.wait_for_room(change.pk)
        elif not (is_database_away(error) or isinstance(error, NotStarted | IntegrityError)):
            language_changes.fail(change.pk, BROKEN, f"{type(error).__name__} while deciding")
        raise


def _choose_documents(change: LanguageChange) -> None:
    assignment = change.assignment
    detect_languages(assignment)
    boilerplate = boilerplate_languages(assignment, assignment.language)
    with transaction.atomic():
        if not lifecycle.lock_assignment(assignment.pk, wait=False):
            return
        choose_documents(assignment, boilerplate)
        few = len(pending_rereading(assignment.pk)) <= SMALL_BATCH_FILES
        if not language_changes.start_reading(change.pk, INTERACTIVE if few else HEAVY):
            transaction.set_rollback(True)  # It was cancelled by the next change.


def _enqueue_documents(change_id: int) -> None:
    """Enqueue the reading of a change's documents, or the ranking where they are read."""
    change = LanguageChange.objects.filter(pk=change_id, state=LanguageChange.State.READING).first()
    if change is None:
        return
    keys = pending_rereading(change.assignment_id)
    lanes = min(LANES, ceil(len(keys) / CHUNK))
    language_changes.count_read(change.pk, 0)
    for lane in range(lanes):
        send(read_again, change.queue, change.pk, keys[lane::lanes])
    _rank_when_read(change)


@shared_task
def read_again(change_id: int, document_ids: list[int]) -> None:
    """Read some of a change's documents, then enqueue the rest after the work of others."""
    try:
        done = _read_slice(change_id, document_ids)
    except Exception as error:
        if is_no_room(error):
            language_changes.wait_for_room(change_id)
        raise
    # Without a row it was cancelled or deleted.
    for change in LanguageChange.objects.filter(pk=change_id, state=LanguageChange.State.READING):
        if done < len(document_ids):
            send(read_again, change.queue, change_id, document_ids[done:])
        else:
            _rank_when_read(change)


def _read_slice(change_id: int, document_ids: list[int]) -> int:
    """Read documents until the turn of this task ends or the change does; return how many are done."""
    if not language_changes.count_read(change_id, 0):
        return 0
    before, started = 0, time.monotonic()
    for done in fingerprint_groups(document_ids, CHUNK):
        is_reading = language_changes.count_read(change_id, done - before)
        before = done
        if done >= CHUNK or time.monotonic() - started > SLICE_SECONDS or not is_reading:
            break
    return before


def _rank_when_read(change: LanguageChange) -> None:
    """Update the number of documents read; when none is left, end the change and enqueue a ranking, once."""
    if count_rereading(change):
        return
    with transaction.atomic():
        assignment = change.assignment
        if not language_changes.finish(change.pk):
            return
        ranked = assignment.batches.filter(state__in=Batch.FULLY_READ)
        if waits_for_ranking(assignment.pk) and ranked.exists():
            enqueue_rank(assignment)
