"""Publish the progress of a ranking through the cache, because its transaction is invisible until it ends."""

from __future__ import annotations

import logging
import time
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

from django.core.cache import cache
from django.utils import timezone
from django.utils.translation import gettext as _
from redis.exceptions import RedisError

from submissions.models import Job, Report
from submissions.work.kinds import INTERACTIVE, INTERACTIVE_SECONDS, TakesLong

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Item = TypeVar("Item")

logger = logging.getLogger(__name__)

# The stage in which the passages of the listed pairs are found.
ALIGNING = "Aligning pairs"
# Longer than any task may run.
CACHE_SECONDS = 20 * 60
# Seconds between two updates within a stage.
UPDATE_SECONDS = 0.5
LONGEST_INTERACTIVE = timedelta(seconds=INTERACTIVE_SECONDS)


class Cancelled(Exception):
    """A user cancelled the ranking."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The stage of a ranking, and how many of its items are done; `total` is 0 where they are not counted."""

    stage: str
    done: int = 0
    total: int = 0

    @property
    def counts(self) -> str:
        return _("{done} of {total}").format(done=f"{self.done:,}", total=f"{self.total:,}")


def comparing(submissions: int) -> str:
    """Return the stage in which pairs are scored."""
    return f"Comparing {submissions:,} submissions with each other"


def publish(report_id: int, stage: str, done: int = 0, total: int = 0) -> None:
    """Publish the stage of a ranking.

    Raises
    ------
    Cancelled
        When a user cancelled the ranking.
    TakesLong
        When the ranking is in the interactive queue and takes too long for it.
    """
    _raise_if_ended(report_id)
    try:
        cache.set(_key(report_id), asdict(Progress(stage, done, total)), CACHE_SECONDS)
    except RedisError as error:  # A ranking must not fail because its progress cannot be published.
        logger.warning("the progress of report %s cannot be published: %s", report_id, error)


def track(report_id: int, stage: str, items: Iterable[Item], total: int, each: int = 1) -> Iterator[Item]:
    """Yield the items and publish how many are done, every UPDATE_SECONDS; raise what `publish` raises.

    An item counts as `each` of the total.
    """
    due = 0.0
    for number, item in enumerate(items):
        if time.monotonic() >= due:
            publish(report_id, stage, number * each, total)
            due = time.monotonic() + UPDATE_SECONDS
        yield item


def cancel_check(report_id: int) -> Callable[[], None]:
    """Return a function for frequent calls that raises what `publish` raises."""
    due = 0.0

    def check() -> None:
        nonlocal due
        if time.monotonic() >= due:
            _raise_if_ended(report_id)
            due = time.monotonic() + UPDATE_SECONDS

    return check


def _raise_if_ended(report_id: int) -> None:
    report = Report.objects.filter(pk=report_id).only("state", "assignment").first()
    if report is None:
        return
    if report.state == Report.State.CANCELLED:
        raise Cancelled
    long_ago = timezone.now() - LONGEST_INTERACTIVE
    running = Job.objects.filter(kind="rank", subject=report.assignment_id, state=Job.State.RUNNING)
    if running.filter(queue=INTERACTIVE, since__lt=long_ago).exists():
        raise TakesLong


def latest(report_ids: Iterable[int]) -> Progress | None:
    """Return the progress of the first of these rankings that has published any, or None."""
    try:
        for stored in cache.get_many([_key(pk) for pk in report_ids]).values():
            return Progress(**stored)
    except RedisError as error:  # The page can be shown without it.
        logger.warning("the progress of a ranking cannot be read: %s", error)
    return None


def _key(report_id: int) -> str:
    return f"ranking:{report_id}"
