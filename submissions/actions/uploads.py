"""Upload files, and start or cancel their processing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction

from submissions import tasks
from submissions.actions.stored_files import store_files, upload_name
from submissions.lifecycle import cancel_batch, cancel_ranking
from submissions.models import Batch, Report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.contrib.auth.models import User
    from django.core.files import File

    from submissions.models import Assignment

__all__ = ["cancel_batch", "cancel_ranking", "create_batch", "rerank"]


@transaction.atomic
def create_batch(assignment: Assignment, user: User | None, uploads: Sequence[File[bytes]]) -> Batch:
    """Store uploaded files and enqueue the batch."""
    batch = Batch.objects.create(assignment=assignment, uploaded_by=user, name=upload_name(uploads))
    store_files(uploads, batch=batch)
    transaction.on_commit(partial(tasks.send, tasks.ingest, batch.pk))
    return batch


@transaction.atomic
def rerank(assignment: Assignment) -> Report:
    """Enqueue a ranking of the stored cohort; return its report, which may have been queued already."""
    return tasks.enqueue_rank(assignment)
