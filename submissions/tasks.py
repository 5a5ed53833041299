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
from django.db.models.functions import Least
from django.utils import timezone

from submissions.archives.unpack import BadArchive
from submissions.ingest.batches import Stopped, take_in
from submissions.ingest.documents import drop_forgotten, fingerprint as fingerprint_document
from submissions.models import Assignment, Batch, Boilerplate, Document, Report, Upload
from submissions.ranking.progress import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.db.models import QuerySet

CHUNK = 16
# Longer than any task may run: what has been still for so long was lost.
STALLED = timedelta(minutes=12)
# Longer than any upload is on its way: a source that nobody holds by then is nobody's.
FORGOTTEN = timedelta(hours=2)
OUT_OF_TIME = "This took longer than a worker may spend on it. Upload it in smaller parts."
BROKEN = "Something broke on our side; the server's log says what. Try again, or tell who runs this server."


# A source may be deleted with another batch while this one finds it again: a second try stores it anew.
@shared_task(autoretry_for=(IntegrityError,), retry_backoff=True, max_retries=3)
def ingest(batch_id: int) -> None:
    """Unpack a batch and enqueue its documents."""
    waiting = Batch.objects.filter(pk=batch_id, state__in=(Batch.State.QUEUED, Batch.State.UNPACKING))
    if waiting.update(state=Batch.State.UNPACKING, message="", touched=timezone.now()):
        try:
            take_in(Batch.objects.select_related("assignment").get(pk=batch_id))
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
    # Also after an earlier run that was lost between unpacking and here.
    _enqueue_documents(batch_id)


def _enqueue_documents(batch_id: int) -> None:
    if not Batch.objects.filter(pk=batch_id, state=Batch.State.FINGERPRINTING).exists():
        return
    discard_uploads(Upload.objects.filter(batch=batch_id))
    pending = _documents(batch_id).filter(state=Document.State.PENDING)
    keys = list(pending.order_by("pk").values_list("pk", flat=True))
    for at in range(0, len(keys), CHUNK):
        fingerprint.delay(batch_id, keys[at : at + CHUNK])
    _progress(batch_id)


def _documents(batch_id: int) -> QuerySet[Document]:
    return Document.objects.filter(files__submission__batch=batch_id).distinct()


def _progress(batch_id: int) -> None:
    """Count what is done, and rank once when nothing is left."""
    documents = _documents(batch_id)
    total, left = documents.count(), documents.filter(state=Document.State.PENDING).count()
    batch = Batch.objects.filter(pk=batch_id, state=Batch.State.FINGERPRINTING)
    batch.update(documents_total=total, documents_done=total - left, touched=timezone.now())
    if left:
        return
    with transaction.atomic():
        if batch.update(state=Batch.State.RANKING, message=""):
            enqueue_rank(Assignment.objects.get(batches=batch_id))


def enqueue_rank(assignment: Assignment) -> Report:
    """Have a cohort ranked once this transaction is committed; a report that waits already will do."""
    # Held until then, so that no worker takes it up before it can see what it is to rank.
    waiting = assignment.reports.select_for_update().filter(state=Report.State.QUEUED).first()
    report = waiting or Report.objects.create(assignment=assignment)
    if waiting:  # as new as what it is to rank
        assignment.reports.filter(pk=waiting.pk).update(created=timezone.now())
    transaction.on_commit(partial(rank.delay, report.pk))
    return report


@shared_task
def fingerprint(batch_id: int, document_ids: list[int]) -> None:
    """Fingerprint a chunk of a batch's documents."""
    batch = Batch.objects.filter(pk=batch_id, state=Batch.State.FINGERPRINTING)
    one_more = Least(F("documents_done") + 1, F("documents_total"))
    for pk in document_ids:
        if not batch.exists():
            return
        _fingerprint_pending([pk])
        batch.update(documents_done=one_more, touched=timezone.now())
    _progress(batch_id)


def _fingerprint_pending(document_ids: list[int]) -> None:
    pending = Document.objects.filter(pk__in=document_ids, state=Document.State.PENDING)
    for document in pending.select_related("source"):
        fingerprint_document(document)


@shared_task
def fingerprint_boilerplate(assignment_id: int, document_ids: list[int]) -> None:
    """Fingerprint code that was handed out, then rank the assignment without it."""
    _fingerprint_pending(document_ids)
    with transaction.atomic():
        assignment = lock(assignment_id)
        if assignment and assignment.batches.filter(state__in=Batch.READ).exists():
            enqueue_rank(assignment)


