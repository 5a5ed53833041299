"""What is being done for an assignment right now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from zlib import crc32

from submissions.models import Batch, Report
from submissions.ranking import progress
from submissions.ranking.progress import Progress

if TYPE_CHECKING:
    from submissions.models import Assignment
    from submissions.queries.reports import ReportState

WAITING = Progress("Waiting for a worker")


@dataclass(frozen=True, slots=True)
class Activity:
    """`reading`: uploads on their way to the ranking; `ranking`: how far that has come."""

    state: ReportState
    reading: list[Batch]
    ranking: Progress | None

    @property
    def is_live(self) -> bool:
        """Whether anything goes on."""
        return bool(self.reading or self.ranking)

    @property
    def version(self) -> str:
        """Another one whenever there is something new to say."""
        batches = [(one.pk, one.state, one.documents_done, one.documents_total) for one in self.reading]
        shown = self.state.shown and self.state.shown.pk
        told = (shown, self.state.pending, self.state.failed, self.state.cancelled, batches, self.ranking)
        return f"{crc32(repr(told).encode()):08x}"


def activity(of: Assignment, state: ReportState) -> Activity:
    """Tell what goes on for an assignment, whose reports' `state` is known already."""
    running = list(of.batches.filter(state__in=Batch.RUNNING))
    reading = [batch for batch in running if batch.state != Batch.State.RANKING]
    busy = state.pending or len(reading) < len(running)
    return Activity(state, reading, ranking(of) if busy else None)


def ranking(of: Assignment) -> Progress:
    """Tell how far the ranking of an assignment has come that is queued or runs."""
    unfinished = of.reports.filter(state__in=Report.UNFINISHED).order_by("pk")
    return progress.latest(unfinished.values_list("pk", flat=True)) or WAITING
