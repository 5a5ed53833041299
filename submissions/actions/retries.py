"""Try failed work again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from submissions import retrying, tasks
from submissions.models import Batch
from submissions.work.queues import send

if TYPE_CHECKING:
    from submissions.models import Report


def retry_batch(batch: Batch) -> bool:
    """Start a failed upload again; return False where its files are not there any more."""
    if not retrying.retry_batch(batch.pk):
        return False
    batch.refresh_from_db()
    if batch.state == Batch.State.QUEUED:
        send(tasks.unpack_next, batch.queue, batch.queue)
    else:
        tasks.enqueue_documents(batch.pk)
    return True


def retry_report(report: Report) -> bool:
    """Rank a failed report again; return False where its assignment has a newer one."""
    if not retrying.retry_report(report.pk):
        return False
    send(tasks.rank_next, report.queue, report.queue)
    return True
