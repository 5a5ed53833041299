"""Find lost and stuck work and what nothing needs any more; `moss maintain` calls it every ten seconds."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from submissions import lifecycle, ranking_tasks, recovery
from submissions.ingest import resumable
from submissions.ingest.documents import delete_unreferenced
from submissions.ingest.expiry import delete_expired
from submissions.ingest.uploads import delete_orphans, delete_unfinished, discard_uploads, unneeded_uploads
from submissions.models import RankingPlan, RankingShard, Report
from submissions.work.finding import sweep_jobs
from submissions.work.queues import HEAVY, send

logger = logging.getLogger(__name__)

# Longer than any upload takes: a source that nothing refers to after this time is not needed.
SOURCE_GRACE_PERIOD = timedelta(hours=2)


def sweep() -> None:
    """Re-enqueue work lost to a crashed worker or broker, end stuck work, delete what nothing refers to."""
    sweep_jobs()
    recovery.end_stuck_work()
    _restart_rankings()
    delete_expired()
    resumable.delete_expired()
    discard_uploads(unneeded_uploads())
    delete_orphans(timezone.now() - SOURCE_GRACE_PERIOD)
    delete_unfinished(timezone.now() - SOURCE_GRACE_PERIOD)
    delete_unreferenced(timezone.now() - SOURCE_GRACE_PERIOD)


def _restart_rankings() -> None:
    for pk, queue in recovery.lost_reports():
        if lifecycle.requeue_report(pk, "its worker or its message was lost"):
            send(ranking_tasks.rank_next, queue, queue)
    for pk in recovery.outdated_reports():
        if lifecycle.requeue_report(pk, "it was begun by a version of which no worker is left"):
            send(ranking_tasks.rank_next, HEAVY, HEAVY)
    _restart_shards()
    for batch in recovery.unranked_batches():
        logger.warning("batch %s waits for no report: one is enqueued", batch.pk)
        with transaction.atomic():
            ranking_tasks.enqueue_rank(batch.assignment)


def _restart_shards() -> None:
    RankingPlan.objects.exclude(report__state=Report.State.RUNNING).delete()
    for pk in recovery.lost_shards()[: ranking_tasks.SHARDS_AT_ONCE]:
        logger.warning("shard %s of a ranking is enqueued again: its worker or its message was lost", pk)
        RankingShard.objects.filter(pk=pk).update(touched=timezone.now())
        send(ranking_tasks.score_shard, HEAVY, pk)
    for pk in recovery.unmerged_reports():
        logger.warning("report %s: merging its shards is enqueued again", pk)
        RankingPlan.objects.filter(report=pk).update(touched=timezone.now())
        send(ranking_tasks.merge_ranking, HEAVY, pk)
