"""The students and teams of stored submissions: who they are, and which submissions they share.

Who handed in the submissions of a batch is saved, and found in the roster of the course.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from django.db import models
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from submissions.intake.layouts.places import Student, is_participant
from submissions.intake.rosters import Roster, RosterStudent, team_key
from submissions.matches import groups as teams
from submissions.matches.groups import STUDENT, TEAM, Identity, Key, name_key, student_key
from submissions.models import Assignment, Batch, Course, CourseRoster, EnrolledStudent, Submission, SubmissionStudent

STUDENT_FIELDS = (
    "students__name", "students__identifier", "students__enrolled", "students__enrolled__name",
    "students__enrolled__identifier", "students__enrolled__login", "students__enrolled__email",
    "students__enrolled__section", "students__enrolled__team",
)  # fmt: skip

# Characters of the name of a submission or a student, and rows of an INSERT or UPDATE.
MAX_NAME = 400
ROWS = 1000


class KnownBy(models.TextChoices):
    """By what a student is recognised in several assignments of a course."""

    LOGIN = "login", _("login")
    EMAIL = "email", _("e-mail address")
    ID = "id", _("id")
    ROSTER_NAME = "roster name", _("full name in the roster")
    NAME = "name", _("name alone")


class KnownStudent(NamedTuple):
    """A student of a submission: the name, and by what other assignments recognise the student."""

    name: str
    by: KnownBy


class _SubmissionStudent(NamedTuple):
    """The values of STUDENT_FIELDS; all are None for a submission without students."""

    name: str | None
    identifier: str | None
    enrolled: int | None
    enrolled_name: str | None
    enrolled_id: str | None
    login: str | None
    email: str | None
    section: str | None
    team: str | None

    @property
    def key(self) -> Key:
        """Key of a student: the row in the roster, or else the identifier, or else the name."""
        if self.enrolled:
            return STUDENT, f"enrolled {self.enrolled}"
        return student_key(self.name or "", self.identifier or "")

    def key_in_course(self, shared_names: frozenset[str]) -> Key:
        """Return the key in all assignments of a course; `shared_names` are of several in one assignment."""
        if self.enrolled or not is_participant(self.identifier or "") or self.name in shared_names:
            return self.key
        return student_key(self.name or "", "")

    @property
    def known_by(self) -> KnownBy:
        """By what the student is recognised: the strongest value of the roster that names her."""
        if not self.enrolled:
            return _kind_of(self.identifier or "")
        student = Student(self.name or "", self.identifier or "")
        entries = (
            (KnownBy.LOGIN, RosterStudent("", login=self.login or "")),
            (KnownBy.EMAIL, RosterStudent("", email=self.email or "")),
            (KnownBy.ID, RosterStudent("", self.enrolled_id or "")),
            (KnownBy.ROSTER_NAME, RosterStudent(self.enrolled_name or "")),
        )
        # Otherwise by a further id of the roster.
        return next((by for by, entry in entries if Roster((entry,)).find(student)), KnownBy.ID)

    @property
    def enrolled_names(self) -> tuple[str | None, ...]:
        return self.enrolled_name, self.enrolled_id, self.login, self.email


def mate_keys(assignment: Assignment, submissions: QuerySet[Submission]) -> dict[int, set[Key]]:
    """Return the keys of the students and teams of submissions, by primary key, with one query.

    A team of the assignment names submissions or students, by any of their names and ids.
    """
    numbers = teams.team_numbers(assignment.teams)
    keys: dict[int, set[Key]] = defaultdict(set)
    for pk, name, *student in submissions.order_by().values_list("pk", "name", *STUDENT_FIELDS):
        one = _SubmissionStudent(*student)
        known = (name_key(text) for text in (name, one.name, one.identifier, *one.enrolled_names) if text)
        keys[pk] |= {(TEAM, f"line {numbers[key]}") for key in known if key in numbers}
        if one.name is not None:
            keys[pk].add(one.key)
        if team := team_key(one.section or "", one.team or ""):
            keys[pk].add((TEAM, f"in the roster: {team}"))
    return keys


def student_keys(submissions: QuerySet[Submission]) -> dict[int, dict[Key, KnownStudent]]:
    """Return the students of submissions, by primary key: each by its key, with one query.

    The keys are the same in all assignments of a course: a number that a platform gives anew in each
    counts for nothing, unless one assignment has several students of that name. A submission without
    students counts as work of a student of its name.
    """
    fields = ("pk", "name", "batch__assignment", *STUDENT_FIELDS)
    rows = [
        (pk, name, assignment, _SubmissionStudent(*student))
        for pk, name, assignment, *student in submissions.order_by().values_list(*fields)
    ]
    shared_names = _shared_names((assignment, student) for _pk, _name, assignment, student in rows)
    students: dict[int, dict[Key, KnownStudent]] = defaultdict(dict)
    for pk, name, _assignment, student in rows:
        one = student if student.name is not None else student._replace(name=name)
        known = KnownStudent(one.enrolled_name or one.name or name, one.known_by)
        students[pk][one.key_in_course(shared_names)] = known
    return students


def _shared_names(students: Iterable[tuple[int, _SubmissionStudent]]) -> frozenset[str]:
    """Return the names that students with several identifiers have in one assignment."""
    identifiers: dict[tuple[int, str], set[str]] = defaultdict(set)
    for assignment, student in students:
        identifiers[assignment, student.name or ""].add(student.identifier or "")
    return frozenset(name for (_assignment, name), known_ids in identifiers.items() if len(known_ids) > 1)


def _kind_of(identifier: str) -> KnownBy:
    """Return by what a student outside of the roster is recognised who has this identifier."""
    if not identifier or is_participant(identifier):
        return KnownBy.NAME
    if "@" in identifier:
        return KnownBy.EMAIL
    return KnownBy.ID if identifier.isdecimal() else KnownBy.LOGIN


def identities(submissions: QuerySet[Submission]) -> dict[int, Identity]:
    """Return the identities of submissions of any courses, by primary key, with one query."""
    ids: dict[int, list[str | None]] = defaultdict(list)
    names: dict[int, list[str | None]] = defaultdict(list)
    for pk, name, *student in submissions.order_by().values_list("pk", "name", *STUDENT_FIELDS):
        one = _SubmissionStudent(*student)
        ids[pk] += (one.identifier, one.enrolled_id, one.login, one.email)
        names[pk] += (one.name if one.name is not None else name, one.enrolled_name)
    return {pk: Identity.of(ids[pk], names_of_one) for pk, names_of_one in names.items()}


def compared_mates(assignment: Assignment, submissions: Iterable[int]) -> dict[int, set[Key]]:
    """Return the keys of students and teams, by primary key, where mates are compared with each other.

    Elsewhere no ranked pair is of one student or one team.
    """
    if not assignment.compare_mates:
        return {}
    return mate_keys(assignment, Submission.objects.filter(pk__in=list(submissions)))


def are_mates(keys: Mapping[int, set[Key]], left: int, right: int) -> bool:
    """Return whether two submissions, by primary key, have a student or a team in common."""
    return left in keys and not keys[left].isdisjoint(keys.get(right, ()))


def known_names(submissions: QuerySet[Submission]) -> set[str]:
    names: set[str] = set()
    for name, *student in submissions.order_by().values_list("name", *STUDENT_FIELDS):
        one = _SubmissionStudent(*student)
        names.update(text for text in (name, one.name, one.identifier, *one.enrolled_names) if text)
    return names


def stored_names(batch: Batch, names: Iterable[str]) -> dict[str, str]:
    """Return the name to store of each submission of a batch, by its name in the upload.

    The name of a submission of earlier work, or of a model solution, ends with the name of its upload, so
    that it neither replaces the same student's present submission nor is confused with it.
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

    A submission without students is saved as work of a student with its name.
    """
    rows = [
        SubmissionStudent(submission=submission, name=student.name[:MAX_NAME], identifier=student.identifier[:MAX_NAME])
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
    enrolled = _enrolled_students(course)
    return Roster(tuple(enrolled)) if enrolled else None


def _enrolled_students(course: Course) -> dict[RosterStudent, EnrolledStudent]:
    roster = CourseRoster.objects.filter(course=course).first()
    return {row.as_roster_student: row for row in roster.students.all()} if roster else {}
