"""The scope of an erasure or an export of one student: the chosen courses, and what a hold keeps."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from submissions.models import Assignment, CaseMember, Decision, EnrolledStudent, Pair, Submission, SubmissionStudent
from submissions.students.finding import (
    CourseOfStudent,
    Decided,
    Near,
    alone,
    find,
    near_matches,
    other_names,
    spellings,
)

if TYPE_CHECKING:
    from submissions.students.naming import Spellings


class NotFound(ValueError):
    """No chosen course has anything of the student; the message says what to do."""


@dataclass(frozen=True)
class Scope:
    """One student in chosen courses; `left` are the courses of the student that were not chosen.

    `near`: rows of the chosen courses, and of those without the student, that may be the student's.
    """

    text: str
    chosen: tuple[CourseOfStudent, ...]
    left: tuple[CourseOfStudent, ...] = ()
    near: tuple[Near, ...] = ()
    decided: Decided = field(default_factory=Decided)

    @property
    def undecided(self) -> list[Near]:
        return [match for match in self.near if self.decided.lacks(match)]

    @property
    def others(self) -> list[Near]:
        """Rows of another person, as somebody said."""
        return [match for match in self.near if self.decided.others >= match.rows]

    @cached_property
    def students(self) -> list[int]:
        return [row.pk for one in self.chosen for row in one.students]

    @cached_property
    def submissions(self) -> list[Submission]:
        """The student's submissions in the chosen courses, those of groups too, without copies of them."""
        rows = Submission.objects.filter(students__in=self.students).distinct().order_by("pk")
        return list(rows.select_related("batch__assignment__course"))

    @cached_property
    def copies(self) -> list[Submission]:
        """The copies of these submissions in other assignments."""
        rows = Submission.objects.filter(origin__in=self.submissions).order_by("pk")
        return list(rows.select_related("batch__assignment__course"))

    @cached_property
    def held(self) -> list[Assignment]:
        """The assignments under a hold in which there is work of the student, or a copy of it."""
        keys = {one.batch.assignment_id for one in (*self.submissions, *self.copies)}
        enrolled = [one.course.pk for one in self.chosen]
        named = Q(decisions__left__in=self.names) | Q(decisions__right__in=self.names)
        rows = Assignment.objects.filter(Q(pk__in=keys) | named & Q(course__in=enrolled)).exclude(hold="")
        return list(rows.distinct().select_related("course").order_by("pk"))

    @cached_property
    def names(self) -> set[str]:
        return {one.name for one in (*self.submissions, *self.copies)} | self._all.names

    @cached_property
    def kept(self) -> set[int]:
        """The submissions, by primary key, that a hold keeps: of its assignment, or of one with a copy."""
        held = {one.pk for one in self.held}
        held_ids = {one.pk for one in self.submissions if one.batch.assignment_id in held}
        return held_ids | {one.origin_id for one in self.copies if one.origin_id and one.batch.assignment_id in held}

    @cached_property
    def erasable(self) -> list[Submission]:
        return [one for one in self.submissions if one.pk not in self.kept]

    @cached_property
    def shared(self) -> list[Submission]:
        """Those of the submissions to erase that other students handed in too."""
        others = SubmissionStudent.objects.filter(submission__in=self.erasable).exclude(pk__in=self.students)
        keys = set(others.values_list("submission_id", flat=True))
        return [one for one in self.erasable if one.pk in keys]

    @cached_property
    def sole(self) -> list[Submission]:
        """Those of the submissions to erase that nobody else handed in."""
        shared = {one.pk for one in self.shared}
        return [one for one in self.erasable if one.pk not in shared]

    @cached_property
    def enrolled(self) -> QuerySet[EnrolledStudent]:
        """The rows of rosters to delete: a course with a hold on work of the student keeps its row."""
        held = {one.course_id for one in self.held}
        keys = [row.pk for one in self.chosen if one.course.pk not in held for row in one.enrolled]
        return EnrolledStudent.objects.filter(pk__in=keys)

    @cached_property
    def touched(self) -> list[Assignment]:
        """The assignments that lose work, or the name of a student of it, in the order to lock them in."""
        kept = self.kept
        copies = [one for one in self.copies if one.origin_id not in kept]
        keys = {one.batch.assignment_id for one in (*self.erasable, *copies)}
        return list(Assignment.objects.filter(pk__in=keys).select_related("course").order_by("pk"))

    @cached_property
    def courses(self) -> set[int]:
        """The courses in which the student's work is, or a copy of it."""
        chosen_ids = {one.course.pk for one in self.chosen}
        return chosen_ids | {one.batch.assignment.course_id for one in self.copies}

    @cached_property
    def assignments(self) -> set[int]:
        """The assignments whose texts are searched: in others, the name is somebody else's.

        They have work of the student, or are of a course whose roster has the student.
        """
        enrolled = [one.course.pk for one in self.chosen if one.enrolled]
        listed = Assignment.objects.filter(course__in=enrolled).values_list("pk", flat=True)
        return {one.batch.assignment_id for one in (*self.submissions, *self.copies)}.union(listed)

    @cached_property
    def alone(self) -> Spellings:
        """The whole names and ids that no other row of the installation has, for texts of no course."""
        return alone(self._all, self.chosen)

    @cached_property
    def since(self) -> datetime:
        """When the first row of the student was stored: a text from before is about somebody else."""
        times = [one.batch.created for one in self.submissions]
        times += [row.roster.created for one in self.chosen for row in one.enrolled]
        return min(times)

    @cached_property
    def _all(self) -> Spellings:
        return spellings(self.text, self.chosen, None)

    @cached_property
    def _by_course(self) -> dict[int, Spellings]:
        return {pk: spellings(self.text, self.chosen, pk) for pk in self.courses}

    @cached_property
    def _whole_by_course(self) -> dict[int, Spellings]:
        return {pk: replace(known, whole_only=True) for pk, known in self._by_course.items()}

    def spellings(self, course: int | None = None, *, whole_only: bool = False) -> Spellings:
        """Return how texts of a course name the student; without one, of the whole installation.

        With `whole_only`, a part of a name is none: it may be a word of somebody else's.
        """
        known = self._whole_by_course if whole_only else self._by_course
        return known.get(course or 0, self._all)

    def settle(self) -> None:
        """Look up all that is known from rows that are about to leave."""
        for known in (
            *(self.assignments, self.alone, self.since, self.kept, self.shared, self.sole, self.enrolled),
            self._whole_by_course,
        ):
            str(known)

    def other_texts(self, course: int) -> set[str]:
        """Return the names and ids of the other students of a course."""
        return other_names(course, self.chosen, also_ids=True)

    def figures(self, course: CourseOfStudent) -> dict[str, int]:
        """Return numbers of rows of a course for the preview."""
        keys = {row.pk for row in course.students}
        submissions = Submission.objects.filter(students__in=keys)
        names = {*submissions.values_list("name", flat=True)}
        assignments = Assignment.objects.filter(course=course.course)
        pairs = Pair.objects.filter(Q(left__in=submissions) | Q(right__in=submissions))
        decided = Decision.objects.filter(Q(left__in=names) | Q(right__in=names), assignment__in=assignments)
        return {
            "assignments": len({row.submission.batch.assignment_id for row in course.students}),
            "submissions": submissions.distinct().count(),
            "pairs": pairs.count(),
            "decisions": decided.count(),
            "cases": CaseMember.objects.filter(name__in=names, assignment__in=assignments).count(),
            "enrolled": len(course.enrolled),
        }


def scope(text: str, courses: Collection[int] | None = None, decided: Decided | None = None) -> Scope:
    """Return the scope of a student, found by a name or id, in all courses or in those of primary keys.

    Courses that have nothing but rows `decided` to be the student's are chosen with them. Raises NotFound
    when no course is left, or a chosen one has several students of this name.
    """
    certain = find(text)
    without = {one.course.pk for one in certain if courses is not None and one.course.pk not in courses}
    near = tuple(match for match in near_matches(text, certain) if match.course.pk not in without)
    decided = decided or Decided()
    with_work = find(text, decided.same)
    chosen = [one for one in with_work if one.course.pk not in without]
    if not chosen:
        raise NotFound(_("No chosen course has a submission or a row of its roster of this name or id."))
    for one in chosen:
        if one.is_ambiguous:
            text = _(
                "Several students of {course} have this name: search by an id of the student, or leave this course out."
            )
            raise NotFound(text.format(course=one.course.name))
    left = tuple(one for one in with_work if one.course.pk in without)
    return Scope(text, tuple(chosen), left, near, decided)
