"""Queue failed work again, for the staff, and slow work in the heavy queue; each change is a log line."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F

from submissions.lifecycle import change_batches, change_reports
from submissions.models import Batch, Report, Submission, Upload
from submissions.work.queues import HEAVY

RETRIED = "retried by staff"


@transaction.atomic
def retry_batch(batch_id: int) -> bool:
    """Have a failed batch unpacked again, or read if its files are not needed. Return whether it can be."""
    failed = Batch.objects.filter(pk=batch_id, state=Batch.State.FAILED)
    stored = failed.filter(pk__in=Upload.objects.values("batch"))
    if change_batches(stored, Batch.State.QUEUED, reason=RETRIED):
        return True
    unpacked = failed.filter(pk__in=Submission.objects.values("batch"))
    return change_batches(unpacked, Batch.State.FINGERPRINTING, reason=RETRIED)


def retry_report(report_id: int) -> bool:
    """Queue a failed report again, for the batches that failed with it too, unless there is a newer one."""
    failed = Report.objects.filter(pk=report_id, state=Report.State.FAILED)
    for report in failed.exclude(assignment__reports__pk__gt=report_id):
        batches = report.assignment.batches.filter(state=Batch.State.FAILED, message=report.message)
        with transaction.atomic():  # The batches that failed while they were ranked have been read.
            unpacked = batches.filter(pk__in=Submission.objects.values("batch"))
            change_batches(unpacked, Batch.State.RANKING, reason=RETRIED)
            return change_reports(failed, Report.State.QUEUED, RETRIED, attempts=0, message="")
    return False


def make_report_heavy(report_id: int, reason: str) -> bool:
    """Queue a started report again in the heavy queue; that was no attempt."""
    running = Report.objects.filter(pk=report_id, state=Report.State.RUNNING)
    return change_reports(running, Report.State.QUEUED, reason, queue=HEAVY, attempts=F("attempts") - 1)
