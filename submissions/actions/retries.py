"""Try failed work again; each change is a line of the log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from submissions.lifecycle import change_batches, change_reports
from submissions.models import Batch, Report, Submission, Upload
from submissions.reading import enqueue_documents, enqueue_unpacking
from submissions.work import jobs
from submissions.work.kinds import INTERACTIVE

if TYPE_CHECKING:
    from django.db.models import QuerySet

RETRIED = "retried by staff"


@transaction.atomic
def retry_batch(batch: Batch) -> bool:
    """Have a failed upload unpacked again, or read if its files are not needed. Return whether it can be."""
    failed = Batch.objects.filter(pk=batch.pk, state=Batch.State.FAILED)
    stored = failed.filter(pk__in=Upload.objects.values("batch"))
    if change_batches(stored, Batch.State.QUEUED, reason=RETRIED):
        enqueue_unpacking(batch)
        return True
    is_read = change_batches(_unpacked(failed), Batch.State.FINGERPRINTING, reason=RETRIED)
    if is_read:
        enqueue_documents(batch.pk, INTERACTIVE)
    return is_read


def _unpacked(batches: QuerySet[Batch]) -> QuerySet[Batch]:
    return batches.filter(pk__in=Submission.objects.values("batch"))


@transaction.atomic
def retry_report(report: Report) -> bool:
    """Rank a failed report again, for the batches that failed with it too, unless there is a newer one."""
    failed = Report.objects.filter(pk=report.pk, state=Report.State.FAILED)
    if not failed.exclude(assignment__reports__pk__gt=report.pk).exists():
        return False
    batches = report.assignment.batches.filter(state=Batch.State.FAILED, message=report.message)
    change_batches(_unpacked(batches), Batch.State.RANKING, reason=RETRIED)  # They have been read.
    jobs.enqueue("rank", report.assignment_id, user=report.assignment.course.owner_id)
    return change_reports(failed, Report.State.QUEUED, RETRIED, message="")
