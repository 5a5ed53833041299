"""All writes that a person can cause; long work is enqueued once the transaction is committed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, BinaryIO, cast

from django.db import transaction

from fingerprint.reading import Unreadable
from submissions import tasks
from submissions.archives import Unpacked, unpack_all
from submissions.documents import drop_unused, keep
from submissions.models import Batch, Report, Upload

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.contrib.auth.models import User
    from django.core.files import File

    from submissions.models import Assignment, Boilerplate


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
def delete_batch(batch: Batch) -> None:
    """Delete an upload with everything that came from it, and rank what is left."""
    assignment = tasks.lock(batch.assignment_id) or batch.assignment
    documents = list(batch.submissions.values_list("files__document_id", flat=True).distinct())
    tasks.discard_uploads(batch.uploads.all())
    batch.delete()
    transaction.on_commit(partial(drop_unused, [pk for pk in documents if pk is not None]))
    if assignment.batches.filter(state__in=Batch.READ).exists():
        rerank(assignment)
    else:
        assignment.reports.all().delete()


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
            document=document, defaults={"name": entry.name, "source": document.source}
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
