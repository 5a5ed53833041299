"""The two queues of the workers, and what goes into which.

Some worker processes serve only the interactive queue, so that short work never waits for long work; the
others serve both, the interactive one first. docs/decisions/009-two-queues.md explains it.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from kombu.exceptions import OperationalError

if TYPE_CHECKING:
    from celery import Task

logger = logging.getLogger(__name__)

INTERACTIVE, HEAVY = "interactive", "heavy"
QUEUES = (INTERACTIVE, HEAVY)

# The queue and the priority of each task: 0 is served first, 9 last. Of the interactive work, what is nearest
# to its end goes first, so that a batch that was started is not overtaken by batches that wait.
PRIORITIES = {
    "rank_next": 0,
}
RANKING_PRIORITIES = {"merge_ranking": 0, "score_shard": 0}
ROUTES: dict[str, dict[str, Any]] = {
    f"submissions.{module}.{task}": {"queue": INTERACTIVE, "priority": priority}
    for module, priorities in (
        ("tasks", PRIORITIES),
        ("ranking_tasks", RANKING_PRIORITIES),
    )
    for task, priority in priorities.items()
}
# Heavy work is served in the order of its messages, after all interactive work.
HEAVY_ROUTE: dict[str, Any] = {"queue": HEAVY, "priority": 9}

# Work up to these sizes takes a worker a few seconds. A class of 100 short programs is within all of them.
SMALL_UPLOAD_BYTES = 2_000_000
SMALL_BATCH_FILES = 100
SMALL_COHORT_FILES = 200
SMALL_COHORT_TOKENS = 500_000
# What takes longer than its size promised goes on in the heavy queue after this time, in seconds.
INTERACTIVE_SECONDS = 20


class TakesLong(Exception):
    """Interactive work took longer than INTERACTIVE_SECONDS; it belongs into the heavy queue."""


def upload_queue(size: int) -> str:
    """Return the queue of an upload of `size` bytes."""
    return INTERACTIVE if size <= SMALL_UPLOAD_BYTES else HEAVY


def cohort_queue(files: int, tokens: int) -> str:
    """Return the queue of the ranking of a cohort."""
    return INTERACTIVE if files <= SMALL_COHORT_FILES and tokens <= SMALL_COHORT_TOKENS else HEAVY


def send(task: Task[..., None], queue: str, *arguments: object) -> None:
    """Send a message to one of the queues; while the broker is away, leave that to the sweep."""
    try:
        task.apply_async(arguments, **(HEAVY_ROUTE if queue == HEAVY else {}))
    except OperationalError as error:
        logger.warning("%s is enqueued later: the broker does not answer: %s", task.name, error)
