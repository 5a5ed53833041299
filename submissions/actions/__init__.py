"""All writes that a person can cause; long work is enqueued once the transaction is committed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, BinaryIO, cast

from django.db import transaction
from django.utils import timezone

from fingerprint.engine import Unreadable
from submissions import tasks
from submissions.archives.unpack import Unpacked, unpack_all
from submissions.ingest.documents import drop_unused, keep
from submissions.models import Batch, Boilerplate, DeletedBatch, Report, SubmissionFile, Upload

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from django.contrib.auth.models import User
    from django.core.files import File

    from submissions.models import Assignment, Course

NOT_RANKED = (
    "It was read, but is in no report yet: the ranking was cancelled. Rank again to have it compared."
)


@transaction.atomic
def create_batch(assignment: Assignment, user: User | None, uploads: Sequence[File[bytes]]) -> Batch:
    """Keep uploaded files and have a worker take them in."""
    names = [upload.name or "upload" for upload in uploads]
    name = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
    batch = Batch.objects.create(assignment=assignment, uploaded_by=user, name=name[-255:])
    for upload, upload_name in zip(uploads, names, strict=True):
        Upload.objects.create(batch=batch, name=upload_name, file=upload)
    transaction.on_commit(partial(tasks.ingest.delay, batch.pk))
    return batch


def cancel_batch(batch: Batch) -> bool:
    """Stop a running batch; its workers notice before their next file. False when it had ended already."""
    running = Batch.objects.filter(pk=batch.pk, state__in=Batch.RUNNING)
    stopped = running.update(state=Batch.State.CANCELLED, message="Cancelled.")
    return bool(stopped)


@transaction.atomic
def cancel_ranking(assignment: Assignment) -> bool:
    """Stop what ranks an assignment; its worker notices at the next stage and leaves the last report.

    Uploads that waited for it are ranked with the next one. False when nothing was being ranked.
    """
    if not _stop_rankings(assignment):
        return False
    waiting = assignment.batches.filter(state=Batch.State.RANKING)
    waiting.update(state=Batch.State.DONE, message=NOT_RANKED, touched=timezone.now())
    return True


def _stop_rankings(assignment: Assignment) -> bool:
    unfinished = assignment.reports.filter(state__in=Report.UNFINISHED)
    return bool(unfinished.update(state=Report.State.CANCELLED, finished=timezone.now()))


def delete_batch(batch: Batch) -> None:
    """Delete an upload with everything that came from it, and rank what is left."""
    # Committed first: a ranking that holds the assignment lets go of it at its next stage.
    _stop_rankings(batch.assignment)
    with transaction.atomic():
        assignment = tasks.lock(batch.assignment_id) or batch.assignment
        DeletedBatch.objects.get_or_create(
            batch=batch.pk, defaults={"assignment": assignment, "name": batch.name}
        )
        documents = _documents_of([batch])
        tasks.discard_uploads(batch.uploads.all())
        batch.delete()
        transaction.on_commit(partial(drop_unused, documents))
        if assignment.batches.filter(state__in=Batch.READ).exists():
            rerank(assignment)
        else:
            assignment.reports.all().delete()


def delete_assignment(assignment: Assignment) -> None:
    """Delete an assignment with its uploads, reports and decisions; work on it ends."""
    _stop(assignment)
    with transaction.atomic():
        tasks.lock(assignment.pk)
        _delete_locked(assignment)


def delete_course(course: Course) -> None:
    """Delete a course with all its assignments, all or none; work on them ends."""
    for assignment in course.assignments.all():
        _stop(assignment)
    with transaction.atomic():
        for assignment in course.assignments.order_by("pk"):
            tasks.lock(assignment.pk)
            _delete_locked(assignment)
        course.delete()


def _stop(assignment: Assignment) -> None:
    for batch in assignment.batches.filter(state__in=Batch.RUNNING):
        cancel_batch(batch)
    cancel_ranking(assignment)


def _delete_locked(assignment: Assignment) -> None:
    given = Boilerplate.objects.filter(assignment=assignment).values_list("document_id", flat=True)
    documents = [*_documents_of(assignment.batches.all()), *given]
    tasks.discard_uploads(Upload.objects.filter(batch__assignment=assignment))
    assignment.delete()
    transaction.on_commit(partial(drop_unused, documents))


def _documents_of(batches: Iterable[Batch]) -> list[int]:
    files = SubmissionFile.objects.filter(submission__batch__in=list(batches))
    return list(files.values_list("document_id", flat=True).distinct())


@transaction.atomic
def add_boilerplate(assignment: Assignment, uploads: Sequence[File[bytes]]) -> list[Unpacked]:
    """Register code that was handed out, loose or in archives; give the entries that could not be used."""
    refused, documents = [], []
    for entry in unpack_all([(upload.name or "upload", cast("BinaryIO", upload.file)) for upload in uploads]):
        if entry.data is None:
            refused.append(entry)
            continue
        try:
            document = keep(entry.data, entry.name, assignment.language)
        except Unreadable as error:
            refused.append(entry._replace(data=None, reason=str(error)))
            continue
        assignment.boilerplate.get_or_create(
            document=document,
            first=None,
            after=None,
            defaults={"name": entry.name, "source": document.source},
        )
        documents.append(document.pk)
    if documents:
        transaction.on_commit(partial(tasks.fingerprint_boilerplate.delay, assignment.pk, documents))
    return refused


@transaction.atomic
def remove_boilerplate(boilerplate: Boilerplate) -> None:
    """Let handed-out code count again."""
    assignment, document = boilerplate.assignment, boilerplate.document_id
    boilerplate.delete()
    transaction.on_commit(partial(drop_unused, [document]))
    rerank(assignment)


@transaction.atomic
def rerank(assignment: Assignment) -> Report:
    """Have the cohort ranked anew from what is stored; one that waits already will do."""
    return tasks.enqueue_rank(assignment)
