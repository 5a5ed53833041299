"""Try failed work again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from submissions import ranking_tasks, retrying
from submissions.models import Batch
from submissions.reading import enqueue_documents, enqueue_unpacking
from submissions.work.queues import INTERACTIVE, send

if TYPE_CHECKING:
    from submissions.models import Report


@transaction.atomic
def retry_batch(batch: Batch) -> bool:
    """Start a failed upload again; return False where its files are not there any more."""
    if not retrying.retry_batch(batch.pk):
        return False
    batch.refresh_from_db()
    if batch.state == Batch.State.QUEUED:
        enqueue_unpacking(batch)
    else:
        enqueue_documents(batch.pk, INTERACTIVE)
    return True


def retry_report(report: Report) -> bool:
    """Rank a failed report again; return False where its assignment has a newer one."""
    if not retrying.retry_report(report.pk):
        return False
    send(ranking_tasks.rank_next, report.queue, report.queue)
    return True
