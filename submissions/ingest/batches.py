"""Take an upload in: unpack, store every source, say of every entry what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import SystemRandom
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from fingerprint.engine import Unreadable
from submissions.archives.grouping import placed
from submissions.archives.unpack import BadArchive, Unpacked, unpack, unpack_all
from submissions.ingest.documents import keep
from submissions.ingest.submission_times import handed_in
from submissions.models import Batch, Entry, Submission, SubmissionFile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from submissions.models import Document

# Entries between two signs of life.
STEP = 20


@dataclass
class Intake:
    """What one pass over a batch's uploads found: entries for the page, documents and times by path."""

    entries: list[Entry] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)
    modified: dict[str, datetime] = field(default_factory=dict)


class Stopped(Exception):
    """The batch is no longer wanted."""


def _unpacked(batch: Batch) -> Iterator[Unpacked]:
    """Entries of one archive, or of several files dropped together."""
    uploads = list(batch.uploads.order_by("pk"))
    if len(uploads) == 1:
        with uploads[0].file.open("rb") as file:
            yield from unpack(uploads[0].name, file)
        return
    files = [(upload.name, upload.file.open("rb")) for upload in uploads]
    try:
        yield from unpack_all(files)
    finally:
        for _, file in files:
            file.close()


def take_in(batch: Batch) -> None:
    """Store a batch's submissions in place of an earlier run's; it is to be fingerprinted from then on.

    Raises
    ------
    BadArchive
        When nothing can be made of the upload; the message is for the uploader.
    Stopped
        When the batch was cancelled meanwhile.
    """
    intake = Intake()
    for number, entry in enumerate(_unpacked(batch)):
        if number % STEP == 0:
            _report(batch, f"{number} entries read")
        _take(intake, entry, batch)
    _save(batch, intake)
    if not intake.documents:
        raise BadArchive("No entry of this upload could be used; the reasons are listed below.")


def _report(batch: Batch, message: str) -> None:
    unpacking = Batch.objects.filter(pk=batch.pk, state=Batch.State.UNPACKING)
    if not unpacking.update(message=message, touched=timezone.now()):
        raise Stopped


def _take(intake: Intake, entry: Unpacked, batch: Batch) -> None:
    reason = entry.reason
    if entry.data is not None:
        try:
            intake.documents[entry.name] = keep(entry.data, entry.name, batch.assignment.language)
            if entry.modified:
                intake.modified[entry.name] = entry.modified
        except Unreadable as error:
            reason = str(error)
    intake.entries.append(
        Entry(batch=batch, name=entry.name, size=entry.size, accepted=not reason, reason=reason)
    )


@transaction.atomic
def _save(batch: Batch, intake: Intake) -> None:
    if intake.documents:
        unpacking = Batch.objects.filter(pk=batch.pk, state=Batch.State.UNPACKING)
        if not unpacking.update(state=Batch.State.FINGERPRINTING, message="", touched=timezone.now()):
            raise Stopped
    batch.entries.all().delete()
    batch.submissions.all().delete()
    Entry.objects.bulk_create(intake.entries, batch_size=500)
    places = placed(sorted(intake.documents))
    names = list({name for name, _ in places.values()})
    # Ids stand in addresses, also where names are made up: in their order they would tell a class list's.
    SystemRandom().shuffle(names)
    times = handed_in(((places[path][0], time) for path, time in intake.modified.items()), timezone.now())
    made = Submission.objects.bulk_create(
        [Submission(batch=batch, name=name, handed_in=times.get(name)) for name in names]
    )
    submissions = dict(zip(names, made, strict=True))
    SubmissionFile.objects.bulk_create(
        [
            SubmissionFile(
                submission=submissions[name], path=path, source_id=document.source_id, document=document
            )
            for entry, document in intake.documents.items()
            for name, path in [places[entry]]
        ],
        batch_size=500,
    )
