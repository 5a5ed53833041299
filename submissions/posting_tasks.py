"""The Celery task that merges the runs of postings; running it twice is safe."""

from __future__ import annotations

from celery import shared_task

from submissions.queues import HEAVY, send
from submissions.storage.posting_runs import merge_runs

# Runs of very many documents take minutes; the limit only ends a merge that would never end.
LONGEST_SECONDS = 60 * 60
# Postings that are merged before old work is looked up: about a second's work.
AT_ONCE = 1_000_000


@shared_task(soft_time_limit=LONGEST_SECONDS, time_limit=LONGEST_SECONDS + 60)
def merge_postings() -> None:
    """Merge runs of about the same size, and write those anew that lost documents."""
    merge_runs()


def enqueue_merging() -> None:
    """Have a worker merge what documents that were added or deleted have left."""
    send(merge_postings, HEAVY)


def merge_small() -> None:
    """Merge the runs of the last uploads, which a look-up would otherwise probe one by one."""
    merge_runs(AT_ONCE)
