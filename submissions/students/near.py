"""Submissions and rows of rosters that may be a student's, and what a person decided on each of them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.db.models import Q

from submissions.models import Course, EnrolledStudent, SubmissionStudent
from submissions.students.finding import Rows
from submissions.students.likeness import Likeness

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from submissions.students.finding import CourseOfStudent

# What has such a character may be a name with accents, which the database does not compare without them.
NOT_ASCII = r"[^\x20-\x7e]"
ASSIGNMENT = "submission__batch__assignment"


@dataclass(frozen=True)
class Near:
    """One name and id of a course that resemble the student's; `places` are titles of assignments."""

    course: Course
    name: str
    identifier: str
    rows: Rows
    places: tuple[str, ...]

    @property
    def key(self) -> str:
        """The name by which forms and commands call it."""
        kind, rows = ("s", self.rows.students) if self.rows.students else ("e", self.rows.enrolled)
        return f"{kind}{min(rows)}"


@dataclass(frozen=True)
class Decided:
    """An answer on rows that resemble the student's: the same student, or somebody else."""

    same: Rows = field(default_factory=Rows)
    others: Rows = field(default_factory=Rows)

    @classmethod
    def of(cls, matches: Iterable[Near], same: Collection[str], others: Collection[str]) -> Decided:
        """Return the decision on matches by their keys; what is in neither is undecided."""
        rows = list(matches)
        return cls(_union(rows, same), _union(rows, others))

    @classmethod
    def from_json(cls, stored: Mapping[str, list[list[int]]]) -> Decided:
        same, others = (Rows(*map(frozenset, stored.get(part, ((), ())))) for part in ("same", "others"))
        return cls(same, others)

    def as_json(self) -> dict[str, Any]:
        return {"same": self.same.as_json(), "others": self.others.as_json()}

    def lacks(self, match: Near) -> bool:
        """Return whether nobody decided on some row of a match."""
        return not (self.same | self.others) >= match.rows


def _union(matches: Iterable[Near], keys: Collection[str]) -> Rows:
    rows = Rows()
    for match in matches:
        rows = rows | match.rows if match.key in keys else rows
    return rows


def near_matches(text: str, courses_of_student: Iterable[CourseOfStudent]) -> list[Near]:
    """Return what resembles a student but was not found by the name or id that was asked for, by course."""
    rows = list(courses_of_student)
    names = frozenset(name for row in rows for name in row.names) or frozenset({text})
    likeness = Likeness(names, frozenset({text}).union(*(row.ids for row in rows)))
    groups: dict[tuple[int, str, str], list[SubmissionStudent | EnrolledStudent]] = defaultdict(list)
    for student in _students(likeness, {one.pk for row in rows for one in row.students}):
        assignment = student.submission.batch.assignment
        groups[assignment.course_id, student.name, student.identifier].append(student)
    for enrolled in _enrolled(likeness, {one.pk for row in rows for one in row.enrolled}):
        identifier = next(iter(enrolled.as_roster_student.ids), "")
        groups[enrolled.roster.course_id, enrolled.name, identifier].append(enrolled)
    courses = Course.objects.in_bulk(course for course, _, _ in groups)
    matches = [_match(courses[key[0]], *key[1:], members) for key, members in groups.items()]
    return sorted(matches, key=lambda one: (one.course.name, one.course.pk, one.name, one.identifier))


def _students(likeness: Likeness, known: set[int]) -> list[SubmissionStudent]:
    unknown = SubmissionStudent.objects.filter(submission__origin=None).exclude(pk__in=known)
    # Names are compared once each: an archive has those with accents in many submissions.
    candidates = unknown.filter(_may_be_near(likeness, "name", "identifier")).order_by()
    texts = candidates.values_list("name", "identifier").distinct().iterator()
    near = {(name, identifier) for name, identifier in texts if likeness.is_near(name, identifier)}
    rows = unknown.filter(name__in={name for name, _ in near}).select_related(ASSIGNMENT)
    return [row for row in rows if (row.name, row.identifier) in near]


def _enrolled(likeness: Likeness, known: set[int]) -> list[EnrolledStudent]:
    listed = EnrolledStudent.objects.exclude(pk__in=known).select_related("roster")
    rows = listed.filter(_may_be_near(likeness, "name", "identifier", "login", "email"))
    return [
        row
        for row in rows
        if any(likeness.is_near(row.name, one) for one in ("", *row.as_roster_student.ids))
    ]


def _may_be_near(likeness: Likeness, *columns: str) -> Q:
    condition = Q(name__regex=NOT_ASCII)
    for column in columns:
        for fragment in sorted(likeness.fragments):
            condition |= Q(**{f"{column}__icontains": fragment})
    return condition


def _match(
    course: Course, name: str, identifier: str, members: list[SubmissionStudent | EnrolledStudent]
) -> Near:
    students = [one for one in members if isinstance(one, SubmissionStudent)]
    enrolled = frozenset(one.pk for one in members if isinstance(one, EnrolledStudent))
    places = {one.submission.batch.assignment.name for one in students}
    rows = Rows(frozenset(one.pk for one in students), enrolled)
    return Near(course, name, identifier, rows, tuple(sorted(places)))
