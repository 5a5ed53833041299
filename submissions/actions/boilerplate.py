"""Register and remove boilerplate: files that were handed out; lines are in `actions.ignoring`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction

from submissions.actions.accounts import check_quotas
from submissions.actions.uploads import save_uploads, stored_files, upload_name
from submissions.ingest.documents import delete_unused
from submissions.lifecycle import enqueue_rank
from submissions.models import Boilerplate, BoilerplateUpload
from submissions.reading import upload_queue
from submissions.work import jobs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.core.files import File

    from submissions.models import Assignment


def add_boilerplate(
    assignment: Assignment, uploads: Sequence[File[bytes]], *, statement: bool = False
) -> BoilerplateUpload:
    """Store handed-out files, single or in archives, and enqueue them to be read and registered.

    With `statement` they are the statement of the task.

    Raises
    ------
    QuotaExceeded
        When they are more than may be stored.
    """
    size = sum(file.size for file in uploads)
    queue = upload_queue(size)
    with stored_files(uploads) as stored, transaction.atomic():
        check_quotas(assignment, size)
        upload = assignment.boilerplate_uploads.create(name=upload_name(uploads), statement=statement)
        save_uploads(stored, boilerplate_upload=upload)
        jobs.enqueue("read_boilerplate", upload.pk, queue=queue)
    return upload


def dismiss_boilerplate_upload(upload: BoilerplateUpload) -> None:
    """Delete the record of uploaded boilerplate that was read or failed; what was registered stays."""
    BoilerplateUpload.objects.filter(pk=upload.pk).exclude(state__in=BoilerplateUpload.RUNNING).delete()


@transaction.atomic
def remove_boilerplate(boilerplate: Boilerplate) -> None:
    """Remove boilerplate and enqueue a new ranking."""
    assignment, documents = boilerplate.assignment, [boilerplate.document_id, boilerplate.next_document_id]
    boilerplate.delete()
    transaction.on_commit(partial(delete_unused, [pk for pk in documents if pk]))
    enqueue_rank(assignment)
