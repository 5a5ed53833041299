"""Delete batches, assignments and courses with all dependent records."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from submissions import lifecycle
from submissions.database_errors import done_again
from submissions.ingest.documents import delete_unused, delete_unused_sources
from submissions.ingest.uploads import discard_uploads
from submissions.models import (
    Assignment,
    Batch,
    Boilerplate,
    Course,
    DeletedBatch,
    ListedEntry,
    SubmissionFile,
    Upload,
)
from submissions.queries.retention_rules import holds_on
from submissions.work import jobs
from submissions.work.kinds import HEAVY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.db.models import QuerySet


class Held(ValueError):
    """A hold keeps what was to be deleted; the message names the assignment, not the reason."""


def _refuse_held(assignments: Q) -> None:
    for held in holds_on(assignments):
        text = _("A hold protects {assignment}, so nothing was deleted. Its settings have the reason.")
        raise Held(text.format(assignment=held.name))


def delete_batch(batch: Batch) -> None:
    """Delete a batch with all dependent records, and rank the remaining submissions.

    Raises
    ------
    Held
        When the assignment is under a hold, or one that has copies of its work. The others raise the same.
    """
    pk = batch.pk
    _refuse_held(Q(pk=batch.assignment_id))
    done_again(lambda: _delete_batch(pk))


def _delete_batch(pk: int) -> None:
    batch = Batch.objects.select_related("assignment").filter(pk=pk).first()
    if not batch:
        return
    # Commit this before locking: a running ranking holds the lock until it sees that it was cancelled.
    lifecycle.cancel_reports(batch.assignment)
    with transaction.atomic():
        assignment = lifecycle.lock_assignment(batch.assignment_id)
        if not assignment:
            return
        record = {"name": batch.name, "uploaded_by": batch.uploaded_by, "uploaded": batch.created}
        DeletedBatch.objects.get_or_create(batch=batch.pk, defaults={"assignment": assignment, **record})
        documents, listed = _documents_in([batch]), _listed_sources([batch])
        discard_uploads(batch.uploads.all())
        for kind in ("unpack", "read_documents"):
            jobs.cancel(kind, [batch.pk])
        batch.delete()
        transaction.on_commit(partial(delete_unused, documents))
        jobs.enqueue("merge_postings", queue=HEAVY)
        transaction.on_commit(partial(delete_unused_sources, listed))
        uploaded = assignment.batches.exclude(role=Batch.Role.OTHER)
        if uploaded.filter(state__in=Batch.FULLY_READ).exists():
            lifecycle.enqueue_rank(assignment)
        else:
            assignment.reports.all().delete()


def delete_assignment(assignment: Assignment) -> None:
    """Cancel the work on an assignment, and delete it with its uploads, reports and decisions."""
    _refuse_held(Q(pk=assignment.pk))
    pk = assignment.pk
    done_again(lambda: _delete_assignment(pk))


def _delete_assignment(pk: int) -> None:
    assignment = Assignment.objects.filter(pk=pk).first()
    if not assignment:
        return
    _cancel_work(assignment)
    with transaction.atomic():
        if lifecycle.lock_assignment(pk):
            _delete_locked(assignment)


def delete_course(course: Course) -> None:
    """Cancel the work on a course's assignments, and delete the course and all of them in one transaction."""
    _refuse_held(Q(course=course))
    pk = course.pk
    done_again(lambda: _delete_course(pk))


def _delete_course(pk: int) -> None:
    course = Course.objects.filter(pk=pk).first()
    if not course:
        return
    for assignment in course.assignments.all():
        _cancel_work(assignment)
    with transaction.atomic():
        for assignment in course.assignments.order_by("pk"):
            lifecycle.lock_assignment(assignment.pk)
            _delete_locked(assignment)
        course.delete()


def _cancel_work(assignment: Assignment) -> None:
    for batch in assignment.batches.filter(state__in=Batch.CANCELLABLE):
        lifecycle.cancel_batch(batch)
    lifecycle.cancel_ranking(assignment)


def _delete_locked(assignment: Assignment) -> None:
    boilerplate = Boilerplate.objects.filter(assignment=assignment)
    documents = [*_documents_in(assignment.batches.all()), *_all_documents(boilerplate)]
    listed = _listed_sources(assignment.batches.all())
    discard_uploads(Upload.objects.filter(batch__assignment=assignment))
    discard_uploads(Upload.objects.filter(boilerplate_upload__assignment=assignment))
    assignment.delete()
    transaction.on_commit(partial(delete_unused, documents))
    jobs.enqueue("merge_postings", queue=HEAVY)
    transaction.on_commit(partial(delete_unused_sources, listed))


def _listed_sources(batches: Iterable[Batch]) -> list[int]:
    listed = ListedEntry.objects.filter(batch__in=list(batches)).exclude(source=None)
    return list(listed.values_list("source_id", flat=True).distinct())


def _documents_in(batches: Iterable[Batch]) -> list[int]:
    """Return the documents of the submissions in batches, and of the copies of these."""
    keys = list(batches)
    in_batches = Q(submission__batch__in=keys) | Q(submission__origin__batch__in=keys)
    return _all_documents(SubmissionFile.objects.filter(in_batches))


def _all_documents(rows: QuerySet[SubmissionFile] | QuerySet[Boilerplate]) -> list[int]:
    """Return the documents of rows, and those that are to replace them."""
    keys = chain.from_iterable(rows.values_list("document_id", "next_document_id"))
    return list({key for key in keys if key})
