"""Save who handed in the submissions of a batch, and find these students in the roster of the course."""

from __future__ import annotations

from typing import TYPE_CHECKING

from submissions.intake.layouts.places import Student
from submissions.intake.rosters import Roster
from submissions.models import Batch, Course, CourseRoster, SubmissionStudent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from submissions.intake.rosters import RosterStudent
    from submissions.models import EnrolledStudent, Submission

# Characters of the name of a submission or a student, and rows of an INSERT or UPDATE.
MAX_NAME = 400
ROWS = 1000


def stored_names(batch: Batch, names: Iterable[str]) -> dict[str, str]:
    """Return the name to store of each submission of a batch, by its name in the upload.

    A submission of earlier work, or a model solution, has the name of its upload added, so that it neither
    replaces what the same student hands in now nor is taken for that.
    """
    if batch.role == Batch.Role.CLASS:
        return {name: name for name in names}
    stored: dict[str, str] = {}
    taken: set[str] = set()
    for name in sorted(names):
        end, number = batch.name_suffix, 1
        while (unique := name[: MAX_NAME - len(end)] + end) in taken:
            number += 1
            end = f" {number}{batch.name_suffix}"
        taken.add(unique)
        stored[name] = unique
    return stored


def save_students(
    course: Course, submissions: Mapping[str, Submission], students: Mapping[str, Sequence[Student]]
) -> None:
    """Save the `students` of each of the new `submissions`, both by name, in the caller's transaction.

    A submission without students is that of a student with its name.
    """
    rows = [
        SubmissionStudent(
            submission=submission,
            name=student.name[:MAX_NAME],
            identifier=student.identifier[:MAX_NAME],
        )
        for name, submission in submissions.items()
        for student in students.get(name) or (Student(name),)
    ]
    lock_roster(course)
    enrol(course, rows)
    SubmissionStudent.objects.bulk_create(rows, batch_size=ROWS)


def lock_roster(course: Course) -> None:
    """Let no other transaction change the roster of a course or find students in it, until this one ends."""
    Course.objects.select_for_update(no_key=True).filter(pk=course.pk).first()


def enrol(course: Course, rows: Iterable[SubmissionStudent]) -> None:
    """Set `enrolled` of each row, without saving it: the student of the course's roster, or None."""
    enrolled = _enrolled_students(course)
    roster = Roster(tuple(enrolled))
    for row in rows:
        student = roster.find(Student(row.name, row.identifier))
        row.enrolled = enrolled[student] if student else None


def course_roster(course: Course) -> Roster | None:
    """Return the roster of a course; None if it has none."""
    enrolled = _enrolled_students(course)
    return Roster(tuple(enrolled)) if enrolled else None


def _enrolled_students(course: Course) -> dict[RosterStudent, EnrolledStudent]:
    roster = CourseRoster.objects.filter(course=course).first()
    return {row.as_roster_student: row for row in roster.students.all()} if roster else {}
