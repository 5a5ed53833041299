"""The people and the roster of a course, and the courses of a department for its administrators."""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple, TypedDict, TypeVar

from django.db.models import Count, Exists, Max, OuterRef, Q, Subquery, TextField, Value
from django.db.models.functions import Coalesce, Concat, Lower
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone

from submissions import permissions
from submissions.models import (
    AuditEntry,
    Batch,
    CampusGroup,
    Course,
    CourseRoster,
    EnrolledStudent,
    Invitation,
    Membership,
    StatedReason,
    Submission,
    SubmissionStudent,
)
from submissions.permissions import Right

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import QuerySet
    from django_stubs_ext import WithAnnotations

    from submissions.models import Assignment

    AdministeredCourse = WithAnnotations[Course, "CourseFigures"]

InCourse = TypeVar("InCourse", Invitation, CampusGroup)

# Stated reasons that a page lists, the newest ones.
REASONS_LISTED = 50


class CourseFigures(TypedDict):
    assignment_count: int
    submission_count: int
    people_count: int
    last_upload: object


class People(NamedTuple):
    """The people of a course: members, campus groups, valid invitations, and reasons of administrators."""

    members: list[Membership]
    campus_groups: list[CampusGroup]
    invitations: list[Invitation]
    reasons: list[StatedReason]


def people_of(course: Course) -> People:
    """Return the people of a course, members by user name."""
    invitations = course.invitations.filter(_is_valid())
    return People(
        list(course.memberships.select_related("user")),
        list(course.campus_groups.all()),
        list(invitations.select_related("invited_by")),
        list(course.stated_reasons.select_related("user")[:REASONS_LISTED]),
    )


def course_with_people(user: User, pk: int) -> Course:
    """Return a course whose people a user may see: every member may, and every administrator.

    Raises
    ------
    Http404
        When it does not exist, or `user` has no right in it.
    """
    return get_object_or_404(permissions.visible_courses(user).select_related("owner"), pk=pk)


def find_membership(user: User, pk: int, right: Right = Right.MANAGE) -> Membership:
    """Return a membership that a user may change or end: that of others takes a right in the course."""
    rows = Membership.objects.filter(course__in=permissions.visible_courses(user))
    row = get_object_or_404(rows.select_related("course__owner", "user"), pk=pk)
    if row.user_id == user.pk:
        permissions.require_scope(user, right)
    else:
        permissions.require(user, right, row.course)
    return row


def find_invitation(user: User, pk: int) -> Invitation:
    """Return an invitation; this takes the right to manage its course."""
    return _find_managed(Invitation.objects.all(), user, pk)


def find_group(user: User, pk: int) -> CampusGroup:
    """Return a campus group of a course; this takes the right to manage the course."""
    return _find_managed(CampusGroup.objects.all(), user, pk)


def _find_managed(rows: QuerySet[InCourse], user: User, pk: int) -> InCourse:
    rows = rows.filter(course__in=permissions.visible_courses(user)).select_related("course__owner")
    row = get_object_or_404(rows, pk=pk)
    permissions.require(user, Right.MANAGE, row.course)
    return row


def _is_valid() -> Q:
    """Return the condition for invitations whose maker may still invite, or had stated a reason for them."""
    stated = StatedReason.objects.filter(
        course=OuterRef("course"),
        user=OuterRef("invited_by"),
        user__is_staff=True,
        user__is_active=True,
        created__lte=OuterRef("created"),
        expires__gt=OuterRef("created"),
    )
    may_invite = permissions.still_has(Right.INVITE, "invited_by", "course") | Q(Exists(stated))
    return Q(may_invite, expires__gt=timezone.now())


def invitations_of_the_last_hour(user: User) -> int:
    """Return how many invitations a user made, with those that were accepted or withdrawn since."""
    since = timezone.now() - timedelta(hours=1)
    invitations = AuditEntry.objects.filter(created__gt=since, page__in=("people", "api_invitations"))
    return invitations.filter(who=user.get_username()).count()


def open_invitation(pk: int, created: str) -> Invitation:
    """Return an invitation that is still valid, by what its link says of it.

    Raises
    ------
    Http404
        When it was accepted, withdrawn or has expired, or who made it may not invite any more.
    """
    valid = Invitation.objects.filter(_is_valid(), pk=pk)
    row = valid.select_related("course__owner", "invited_by").first()
    if not row or f"{row.created:%y%m%d%H%M%S%f}" != created:
        raise Http404("No such invitation.")
    return row


def administered_courses() -> QuerySet[AdministeredCourse]:
    """Return all courses with figures, by name: of their content only numbers."""
    submissions = Submission.objects.filter(batch__assignment__course=OuterRef("pk"), origin=None)
    counted = submissions.order_by().values("batch__assignment__course").annotate(n=Count("pk")).values("n")
    members = Membership.objects.filter(course=OuterRef("pk")).order_by().values("course")
    uploads = Batch.objects.filter(assignment__course=OuterRef("pk")).order_by().values("assignment__course")
    return (
        Course.objects.select_related("owner")
        .annotate(
            assignment_count=Count("assignments"),
            submission_count=Coalesce(Subquery(counted), 0),
            people_count=Coalesce(Subquery(members.annotate(n=Count("pk")).values("n")), 0) + 1,
            last_upload=Subquery(uploads.annotate(last=Max("created")).values("last")),
        )
        .order_by("name", "pk")
    )


# Students of an assignment that are listed; the rest is counted.
MAX_LISTED = 50


class AssignmentRoster(NamedTuple):
    """The students of a roster in one assignment.

    `present`: number of students in the roster who handed in; `unknown`: the others who handed in, as their
    platform names them; `absent`: students in the roster who did not. Both lists are cut, and counted whole.
    """

    assignment: Assignment
    present: int
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
    matched: dict[int, set[int]] = defaultdict(set)
    unknown: dict[int, set[str]] = defaultdict(set)
    columns = ("submission__batch__assignment", "enrolled", "name", "identifier")
    for assignment, student, name, identifier in rows.order_by().values_list(*columns):
        if student:
            matched[assignment].add(student)
        else:
            unknown[assignment].add(f"{name} ({identifier})" if identifier not in {"", name} else name)
    return [
        _fit(assignment, enrolled, matched[assignment.pk], unknown[assignment.pk])
        for assignment in course.assignments.all()
        if matched[assignment.pk] or unknown[assignment.pk]
    ]


def _fit(
    assignment: Assignment, enrolled: dict[int, str], matched: set[int], unknown: set[str]
) -> AssignmentRoster:
    absent = [name for pk, name in enrolled.items() if pk not in matched]
    listed = sorted(unknown, key=str.casefold)[:MAX_LISTED]
    return AssignmentRoster(assignment, len(matched), listed, len(unknown), absent[:MAX_LISTED], len(absent))
