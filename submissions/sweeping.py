"""Find lost and stuck work and what nothing needs any more; `moss maintain` calls it every ten seconds."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from submissions import lifecycle
from submissions.ingest import uploads
from submissions.ingest.documents import delete_unreferenced
from submissions.ingest.releasing import delete_expired
from submissions.ingest.uploads import delete_orphans, delete_unfinished, discard_uploads, unneeded_uploads
from submissions.models import Batch, IgnoringProposal, Job, RankingPlan, Report
from submissions.work.stuck import STARTING, sweep_jobs

logger = logging.getLogger(__name__)

# Longer than any upload takes: a source that nothing refers to after this time is not needed.
SOURCE_GRACE_PERIOD = timedelta(hours=2)
# Nobody decides about proposed lines after this time.
PROPOSAL_AGE = timedelta(days=1)


def sweep() -> None:
    """Re-enqueue work lost to a crashed worker or broker, end stuck work, delete what nothing refers to."""
    sweep_jobs()
    _rank_waiting()
    delete_expired()
    uploads.delete_expired()
    discard_uploads(unneeded_uploads())
    delete_orphans(timezone.now() - SOURCE_GRACE_PERIOD)
    delete_unfinished(timezone.now() - SOURCE_GRACE_PERIOD)
    delete_unreferenced(timezone.now() - SOURCE_GRACE_PERIOD)
    IgnoringProposal.objects.filter(created__lt=timezone.now() - PROPOSAL_AGE).delete()


def _rank_waiting() -> None:
    """Enqueue the rankings of batches that wait for a report although none is coming."""
    RankingPlan.objects.exclude(report__state=Report.State.RUNNING).delete()
    waiting = Batch.objects.filter(state=Batch.State.RANKING, touched__lt=timezone.now() - STARTING)
    ranked = Job.objects.filter(kind="rank").exclude(state=Job.State.FAILED).values("subject")
    for batch in waiting.exclude(assignment__in=ranked).select_related("assignment__course"):
        logger.warning("batch %s waits for no report: one is enqueued", batch.pk)
        with transaction.atomic():
            lifecycle.enqueue_rank(batch.assignment)
