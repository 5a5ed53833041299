"""Other assignments that an assignment is compared with, or may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from submissions.models import Assignment, Batch
from submissions.permissions import Right, courses_with
from submissions.queries.withheld import readable_submissions

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import QuerySet

    from submissions.models import Report
    from submissions.models.records import ComparedAssignment


class ListedComparison(NamedTuple):
    """Another assignment that a report was compared with, and how many of its submissions are in a pair.

    `assignment` is None once it was deleted.
    """

    compared: ComparedAssignment
    assignment: Assignment | None
    listed: int

    @property
    def incomparable(self) -> int:
        """Number of submissions without a file in a language of the class."""
        return self.compared.submissions - self.compared.comparable - self.compared.another_version


def comparable_assignments(assignment: Assignment, user: User) -> QuerySet[Assignment]:
    """Return the other assignments that an assignment can be compared with, by course, newest first.

    They are of courses that `user` may change and that have the same owner, who reads the pairs.
    """
    readable = courses_with(user, Right.CHANGE).filter(owner=assignment.course.owner_id)
    others = Assignment.objects.filter(course__in=readable).exclude(pk=assignment.pk)
    return others.select_related("course").order_by("course__name", "course", "-created", "-pk")


def comparisons_of_others(assignment: Assignment, user: User) -> QuerySet[Assignment]:
    """Return the assignments that an assignment is compared with and that `user` cannot choose."""
    offered = comparable_assignments(assignment, user)
    return assignment.compared_with.exclude(pk__in=offered.order_by().values("pk"))


def listed_comparisons(report: Report) -> list[ListedComparison]:
    """Return the other assignments that a report was compared with, in the order of their labels."""
    compared = report.findings.compared if report.findings else []
    if not compared:
        return []
    existing = Assignment.objects.in_bulk([one.assignment for one in compared])
    origins = readable_submissions(report).filter(batch__role=Batch.Role.OTHER).order_by()
    numbers = list(origins.values_list("batch__origin", flat=True))
    listed = [
        ListedComparison(one, existing.get(one.assignment), numbers.count(one.assignment)) for one in compared
    ]
    return sorted(listed, key=lambda row: row.compared.label.casefold())


def has_earlier_work(report: Report) -> bool:
    """Return whether a report has submissions that are not of the class itself."""
    return readable_submissions(report).exclude(batch__role=Batch.Role.CLASS).exists()
