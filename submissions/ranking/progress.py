"""How far a ranking has come: told through the cache, since its transaction shows nothing until it ends."""

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
# Between two signs of life of a loop.
STEP_SECONDS = 0.5


class Cancelled(Exception):
    """The ranking is no longer wanted."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What a ranking is `doing`; `done` of `total` where that can be counted."""

    doing: str
    done: int = 0
    total: int = 0

    @property
    def counts(self) -> str:
        return f"{self.done:,} of {self.total:,}"


def tell(report_id: int, doing: str, done: int = 0, total: int = 0) -> None:
    """Say what a ranking does from now on.

    Raises
    ------
    Cancelled
        When somebody cancelled it meanwhile.
    """
    if Report.objects.filter(pk=report_id, state=Report.State.CANCELLED).exists():
        raise Cancelled
    try:
        cache.set(_key(report_id), asdict(Progress(doing, done, total)), KEPT_SECONDS)
    except RedisError as error:  # a ranking is worth more than the word of it
        logger.warning("the progress of report %s cannot be told: %s", report_id, error)


def counted(report_id: int, doing: str, items: Iterable[Item], total: int) -> Iterator[Item]:
    """Pass items on and tell twice a second how many have been, raising as `tell` does."""
    due = 0.0
    for number, item in enumerate(items):
        if time.monotonic() >= due:
            tell(report_id, doing, number, total)
            due = time.monotonic() + STEP_SECONDS
        yield item


def told(report_ids: Iterable[int]) -> Progress | None:
    """Give what the first of these rankings that said anything is doing."""
    try:
        for kept in cache.get_many([_key(pk) for pk in report_ids]).values():
            return Progress(**kept)
    except RedisError as error:  # the page has more to say than this
        logger.warning("the progress of a ranking cannot be read: %s", error)
    return None


def _key(report_id: int) -> str:
    return f"ranking:{report_id}"
