"""Upload files, and start or cancel their processing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction

from submissions import tasks
from submissions.actions.quotas import check_quotas
from submissions.lifecycle import cancel_batch, cancel_ranking
from submissions.models import Batch, Report, Upload

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.contrib.auth.models import User
    from django.core.files import File

    from submissions.models import Assignment

__all__ = ["cancel_batch", "cancel_ranking", "create_batch", "rerank"]


@transaction.atomic
def create_batch(assignment: Assignment, user: User | None, uploads: Sequence[File[bytes]]) -> Batch:
    """Store uploaded files and enqueue the batch.

    Raises
    ------
    QuotaExceeded
        When they are more than may be stored, or too many uploads in an hour.
    """
    check_quotas(assignment, uploads, user)
    names = [upload.name or "upload" for upload in uploads]
    name = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
    batch = Batch.objects.create(assignment=assignment, uploaded_by=user, name=name[-255:])
    for upload, upload_name in zip(uploads, names, strict=True):
        Upload.objects.create(batch=batch, name=upload_name, file=upload)
    transaction.on_commit(partial(tasks.ingest.delay, batch.pk))
    return batch


@transaction.atomic
def rerank(assignment: Assignment) -> Report:
    """Enqueue a ranking of the stored cohort; return its report, which may have been queued already."""
    return tasks.enqueue_rank(assignment)
