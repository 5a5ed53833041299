"""Uploads that were not read yet, or could not be: one with work of an erased student is removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from submissions import lifecycle
from submissions.ingest.documents import delete_unused_sources
from submissions.ingest.uploads import discard_uploads, entries
from submissions.intake.limits import BadArchive
from submissions.models import Batch, BoilerplateUpload, ListedEntry

if TYPE_CHECKING:
    from submissions.students.receipts import Counts
    from submissions.students.scope import Scope
    from submissions.students.spellings import Spellings

REMOVED = (
    "This upload had work of a student who was erased, and was not read yet: it was removed whole. "
    "Upload it again without this student."
)


def erase_unread(scope: Scope, counts: Counts) -> None:
    """Remove the stored uploads and listings that name the student; their batches fail with the reason.

    They are opened in the child that unpacks uploads. One that cannot be opened is removed too, in the
    courses of the student.
    """
    held = [one.pk for one in scope.held]
    waiting = Batch.objects.exclude(uploads=None, listed_entries=None).exclude(assignment__in=held)
    for batch in (
        waiting.filter(assignment__course__in=scope.searched).distinct().select_related("assignment")
    ):
        spellings = scope.spellings(batch.assignment.course_id)
        if _lists(batch, spellings, scope) or _holds(batch, spellings, scope):
            _remove(batch, counts)
    given = BoilerplateUpload.objects.exclude(uploads=None).exclude(assignment__in=held)
    for upload in given.filter(assignment__course__in=scope.searched).distinct().select_related("assignment"):
        if any(scope.spellings(upload.assignment.course_id).is_in(one.name) for one in upload.uploads.all()):
            counts.removed["submissions.Upload"] += upload.uploads.count()
            discard_uploads(upload.uploads.all())
            lifecycle.fail_boilerplate(upload.pk, REMOVED)


def _lists(batch: Batch, spellings: Spellings, scope: Scope) -> bool:
    """Return whether the listing of a batch names the student, in a path or in a file."""
    rows = batch.listed_entries.select_related("source")
    return any(
        spellings.is_in(row.name) or bool(row.source and _names(scope, bytes(row.source.data)))
        for row in rows.iterator()
    )


def _holds(batch: Batch, spellings: Spellings, scope: Scope) -> bool:
    uploads = batch.uploads.all()
    if any(spellings.is_in(one.name) for one in uploads):
        return True
    try:
        unpacked = entries(uploads, batch.assignment.file_patterns) if uploads else ()
        return any(
            spellings.is_in(entry.name) or (entry.data is not None and _names(scope, entry.data))
            for entry in unpacked
        )
    except BadArchive:
        return batch.assignment.course_id in scope.courses


def _names(scope: Scope, data: bytes) -> bool:
    """Return whether a file has a whole name or an id of the student: a word of a name may be a variable."""
    return scope.spellings().is_in(data.decode(errors="replace"))


@transaction.atomic
def _remove(batch: Batch, counts: Counts) -> None:
    sources = list(batch.listed_entries.exclude(source=None).values_list("source_id", flat=True))
    counts.removed["submissions.Upload"] += batch.uploads.count()
    discard_uploads(batch.uploads.all())
    counts.delete(ListedEntry.objects.filter(batch=batch))
    delete_unused_sources(sources)
    unfinished = Batch.objects.filter(pk=batch.pk).exclude(state__in=Batch.FULLY_READ)
    lifecycle.change_batches(unfinished, Batch.State.FAILED, REMOVED, "it had work of an erased student")
