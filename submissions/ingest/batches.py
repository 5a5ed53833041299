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
from submissions.archives.grouping import split_paths
from submissions.archives.left_out.listing import Listing
from submissions.archives.limits import BadArchive
from submissions.archives.unpack import DEFAULT_LIMITS, unpack
from submissions.ingest.documents import delete_unused, store_document
from submissions.ingest.submission_times import submission_times
from submissions.ingest.uploads import entries_in_one_folder
from submissions.models import Batch, Document, Entry, Submission, SubmissionFile
from submissions.queues import INTERACTIVE, INTERACTIVE_SECONDS, TakesLong

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from django.db.models import QuerySet

    from submissions.archives.unpack import UnpackedEntry

# Number of entries between two updates of a batch's progress.
PROGRESS_STEP = 20
# Rows per INSERT.
INSERT_ROWS = 500


class BatchEnded(Exception):
    """The batch was cancelled or deleted while it was processed."""


@dataclass
class BatchContents:
    """Contents of a batch's uploads: entries for its page, and documents and modification times by path."""

    entries: list[Entry] = field(default_factory=list)
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
    contents = BatchContents(listing=Listing(batch.assignment.file_patterns))
    deadline = time.monotonic() + INTERACTIVE_SECONDS
    for number, entry in enumerate(_entries(batch)):
        if batch.queue == INTERACTIVE and time.monotonic() > deadline:
            raise TakesLong
        if number % PROGRESS_STEP == 0:
            _publish_progress(batch, f"{number} entries read")
        _store_entry(contents, entry, batch)
    places = split_paths(sorted(contents.documents))
    unused = _leave_out(batch, contents, places)
    _save(batch, contents, places)
    delete_unused(unused)
    if not contents.documents:
        raise BadArchive("No entry of this upload could be used; the reasons are listed below.")


def _entries(batch: Batch) -> Iterator[UnpackedEntry]:
    """Yield the entries of one archive, or of several files uploaded together."""
    uploads = list(batch.uploads.order_by("pk"))
    patterns = batch.assignment.file_patterns
    if len(uploads) == 1:
        with uploads[0].file.open("rb") as file:
            yield from unpack(uploads[0].name, file, DEFAULT_LIMITS, patterns)
        return
    yield from entries_in_one_folder(batch.uploads.all(), patterns)


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
    contents.entries.append(
        Entry(batch=batch, name=entry.name, size=entry.size, accepted=not reason, reason=reason)
    )


def _leave_out(batch: Batch, contents: BatchContents, places: dict[str, tuple[str, str]]) -> list[int]:
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
def _save(batch: Batch, contents: BatchContents, places: dict[str, tuple[str, str]]) -> None:
    if contents.documents and not lifecycle.start_fingerprinting(batch.pk):
        raise BatchEnded
    batch.entries.all().delete()
    batch.submissions.all().delete()
    Entry.objects.bulk_create(contents.entries, batch_size=INSERT_ROWS)
    paths = {path: places[path] for path in contents.documents}
    submissions = _save_submissions(batch, contents, paths)
    SubmissionFile.objects.bulk_create(
        [
            SubmissionFile(
                submission=submissions[name], path=path, source_id=document.source_id, document=document
            )
            for entry, document in contents.documents.items()
            for name, path in [paths[entry]]
        ],
        batch_size=INSERT_ROWS,
    )


def _save_submissions(
    batch: Batch, contents: BatchContents, paths: dict[str, tuple[str, str]]
) -> dict[str, Submission]:
    names = list({name for name, _ in paths.values()})
    # In random order: primary keys are part of addresses, and must not reveal the order of names.
    SystemRandom().shuffle(names)
    modified = ((paths[path][0], time) for path, time in contents.modified.items())
    times = submission_times(modified, timezone.now())
    submissions = Submission.objects.bulk_create(
        [Submission(batch=batch, name=name, handed_in=times.get(name)) for name in names]
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
