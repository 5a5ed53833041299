"""Add, replace and remove the roster of a course, and find its students among those who handed in."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from django.db import transaction

from submissions.enrolment import ROWS, enrol, lock_roster
from submissions.ingest.later import LATER, NotYet
from submissions.ingest.sandboxed import grouping_reader
from submissions.intake.roster_sentences import NOT_READ_YET
from submissions.intake.rosters import RosterRefused
from submissions.lifecycle import enqueue_rank
from submissions.mates import mate_keys
from submissions.models import CourseRoster, EnrolledStudent, Report, Submission, SubmissionStudent

if TYPE_CHECKING:
    from submissions.intake.rosters import Roster
    from submissions.models import Assignment, Course

# Problems of a roster that are stored; the rest is counted.
MAX_PROBLEMS = 100


def read_roster(data: bytes) -> Roster:
    """Return the roster in a CSV file; it is read in a child, as students wrote parts of it.

    Raises
    ------
    RosterRefused
    """
    reader, digest = grouping_reader(), sha256(data).digest()
    try:
        roster: Roster = LATER.get(("roster", digest), digest, lambda: partial(reader.roster, data))
    except NotYet:
        raise RosterRefused(NOT_READ_YET) from None
    return roster


@transaction.atomic
def replace_roster(course: Course, name: str, roster: Roster) -> CourseRoster:
    """Store the roster of a course instead of an earlier one; `name` is that of its file.

    The submissions of all assignments get the students of this roster. Assignments in which other submissions
    are now of one student or team are ranked again.
    """
    lock_roster(course)
    before = _mates(course)
    CourseRoster.objects.filter(course=course).delete()
    stored = CourseRoster.objects.create(
        course=course,
        name=name[-255:],
        problems=[str(problem) for problem in roster.problems[:MAX_PROBLEMS]],
        problem_count=len(roster.problems),
    )
    students = [EnrolledStudent(roster=stored, **student._asdict()) for student in roster.students]
    EnrolledStudent.objects.bulk_create(students, batch_size=ROWS)
    _enrol_all(course)
    _rank_changed(course, before)
    return stored


@transaction.atomic
def remove_roster(course: Course) -> None:
    """Delete the roster of a course with its students; submissions have the names of their uploads again."""
    lock_roster(course)
    before = _mates(course)
    CourseRoster.objects.filter(course=course).delete()
    _rank_changed(course, before)


def _enrol_all(course: Course) -> None:
    rows = list(SubmissionStudent.objects.filter(submission__batch__assignment__course=course))
    enrol(course, rows)
    enrolled = [row for row in rows if row.enrolled_id]
    SubmissionStudent.objects.bulk_update(enrolled, ["enrolled"], batch_size=ROWS)


def _mates(course: Course) -> dict[int, set[frozenset[int]]]:
    """Return the groups of submissions of one student or team of each ranked assignment, by primary keys."""
    ranked = course.assignments.filter(reports__state=Report.State.DONE).distinct()
    return {assignment.pk: _groups(assignment) for assignment in ranked}


def _groups(assignment: Assignment) -> set[frozenset[int]]:
    if assignment.compare_mates:
        return set()
    members: dict[object, set[int]] = defaultdict(set)
    for pk, keys in mate_keys(assignment, Submission.objects.filter(batch__assignment=assignment)).items():
        for key in keys:
            members[key].add(pk)
    return {frozenset(group) for group in members.values() if len(group) > 1}


def _rank_changed(course: Course, before: dict[int, set[frozenset[int]]]) -> None:
    after = _mates(course)
    for assignment in course.assignments.filter(
        pk__in=[pk for pk, groups in after.items() if groups != before.get(pk)]
    ):
        enqueue_rank(assignment)
