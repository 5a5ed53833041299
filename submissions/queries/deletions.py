"""Counts of the records that a deletion includes, for the confirmation page."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.utils.translation import ngettext

from submissions.models import Assignment, Batch, Decision, EnrolledStudent, Report, Share, Submission

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from submissions.models import Course


class LostRecords(NamedTuple):
    """A number of records of one kind; `text` says it in words, with {n} for the number."""

    number: int
    text: str

    def __str__(self) -> str:
        return self.text.format(n=f"{self.number:,}")


def lost_with_batch(batch: Batch) -> list[LostRecords]:
    return _not_empty(_submissions(batch.submissions.count()))


def lost_with_assignment(assignment: Assignment) -> list[LostRecords]:
    return _lost_with_assignments(Assignment.objects.filter(pk=assignment.pk).values_list("pk", flat=True))


def lost_with_course(course: Course) -> list[LostRecords]:
    assignments = course.assignments.values_list("pk", flat=True)
    count = len(assignments)
    own = LostRecords(count, ngettext("{n} assignment", "{n} assignments", count))
    students = EnrolledStudent.objects.filter(roster__course=course).count()
    enrolled = LostRecords(
        students, ngettext("{n} student in the roster", "{n} students in the roster", students)
    )
    return _not_empty(own, enrolled) + _lost_with_assignments(assignments)


def _lost_with_assignments(assignments: QuerySet[Assignment, int]) -> list[LostRecords]:
    uploads = Batch.objects.filter(assignment__in=assignments).exclude(role=Batch.Role.OTHER)
    count = uploads.count()
    reports = Report.objects.filter(assignment__in=assignments, state=Report.State.DONE).count()
    decisions = Decision.objects.filter(assignment__in=assignments).count()
    shares = Share.objects.filter(assignment__in=assignments).count()
    return _not_empty(
        LostRecords(count, ngettext("{n} upload", "{n} uploads", count)),
        _submissions(Submission.objects.filter(batch__in=uploads).count()),
        _copies(Submission.objects.filter(origin__batch__in=uploads).count()),
        LostRecords(reports, ngettext("{n} report with its pairs", "{n} reports with their pairs", reports)),
        LostRecords(decisions, ngettext("{n} decision", "{n} decisions", decisions)),
        LostRecords(shares, ngettext("{n} shared link", "{n} shared links", shares)),
    )


def _submissions(count: int) -> LostRecords:
    text = ngettext("{n} submission with its sources", "{n} submissions with their sources", count)
    return LostRecords(count, text)


def _copies(count: int) -> LostRecords:
    text = ngettext(
        "{n} submission in the report of another assignment, with its pairs",
        "{n} submissions in the reports of other assignments, with their pairs",
        count,
    )
    return LostRecords(count, text)


def _not_empty(*records: LostRecords) -> list[LostRecords]:
    return [record for record in records if record.number]
