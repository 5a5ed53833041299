"""The roster of a course, and how it fits what was handed in."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Count, Q, TextField, Value
from django.db.models.functions import Concat, Lower

from submissions.models import Batch, CourseRoster, EnrolledStudent, SubmissionStudent

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from submissions.models import Assignment, Course

# Students of an assignment that are listed; the rest is counted.
MAX_LISTED = 50


class AssignmentRoster(NamedTuple):
    """The students of a roster in one assignment.

    `found`: number of students in the roster who handed in; `unknown`: the others who handed in, as their
    platform names them; `absent`: students in the roster who did not. Both lists are cut, and counted whole.
    """

    assignment: Assignment
    found: int
    unknown: list[str]
    unknown_count: int
    absent: list[str]
    absent_count: int


def roster_of(course: Course) -> CourseRoster | None:
    """Return the roster of a course with `student_count`, `section_count` and `team_count`, or None."""
    team = Concat("students__section", Value("/"), "students__team", output_field=TextField())
    counted = CourseRoster.objects.filter(course=course).annotate(
        student_count=Count("students"),
        section_count=Count("students__section", distinct=True, filter=~Q(students__section="")),
        team_count=Count(Lower(team), distinct=True, filter=~Q(students__team="")),
    )
    return counted.first()


def roster_size(course: Course) -> int:
    """Return the number of students in the roster of a course; 0 without one."""
    return EnrolledStudent.objects.filter(roster__course=course).count()


def roster_students(roster: CourseRoster) -> QuerySet[EnrolledStudent]:
    """Return the students of a roster, by name."""
    return roster.students.order_by("name", "login", "identifier", "pk")


def roster_by_assignment(course: Course, roster: CourseRoster) -> list[AssignmentRoster]:
    """Return how the roster fits each assignment of a course with a submission of the class."""
    enrolled = {student.pk: str(student) for student in roster_students(roster)}
    rows = SubmissionStudent.objects.filter(
        submission__batch__assignment__course=course, submission__batch__role=Batch.Role.CLASS
    )
    found: dict[int, set[int]] = defaultdict(set)
    unknown: dict[int, set[str]] = defaultdict(set)
    columns = ("submission__batch__assignment", "enrolled", "name", "identifier")
    for assignment, student, name, identifier in rows.order_by().values_list(*columns):
        if student:
            found[assignment].add(student)
        else:
            unknown[assignment].add(f"{name} ({identifier})" if identifier not in {"", name} else name)
    return [
        _fit(assignment, enrolled, found[assignment.pk], unknown[assignment.pk])
        for assignment in course.assignments.all()
        if found[assignment.pk] or unknown[assignment.pk]
    ]


def _fit(
    assignment: Assignment, enrolled: dict[int, str], found: set[int], unknown: set[str]
) -> AssignmentRoster:
    absent = [name for pk, name in enrolled.items() if pk not in found]
    listed = sorted(unknown, key=str.casefold)[:MAX_LISTED]
    return AssignmentRoster(assignment, len(found), listed, len(unknown), absent[:MAX_LISTED], len(absent))
