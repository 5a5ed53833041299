"""Counts of the records that a deletion includes, for the confirmation page."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from submissions.models import Assignment, Batch, Decision, EnrolledStudent, Report, Share, Submission

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from submissions.models import Course


class LostRecords(NamedTuple):
    """A number of records of one kind; `str()` returns it with the singular or plural name."""

    number: int
    singular: str
    plural: str

    def __str__(self) -> str:
        return f"{self.number:,} {self.singular if self.number == 1 else self.plural}"


def lost_with_batch(batch: Batch) -> list[LostRecords]:
    return _not_empty(_submissions(batch.submissions.count()))


def lost_with_assignment(assignment: Assignment) -> list[LostRecords]:
    return _lost_with_assignments(Assignment.objects.filter(pk=assignment.pk).values_list("pk", flat=True))


def lost_with_course(course: Course) -> list[LostRecords]:
    assignments = course.assignments.values_list("pk", flat=True)
    own = LostRecords(len(assignments), "assignment", "assignments")
    students = EnrolledStudent.objects.filter(roster__course=course).count()
    enrolled = LostRecords(students, "student in the roster", "students in the roster")
    return _not_empty(own, enrolled) + _lost_with_assignments(assignments)


def _lost_with_assignments(assignments: QuerySet[Assignment, int]) -> list[LostRecords]:
    uploads = Batch.objects.filter(assignment__in=assignments).exclude(role=Batch.Role.OTHER)
    return _not_empty(
        LostRecords(uploads.count(), "upload", "uploads"),
        _submissions(Submission.objects.filter(batch__in=uploads).count()),
        LostRecords(
            Submission.objects.filter(origin__batch__in=uploads).count(),
            "submission in the report of another assignment, with its pairs",
            "submissions in the reports of other assignments, with their pairs",
        ),
        LostRecords(
            Report.objects.filter(assignment__in=assignments, state=Report.State.DONE).count(),
            "report with its pairs",
            "reports with their pairs",
        ),
        LostRecords(Decision.objects.filter(assignment__in=assignments).count(), "decision", "decisions"),
        LostRecords(Share.objects.filter(assignment__in=assignments).count(), "shared link", "shared links"),
    )


def _submissions(count: int) -> LostRecords:
    return LostRecords(count, "submission with its sources", "submissions with their sources")


def _not_empty(*records: LostRecords) -> list[LostRecords]:
    return [record for record in records if record.number]
