"""Upload files, and start or cancel their processing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction

from submissions import queues, tasks
from submissions.actions.quotas import check_quotas
from submissions.actions.stored_files import store_files, upload_name
from submissions.archives.left_out.patterns import RULE_SIGN
from submissions.lifecycle import cancel_batch, cancel_ranking
from submissions.models import Batch, Report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.contrib.auth.models import User
    from django.core.files import File

    from submissions.models import Assignment

__all__ = ["cancel_batch", "cancel_ranking", "count_rule", "create_batch", "rerank"]


@transaction.atomic
def create_batch(assignment: Assignment, user: User | None, uploads: Sequence[File[bytes]]) -> Batch:
    """Store uploaded files and enqueue the batch.

    Raises
    ------
    QuotaExceeded
        When they are more than may be stored, or too many uploads in an hour.
    """
    check_quotas(assignment, uploads, user)
    queue = queues.upload_queue(sum(upload.size for upload in uploads))
    name = upload_name(uploads)
    batch = Batch.objects.create(assignment=assignment, uploaded_by=user, name=name, queue=queue)
    store_files(uploads, batch=batch)
    transaction.on_commit(partial(queues.send, tasks.unpack_next, queue, queue))
    return batch


@transaction.atomic
def count_rule(assignment: Assignment, rule: str) -> None:
    """Let the files count that a rule leaves out, in the next uploads."""
    locked = type(assignment).objects.select_for_update().get(pk=assignment.pk)
    line = RULE_SIGN + rule
    lines = locked.include_patterns.splitlines()
    if line not in lines:
        locked.include_patterns = "\n".join([*lines, line])
        locked.save(update_fields=["include_patterns"])


@transaction.atomic
def rerank(assignment: Assignment) -> Report:
    """Enqueue a ranking of the stored cohort; return its report, which may have been queued already."""
    return tasks.enqueue_rank(assignment)
