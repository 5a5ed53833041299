"""The work in progress on an assignment."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from django.db.models import F
from django.utils.translation import gettext as _, ngettext

from submissions.models import Batch, Report
from submissions.queries.comparisons import open_language_change
from submissions.queries.exclusions import listed_boilerplate_uploads
from submissions.ranking import progress
from submissions.ranking.progress import Progress
from submissions.work import heartbeats
from submissions.work.kinds import HEAVY
from submissions.work.turns import places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from submissions.models import Assignment, BoilerplateUpload, LanguageChange
    from submissions.queries.reports import ReportState


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

    `ranking` is None when no ranking is queued or running. `boilerplate`: see `listed_boilerplate_uploads`.
    `listed` are the uploads that wait for their uploader. `language` is a change of the language that goes on
    or has failed.
    """

    state: ReportState
    uploads: list[UnreadUpload]
    ranking: RankingProgress | None
    boilerplate: list[BoilerplateUpload]
    listed: list[Batch]
    language: LanguageChange | None

    @property
    def is_live(self) -> bool:
        """True if any work is in progress."""
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
    """Return the progress of an assignment's queued or running ranking."""
    reports = assignment.reports.filter(state__in=Report.UNFINISHED).annotate(planned_by=F("plan__version"))
    unfinished = list(reports.order_by("pk"))
    latest = progress.latest(report.pk for report in unfinished) or _waiting(unfinished)
    # Only a ranking in shards has a plan; any worker does another one.
    running = (report for report in unfinished if report.state == Report.State.RUNNING)
    version = next((report.planned_by for report in running), None)
    return RankingProgress(**asdict(latest), note=_other_workers(version) if version else "")


def _waiting(unfinished: Sequence[Report]) -> Progress:
    if not unfinished or unfinished[0].state != Report.State.QUEUED:
        return Progress(_("Waiting for a worker"))
    assignment = unfinished[0].assignment_id
    before = places("rank", [assignment]).get(assignment, 0)
    if before == 0:
        return Progress(_("Waiting for a worker"))
    waiting = ngettext(
        "Waiting: {n} ranking is before this one", "Waiting: {n} rankings are before this one", before
    )
    return Progress(waiting.format(n=before))


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
            "Restart this worker with version {version}.",
            "Restart these workers with version {version}.",
            len(others),
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
    before = places("unpack", waiting) if waiting else {}
    return [
        UnreadUpload(batch, before.get(batch.pk, 0) if batch.pk in waiting else None) for batch in batches
    ]