def lock(assignment_id: int) -> Assignment | None:
    """Hold an assignment, so that ranking and deleting take turns, until the transaction ends."""
    # Not the key: uploads that refer to it may come in meanwhile.
    return Assignment.objects.select_for_update(no_key=True).filter(pk=assignment_id).first()


@shared_task
def rank(report_id: int) -> None:
    """Rank a report's cohort; older reports of the assignment go once it is done."""
    waiting = Report.objects.filter(pk=report_id, state__in=Report.UNFINISHED)
    if not waiting.update(state=Report.State.RUNNING):
        return
    try:
        with transaction.atomic():
            _rank(waiting)
    except Cancelled:  # by somebody who has ended what waited for it
        return
    except SoftTimeLimitExceeded:
        _fail_report(waiting, OUT_OF_TIME)
    except Exception:
        _fail_report(waiting, BROKEN)
        raise


def _rank(waiting: QuerySet[Report]) -> None:
    from submissions.ranking.rank import rank as rank_report  # noqa: PLC0415 - numba, in workers only

    assignment_id = waiting.values_list("assignment_id", flat=True).first()
    held = lock(assignment_id) if assignment_id else None
    report = waiting.select_related("assignment").first()
    if held is None or report is None:  # another worker was quicker, or it was deleted
        return
    ended = _ranked_now(report, rank_report)
    report.state, report.finished = Report.State.DONE, timezone.now()
    if not waiting.update(state=report.state):
        raise Cancelled
    report.save()
    report.assignment.reports.filter(pk__lt=report.pk).delete()
    Batch.objects.filter(pk__in=ended, state__in=Batch.READ).update(state=Batch.State.DONE, message="")


def _ranked_now(report: Report, rank_report: Callable[[Report], None]) -> list[int]:
    """Rank until no upload was cancelled meanwhile; give the batches that this ends, superseded ones too."""
    while True:
        read = Batch.objects.filter(assignment=report.assignment_id, state__in=Batch.READ)
        ended = list(read.exclude(state=Batch.State.DONE, message="").values_list("pk", flat=True))
        rank_report(report)
        if not Batch.objects.filter(submissions__reports=report, state=Batch.State.CANCELLED).exists():
            return ended


def _fail_report(waiting: QuerySet[Report], message: str) -> None:
    """Fail a report that nobody finished, and the batches that wait for it and for no other."""
    for report in waiting:
        waiting.update(state=Report.State.FAILED, message=message)
        if not Report.objects.filter(assignment=report.assignment_id, state__in=Report.UNFINISHED).exists():
            stuck = Batch.objects.filter(assignment=report.assignment_id, state=Batch.State.RANKING)
            stuck.update(state=Batch.State.FAILED, message=message)


def _end(batch_id: int, state: Batch.State, message: str) -> None:
    running = Batch.objects.filter(pk=batch_id, state__in=Batch.RUNNING)
    running.update(state=state, message=message, touched=timezone.now())


@shared_task
def sweep() -> None:
    """Take up again what a lost worker or broker left lying, and delete what nobody holds any more."""
    long_ago = timezone.now() - STALLED
    for batch in Batch.objects.filter(state__in=Batch.RUNNING, touched__lt=long_ago):
        Batch.objects.filter(pk=batch.pk).update(touched=timezone.now())
        _resume(batch)
    for report in Report.objects.filter(state__in=Report.UNFINISHED, created__lt=long_ago):
        rank.delay(report.pk)
    unread = Boilerplate.objects.filter(document__state=Document.State.PENDING, created__lt=long_ago)
    for assignment_id, document_id in unread.values_list("assignment_id", "document_id"):
        fingerprint_boilerplate.delay(assignment_id, [document_id])
    discard_uploads(Upload.objects.exclude(batch__state__in=Batch.RUNNING))
    drop_forgotten(timezone.now() - FORGOTTEN)


def _resume(batch: Batch) -> None:
    if batch.state == Batch.State.RANKING:
        with transaction.atomic():
            enqueue_rank(batch.assignment)
    else:
        ingest.delay(batch.pk)


def discard_uploads(uploads: QuerySet[Upload]) -> None:
    """Delete uploaded files that are no longer needed."""
    for upload in uploads:
        upload.file.delete(save=False)
        upload.delete()
