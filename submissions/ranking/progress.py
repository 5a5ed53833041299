"""Progress of a ranking, published through the cache: its transaction shows nothing until it ends."""

from __future__ import annotations

import logging
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TypeVar

from django.core.cache import cache
from redis.exceptions import RedisError

from submissions.models import Report

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Item = TypeVar("Item")

logger = logging.getLogger(__name__)

# Longer than any task may run.
KEPT_SECONDS = 20 * 60
# Seconds between two updates of a loop.
STEP_SECONDS = 0.5


class Cancelled(Exception):
    """Somebody cancelled the ranking."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The stage of a ranking; `done` of `total` where that can be counted."""

    stage: str
    done: int = 0
    total: int = 0

    @property
    def counts(self) -> str:
        return f"{self.done:,} of {self.total:,}"


def publish(report_id: int, stage: str, done: int = 0, total: int = 0) -> None:
    """Publish the stage of a ranking.

    Raises
    ------
    Cancelled
        When somebody cancelled it meanwhile.
    """
    if Report.objects.filter(pk=report_id, state=Report.State.CANCELLED).exists():
        raise Cancelled
    try:
        cache.set(_key(report_id), asdict(Progress(stage, done, total)), KEPT_SECONDS)
    except RedisError as error:  # Do not fail a ranking because its progress cannot be published.
        logger.warning("the progress of report %s cannot be published: %s", report_id, error)


def counted(report_id: int, stage: str, items: Iterable[Item], total: int) -> Iterator[Item]:
    """Yield the items, and publish twice a second how many there have been; raises as `publish` does."""
    due = 0.0
    for number, item in enumerate(items):
        if time.monotonic() >= due:
            publish(report_id, stage, number, total)
            due = time.monotonic() + STEP_SECONDS
        yield item


def latest(report_ids: Iterable[int]) -> Progress | None:
    """Return the progress of the first of these rankings that published any."""
    try:
        for stored in cache.get_many([_key(pk) for pk in report_ids]).values():
            return Progress(**stored)
    except RedisError as error:  # The page shows the rest without it.
        logger.warning("the progress of a ranking cannot be read: %s", error)
    return None


def _key(report_id: int) -> str:
    return f"ranking:{report_id}"
