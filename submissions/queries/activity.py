"""The work in progress on an assignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from zlib import crc32

from submissions.models import Batch, Report
from submissions.queries.exclusions import listed_boilerplate_uploads
from submissions.ranking import progress
from submissions.ranking.progress import Progress

if TYPE_CHECKING:
    from submissions.models import Assignment, BoilerplateUpload
    from submissions.queries.reports import ReportState

WAITING = Progress("Waiting for a worker")


@dataclass(frozen=True, slots=True)
class Activity:
    """Work in progress: `batches` are the uploads not read yet, `ranking` is the progress of the ranking.

    `ranking` is None when no ranking is queued or running. `boilerplate`: see `listed_boilerplate_uploads`.
    """

    state: ReportState
    batches: list[Batch]
    ranking: Progress | None
    boilerplate: list[BoilerplateUpload]

    @property
    def is_live(self) -> bool:
        """Whether any work is in progress."""
        is_read = any(upload.is_running for upload in self.boilerplate)
        return bool(self.batches or self.ranking or is_read)

    @property
    def version(self) -> str:
        """A checksum that changes when the displayed state changes."""
        batches = [
            (batch.pk, batch.state, batch.documents_done, batch.documents_total) for batch in self.batches
        ]
        boilerplate = [(upload.pk, upload.state) for upload in self.boilerplate]
        report = self.state.report and self.state.report.pk
        state = (report, self.state.pending, self.state.failed, self.state.cancelled)
        return f"{crc32(repr((state, batches, self.ranking, boilerplate)).encode()):08x}"


def activity(assignment: Assignment, state: ReportState) -> Activity:
    """Return the work in progress on an assignment; `state` is the state of its reports."""
    running = list(assignment.batches.filter(state__in=Batch.RUNNING))
    unread = [batch for batch in running if batch.state != Batch.State.RANKING]
    is_ranking = state.pending or len(unread) < len(running)
    ranking = ranking_progress(assignment) if is_ranking else None
    return Activity(state, unread, ranking, listed_boilerplate_uploads(assignment))


def ranking_progress(assignment: Assignment) -> Progress:
    """Return the progress of an assignment's queued or running ranking."""
    unfinished = assignment.reports.filter(state__in=Report.UNFINISHED).order_by("pk")
    return progress.latest(unfinished.values_list("pk", flat=True)) or WAITING
