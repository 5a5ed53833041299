"""What workers do: ids in, nothing out, every step safe to run twice.

A batch goes ingest -> fingerprint (chunks) -> rank. Each step looks at the batch's state first, so that a
redelivered, late or cancelled one does nothing.
"""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from submissions.archives import BadArchive
from submissions.documents import fingerprint as fingerprint_document
from submissions.ingest import Stopped, take_in
from submissions.models import Assignment, Batch, Document, Report

if TYPE_CHECKING:
    from django.db.models import QuerySet

CHUNK = 16
# Longer than any task may run: what has been still for so long was lost.
STALLED = timedelta(minutes=12)
OUT_OF_TIME = "This took longer than a worker may spend on it. Upload it in smaller parts."
BROKEN = "Something broke on our side; the server's log says what. Try again, or tell who runs this server."


# A source may be deleted with another batch while this one finds it again: a second try stores it anew.
@shared_task(autoretry_for=(IntegrityError,), retry_backoff=True, max_retries=3)
def ingest(batch_id: int) -> None:
    """Unpack a batch and enqueue its documents."""
    waiting = Batch.objects.filter(pk=batch_id, state__in=(Batch.State.QUEUED, Batch.State.UNPACKING))
    if not waiting.update(state=Batch.State.UNPACKING, message="", touched=timezone.now()):
        return
    batch = Batch.objects.select_related("assignment").get(pk=batch_id)
    try:
        pending = take_in(batch)
    except Stopped:
        return
    except BadArchive as error:
        _end(batch_id, Batch.State.FAILED, str(error))
    except SoftTimeLimitExceeded:
        _end(batch_id, Batch.State.FAILED, OUT_OF_TIME)
    except IntegrityError:
        raise
    except Exception:
        _end(batch_id, Batch.State.FAILED, BROKEN)
        raise
    else:
        for upload in batch.uploads.all():
            upload.file.delete(save=False)
            upload.delete()
        _start_fingerprinting(batch_id, pending)


def _start_fingerprinting(batch_id: int, pending: list[int]) -> None:
    unpacked = Batch.objects.filter(pk=batch_id, state=Batch.State.UNPACKING)
    unpacked.update(
        state=Batch.State.FINGERPRINTING, documents_total=_documents(batch_id).count(), touched=timezone.now()
    )
    for at in range(0, len(pending), CHUNK):
        fingerprint.delay(batch_id, pending[at : at + CHUNK])
    _progress(batch_id)


def _documents(batch_id: int) -> QuerySet[Document]:
    return Document.objects.filter(files__submission__batch=batch_id).distinct()


def _progress(batch_id: int) -> None:
    """Count what is done, and rank once when nothing is left."""
    left = _documents(batch_id).filter(state=Document.State.PENDING).count()
    batch = Batch.objects.filter(pk=batch_id, state=Batch.State.FINGERPRINTING)
    batch.update(documents_done=F("documents_total") - left, touched=timezone.now())
    if left:
        return
    with transaction.atomic():
        if batch.update(state=Batch.State.RANKING, message=""):
            report = Report.objects.create(assignment=Assignment.objects.get(batches=batch_id))
            transaction.on_commit(partial(rank.delay, report.pk))


@shared_task
def fingerprint(batch_id: int, document_ids: list[int]) -> None:
    """Fingerprint a chunk of a batch's documents."""
    for pk in document_ids:
        if not Batch.objects.filter(pk=batch_id, state=Batch.State.FINGERPRINTING).exists():
            return
        _fingerprint_pending([pk])
        _progress(batch_id)


def _fingerprint_pending(document_ids: list[int]) -> None:
    pending = Document.objects.filter(pk__in=document_ids, state=Document.State.PENDING)
    for document in pending.select_related("source"):
        fingerprint_document(document)


@shared_task
def fingerprint_boilerplate(assignment_id: int, document_ids: list[int]) -> None:
    """Fingerprint code that was handed out, then rank the assignment without it."""
    _fingerprint_pending(document_ids)
    if Batch.objects.filter(assignment=assignment_id, state=Batch.State.DONE).exists():
        rank(Report.objects.create(assignment_id=assignment_id).pk)


@shared_task
def rank(report_id: int) -> None:
    """Rank a report's cohort; older reports of the assignment go once it is done."""
    from submissions.ranking import rank as rank_report  # noqa: PLC0415 - numba, in workers only

    waiting = Report.objects.filter(pk=report_id, state__in=(Report.State.QUEUED, Report.State.RUNNING))
    if not waiting.update(state=Report.State.RUNNING):
        return
    report = Report.objects.select_related("assignment").get(pk=report_id)
    try:
        with transaction.atomic():
            rank_report(report)
            while _was_cancelled(report):
                rank_report(report)
            report.state, report.finished = Report.State.DONE, timezone.now()
            report.save()
            report.assignment.reports.filter(pk__lt=report_id).delete()
            ranked = Batch.objects.filter(submissions__reports=report, state=Batch.State.RANKING)
            Batch.objects.filter(pk__in=ranked).update(state=Batch.State.DONE, message="")
    except SoftTimeLimitExceeded:
        _fail_report(report, OUT_OF_TIME)
    except Exception:
        _fail_report(report, BROKEN)
        raise


def _was_cancelled(report: Report) -> bool:
    """Whether an upload was cancelled while it was being ranked."""
    return Batch.objects.filter(submissions__reports=report, state=Batch.State.CANCELLED).exists()


def _fail_report(report: Report, message: str) -> None:
    Report.objects.filter(pk=report.pk).update(state=Report.State.FAILED, message=message)
    stuck = Batch.objects.filter(assignment=report.assignment_id, state=Batch.State.RANKING)
    stuck.update(state=Batch.State.FAILED, message=message)


def _end(batch_id: int, state: Batch.State, message: str) -> None:
    running = Batch.objects.filter(pk=batch_id, state__in=Batch.RUNNING)
    running.update(state=state, message=message, touched=timezone.now())


@shared_task
def sweep() -> None:
    """Take up again what a lost worker or broker left lying; each step is safe to run twice."""
    long_ago = timezone.now() - STALLED
    for batch in Batch.objects.filter(state__in=Batch.RUNNING, touched__lt=long_ago):
        Batch.objects.filter(pk=batch.pk).update(touched=timezone.now())
        _resume(batch)
    lost = Report.objects.filter(state__in=(Report.State.QUEUED, Report.State.RUNNING), created__lt=long_ago)
    for report in lost:
        rank.delay(report.pk)


def _resume(batch: Batch) -> None:
    if batch.state in {Batch.State.QUEUED, Batch.State.UNPACKING}:
        ingest.delay(batch.pk)
    elif batch.state == Batch.State.FINGERPRINTING:
        pending = _documents(batch.pk).filter(state=Document.State.PENDING)
        _start_fingerprinting(batch.pk, list(pending.values_list("pk", flat=True)))
