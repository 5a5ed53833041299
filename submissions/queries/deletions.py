"""What goes with something that is to be deleted, for the page that asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from submissions.models import Assignment, Batch, Decision, Report, Share, Submission

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from submissions.models import Course


class Loss(NamedTuple):
    """So many of one thing, named in the singular and the plural."""

    number: int
    one: str
    many: str

    def __str__(self) -> str:
        return f"{self.number:,} {self.one if self.number == 1 else self.many}"


def lost_with_batch(of: Batch) -> list[Loss]:
    return _some(_submissions(of.submissions.count()))


def lost_with_assignment(of: Assignment) -> list[Loss]:
    return _lost(Assignment.objects.filter(pk=of.pk).values_list("pk", flat=True))


def lost_with_course(of: Course) -> list[Loss]:
    assignments = of.assignments.values_list("pk", flat=True)
    return _some(Loss(len(assignments), "assignment", "assignments")) + _lost(assignments)


def _lost(assignments: QuerySet[Assignment, int]) -> list[Loss]:
    return _some(
        Loss(Batch.objects.filter(assignment__in=assignments).count(), "upload", "uploads"),
        _submissions(Submission.objects.filter(batch__assignment__in=assignments).count()),
        Loss(
            Report.objects.filter(assignment__in=assignments, state=Report.State.DONE).count(),
            "report with its pairs",
            "reports with their pairs",
        ),
        Loss(Decision.objects.filter(assignment__in=assignments).count(), "decision", "decisions"),
        Loss(Share.objects.filter(assignment__in=assignments).count(), "shared link", "shared links"),
    )


def _submissions(count: int) -> Loss:
    return Loss(count, "submission with its sources", "submissions with their sources")


def _some(*losses: Loss) -> list[Loss]:
    return [loss for loss in losses if loss.number]
