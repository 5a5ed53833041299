"""The maintenance process: it re-enqueues lost work, ends stuck work and deletes what is no longer needed.

It is no task, because a task would wait while every worker is stuck.
"""

from __future__ import annotations

import logging
import time
from datetime import timedelta
from importlib import import_module
from typing import NoReturn

from django.conf import settings
from django.db import DatabaseError, close_old_connections, transaction
from django.utils import timezone
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from moss.integrations.repositories.change import start_due
from moss.integrations.webhooks import sending as webhooks
from submissions.courses.retention import apply_retention, apply_source_retention
from submissions.models import Batch, IgnoringProposal, Job, RankingPlan, Report
from submissions.shares.links import tell_owners
from submissions.uploads import files as releasing, lifecycle
from submissions.uploads.fingerprinting import delete_unreferenced
from submissions.work import heartbeats
from submissions.work.running import STARTING, sweep_jobs

logger = logging.getLogger(__name__)

EVERY_SECONDS = 10
# A round may take some seconds where much is to be deleted.
ALIVE = timedelta(seconds=4 * EVERY_SECONDS)
# Longer than any upload takes: a source that nothing refers to after this time is not needed.
SOURCE_GRACE_PERIOD = timedelta(hours=2)
# Nobody decides about proposed lines after this time.
PROPOSAL_AGE = timedelta(days=1)


def maintain() -> NoReturn:
    """Do a round every EVERY_SECONDS, until the process ends."""
    while True:
        maintain_once()
        time.sleep(EVERY_SECONDS)


def maintain_once() -> None:
    """Do one round; an error of the database or of the broker is logged, since the next one may succeed."""
    try:
        sweep()
        apply_retention()
        apply_source_retention()
        webhooks.forget_old()
        webhooks.stop_without_right()
        start_due()
        tell_owners()
        import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
        heartbeats.save_end(heartbeats.MAINTENANCE)
    except (DatabaseError, OperationalError, RedisError) as error:
        logger.warning("lost work could not be looked for: %s", error)
    finally:
        close_old_connections()


def is_maintained() -> bool:
    """Return whether a maintenance process has completed a round lately."""
    last = heartbeats.last_end(heartbeats.MAINTENANCE)
    return last is not None and timezone.now() - last < ALIVE


def sweep() -> None:
    """Re-enqueue work lost to a crashed worker or broker, end stuck work, delete what nothing refers to."""
    sweep_jobs()
    _rank_waiting()
    releasing.delete_expired_batches()
    releasing.delete_expired_uploads()
    releasing.discard_uploads(releasing.unneeded_uploads())
    unneeded = timezone.now() - SOURCE_GRACE_PERIOD
    releasing.delete_orphans(unneeded)
    releasing.delete_unfinished(unneeded)
    delete_unreferenced(unneeded)
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
