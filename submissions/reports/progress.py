"""The work in progress on an assignment, and the progress of its ranking.

Progress goes through the cache, because the transaction of a ranking is invisible until it ends.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from zlib import crc32

from django.core.cache import cache
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext
from redis.exceptions import RedisError

from submissions.models import Assignment, Batch, BoilerplateUpload, Job, LanguageChange, Report
from submissions.reports.read import ReportState, listed_boilerplate_uploads
from submissions.uploads.lifecycle import waited_for
from submissions.uploads.rereading import open_language_change
from submissions.work import heartbeats
from submissions.work.jobs import places
from submissions.work.kinds import HEAVY, INTERACTIVE, INTERACTIVE_SECONDS, TakesLong

if TYPE_CHECKING:
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

    Raises Cancelled when a user cancelled the ranking. Raises TakesLong when the ranking is in the
    interactive queue and takes too long for it.
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
    return now_and_then(lambda: _raise_if_ended(report_id))


def now_and_then(look: Callable[[], None]) -> Callable[[], None]:
    """Return a function for frequent calls, which calls `look` once in UPDATE_SECONDS."""
    due = 0.0

    def check() -> None:
        nonlocal due
        if time.monotonic() >= due:
            look()
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


def latest_progress(report_ids: Iterable[int]) -> Progress | None:
    """Return the progress of the first of these rankings that has published any, or None."""
    try:
        for stored in cache.get_many([_key(pk) for pk in report_ids]).values():
            return Progress(**stored)
    except RedisError as error:  # The page can be shown without it.
        logger.warning("the progress of a ranking cannot be read: %s", error)
    return None


def _key(report_id: int) -> str:
    return f"ranking:{report_id}"


class UnreadUpload(NamedTuple):
    """An upload that is not read yet; `before` uploads are started before it; None where it was started."""

    batch: Batch
    before: int | None


@dataclass(frozen=True, slots=True)
class RankingProgress(Progress):
    """The progress of a ranking, with a note on workers that take no part in it; "" without any."""

    note: str = ""


@dataclass(frozen=True, slots=True)
class Activity:
    """Work in progress: `uploads` are the uploads not read yet, `ranking` is the progress of the ranking.

    `ranking` is None when no ranking is queued or running. `boilerplate`: see `listed_boilerplate_uploads`. `listed`
    are the uploads that wait for their uploader. `language` is a change of the language that goes on or has failed.
    """

    state: ReportState
    uploads: list[UnreadUpload]
    ranking: RankingProgress | None
    boilerplate: list[BoilerplateUpload]
    listed: list[Batch]
    language: LanguageChange | None

    @property
    def is_live(self) -> bool:
        is_read = any(upload.is_running for upload in self.boilerplate)
        is_changed = self.language and self.language.is_running
        return bool(self.uploads or self.ranking or is_read or is_changed)

    @property
    def version(self) -> str:
        """A checksum that changes when the displayed state changes."""
        batches = [
            (batch.pk, batch.state, batch.documents_done, batch.documents_total, before)
            for batch, before in self.uploads
        ]
        boilerplate = [(upload.pk, upload.state) for upload in self.boilerplate]
        report = self.state.report and self.state.report.pk
        listed = [batch.pk for batch in self.listed]
        change = self.language
        language = change and (change.pk, change.state, change.documents_done, change.documents_total)
        state = (report, self.state.pending, self.state.failed, self.state.cancelled, listed)
        return f"{crc32(repr((state, batches, self.ranking, boilerplate, language)).encode()):08x}"


def activity_of(assignment: Assignment, state: ReportState) -> Activity:
    """Return the work in progress on an assignment; `state` is the state of its reports."""
    unfinished = list(assignment.batches.filter(state__in=Batch.CANCELLABLE))
    running = [batch for batch in unfinished if batch.is_running]
    unread = [batch for batch in running if batch.state != Batch.State.RANKING]
    is_ranking = state.pending or len(unread) < len(running)
    ranking = ranking_progress(assignment) if is_ranking else None
    boilerplate = listed_boilerplate_uploads(assignment)
    listed = [batch for batch in unfinished if batch.is_listed]
    language = open_language_change(assignment)
    return Activity(state, _with_places(unread), ranking, boilerplate, listed, language)


def ranking_progress(assignment: Assignment) -> RankingProgress:
    reports = assignment.reports.filter(state__in=Report.UNFINISHED).annotate(planned_by=F("plan__version"))
    unfinished = list(reports.order_by("pk"))
    latest = latest_progress(report.pk for report in unfinished) or _waiting(unfinished)
    # Only a ranking in shards has a plan; any worker does another one.
    running = (report for report in unfinished if report.state == Report.State.RUNNING)
    version = next((report.planned_by for report in running), None)
    return RankingProgress(**asdict(latest), note=_other_workers(version) if version else "")


def _waiting(unfinished: Sequence[Report]) -> Progress:
    if not unfinished or unfinished[0].state != Report.State.QUEUED:
        return Progress(_("Waiting for a worker"))
    assignment = unfinished[0].assignment_id
    number = waited_for(assignment)
    if number == 0:
        return Progress(_("Waiting at most 70 seconds for more hand-ins, to rank them together"))
    if number:
        waiting = ngettext(
            "Waiting until {n} other upload is read, at most 40 seconds",
            "Waiting until {n} other uploads are read, at most 40 seconds",
            number,
        )
    elif number := places("rank", [assignment]).get(assignment, 0):
        waiting = ngettext(
            "Waiting: {n} ranking is before this one", "Waiting: {n} rankings are before this one", number
        )
    else:
        return Progress(_("Waiting for a worker"))
    return Progress(waiting.format(n=number))


def _other_workers(version: str) -> str:
    """Return which workers refuse a ranking that was cut into shards by a version, and what to do; or ""."""
    alive = heartbeats.answering(HEAVY)
    others = [worker.title for worker in alive if worker.version != version]
    if not others:
        return ""
    refusal = ngettext(
        "The worker {names} does not take part: the ranking was begun by version {version}.",
        "The workers {names} do not take part: the ranking was begun by version {version}.",
        len(others),
    )
    sentences = [refusal.format(names=", ".join(others), version=version)]
    is_alone = len(others) == len(alive)
    if is_alone:
        sentences.append(_("No other worker is there."))
    if version == heartbeats.package_version():
        advice = ngettext(
            "Restart this worker with version {version}.", "Restart these workers with version {version}.", len(others)
        )
        sentences.append(advice.format(version=version))
    elif is_alone:
        sentences.append(_("The ranking will begin again by itself."))
    return " ".join(sentences)


def uploads_before(batch: Batch) -> int | None:
    """Return how many uploads will be started before a waiting batch; None where it was started."""
    return _with_places([batch])[0].before


def _with_places(batches: list[Batch]) -> list[UnreadUpload]:
    waiting = [batch.pk for batch in batches if batch.state == Batch.State.QUEUED]
    before = dict.fromkeys(waiting, 0) | places("unpack", waiting)
    return [UnreadUpload(batch, before.get(batch.pk)) for batch in batches]
