"""Unpack a batch: store its sources and submissions, and record the result for each entry."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from random import SystemRandom
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Least
from django.utils import timezone

from fingerprint.engine import Unreadable
from submissions import lifecycle
from submissions.archives.formats import archive_stem
from submissions.archives.grouping import ListingBuilder, group_files
from submissions.archives.left_out.listing import Listing
from submissions.archives.limits import BadArchive
from submissions.ingest.documents import delete_unused, store_document
from submissions.ingest.submission_times import submission_times
from submissions.ingest.uploads import entries
from submissions.models import Batch, Document, Entry, Submission, SubmissionFile
from submissions.queues import INTERACTIVE, INTERACTIVE_SECONDS, TakesLong

if TYPE_CHECKING:
    from datetime import datetime

    from django.db.models import QuerySet

    from submissions.archives.grouping import Grouping
    from submissions.archives.regrouping import Place
    from submissions.archives.unpack import UnpackedEntry

# Number of entries between two updates of a batch's progress.
PROGRESS_STEP = 20
# Rows per INSERT.
INSERT_ROWS = 500


class BatchEnded(Exception):
    """The batch was cancelled or deleted while it was processed."""


@dataclass
class BatchContents:
    """Contents of a batch's uploads: entries for its page, and documents and modification times by path.

    `read` has the entries that were read, also those that are no text; `names` lists them for the layouts.
    """

    entries: list[Entry] = field(default_factory=list)
    read: dict[str, Entry] = field(default_factory=dict)
    names: ListingBuilder = field(default_factory=ListingBuilder)
    documents: dict[str, Document] = field(default_factory=dict)
    modified: dict[str, datetime] = field(default_factory=dict)
    listing: Listing = field(default_factory=Listing)


def ingest_batch(batch: Batch) -> None:
    """Store the submissions of a batch, replacing those of an earlier run, so that it can be fingerprinted.

    Raises
    ------
    BadArchive
        When no entry of the upload can be used; the message is for the uploader.
    BatchEnded
        When the batch was cancelled or deleted meanwhile.
    TakesLong
        When the batch is in the interactive queue and takes too long for it.
    """
    contents = BatchContents(
        names=ListingBuilder(_upload_name(batch)), listing=Listing(batch.assignment.file_patterns)
    )
    deadline = time.monotonic() + INTERACTIVE_SECONDS
    for number, entry in enumerate(entries(batch.uploads.all(), batch.assignment.file_patterns)):
        if batch.queue == INTERACTIVE and time.monotonic() > deadline:
            raise TakesLong
        if number % PROGRESS_STEP == 0:
            _publish_progress(batch, f"{number} entries read")
        _store_entry(contents, entry, batch)
    grouping = group_files(contents.names.listing())
    unused = _leave_out_ignored(contents, grouping)
    unused += _leave_out(batch, contents, {path: grouping.places[path] for path in contents.documents})
    _save(batch, contents, grouping)
    delete_unused(unused)
    if not contents.documents:
        raise BadArchive("No entry of this upload could be used; the reasons are listed below.")


def _upload_name(batch: Batch) -> str:
    """Return the name of a single upload without its suffix; empty for several."""
    names = list(batch.uploads.values_list("name", flat=True))
    return archive_stem(names[0]) if len(names) == 1 else ""


def _publish_progress(batch: Batch, message: str) -> None:
    unpacking = Batch.objects.filter(pk=batch.pk, state=Batch.State.UNPACKING)
    if not unpacking.update(message=message, touched=timezone.now()):
        raise BatchEnded


def _store_entry(contents: BatchContents, entry: UnpackedEntry, batch: Batch) -> None:
    reason = entry.reason
    contents.listing.add(entry.name, entry.data)
    if entry.data is not None:
        try:
            document = store_document(
                entry.data, entry.name, batch.assignment.language, settings.FILE_SECONDS
            )
            contents.documents[entry.name] = document
            if entry.modified:
                contents.modified[entry.name] = entry.modified
        except Unreadable as error:
            reason = str(error)
    row = Entry(batch=batch, name=entry.name, size=entry.size, accepted=not reason, reason=reason)
    contents.entries.append(row)
    if entry.data is not None:
        contents.read[entry.name] = row
        contents.names.add(entry)


def _leave_out_ignored(contents: BatchContents, grouping: Grouping) -> list[int]:
    """Remove the documents of entries that are no student's work or an earlier attempt, and note the reason.

    Return the primary keys of these documents. The reason of another attempt names its submission only where
    one of that name is stored: only names of submissions are hidden from readers who must not see them.
    """
    for path, reason in grouping.ignored.items():
        contents.modified.pop(path, None)
        row = contents.read[path]
        row.accepted, row.reason = False, reason
    unused = [document.pk for path, document in contents.documents.items() if path in grouping.ignored]
    for path in grouping.ignored:
        contents.documents.pop(path, None)
    stored = {grouping.places[path].submission for path in contents.documents}
    for path, name in grouping.earlier.items():
        if name in stored:
            contents.read[path].reason = grouping.reason(path)
    return unused


def _leave_out(batch: Batch, contents: BatchContents, places: dict[str, Place]) -> list[int]:
    """Remove the documents that are left out, list them as skipped entries, return their primary keys."""
    left_out = contents.listing.left_out(places)
    for path in left_out.paths:
        contents.modified.pop(path, None)
    counted = [
        entry for entry in contents.entries if not left_out.replaces(entry.name, accepted=entry.accepted)
    ]
    skipped = [Entry(batch=batch, accepted=False, **entry._asdict()) for entry in left_out.entries]
    contents.entries = counted + skipped
    return [contents.documents.pop(path).pk for path in left_out.paths]


@transaction.atomic
def _save(batch: Batch, contents: BatchContents, grouping: Grouping) -> None:
    if contents.documents and not lifecycle.start_fingerprinting(batch.pk):
        raise BatchEnded
    batch.entries.all().delete()
    batch.submissions.all().delete()
    Entry.objects.bulk_create(contents.entries, batch_size=INSERT_ROWS)
    submissions = _save_submissions(batch, contents, grouping)
    SubmissionFile.objects.bulk_create(
        [
            SubmissionFile(
                submission=submissions[name], path=path, source_id=document.source_id, document=document
            )
            for entry, document in contents.documents.items()
            for name, path in [grouping.places[entry]]
        ],
        batch_size=INSERT_ROWS,
    )


def _save_submissions(batch: Batch, contents: BatchContents, grouping: Grouping) -> dict[str, Submission]:
    names = sorted({grouping.places[path].submission for path in contents.documents})
    # In random order: primary keys are part of addresses, and must not reveal the order of names.
    SystemRandom().shuffle(names)
    modified = ((grouping.places[path].submission, time) for path, time in contents.modified.items())
    known = {name: one.submitted for name, one in grouping.submissions.items() if one.submitted}
    times = submission_times(modified, timezone.now(), known)
    submissions = Submission.objects.bulk_create(
        [
            Submission(
                batch=batch,
                name=name,
                identifier=grouping.submissions[name].identifier,
                handed_in=times.get(name),
            )
            for name in names
        ]
    )
    return dict(zip(names, submissions, strict=True))


def pending_documents(batch_id: int) -> list[int]:
    """Return the primary keys of a batch's documents that were not read yet."""
    pending = _documents(batch_id).filter(state=Document.State.PENDING)
    return list(pending.order_by("pk").values_list("pk", flat=True))


def count_pending(batch_id: int) -> int:
    """Update the document counts of a batch; return the number of documents that were not read yet."""
    documents = _documents(batch_id)
    total, pending = documents.count(), documents.filter(state=Document.State.PENDING).count()
    batch = Batch.objects.filter(pk=batch_id, state=Batch.State.FINGERPRINTING)
    batch.update(documents_total=total, documents_done=total - pending, touched=timezone.now())
    return pending


def increment_documents_done(batch_id: int) -> None:
    """Add one to the number of documents read of a batch, without counting them again."""
    done = Least(F("documents_done") + 1, F("documents_total"))
    batch = Batch.objects.filter(pk=batch_id, state=Batch.State.FINGERPRINTING)
    batch.update(documents_done=done, touched=timezone.now())


def _documents(batch_id: int) -> QuerySet[Document]:
    return Document.objects.filter(files__submission__batch=batch_id).distinct()
