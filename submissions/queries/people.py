"""The people of a course, and the courses of a department with figures for its administrators."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypedDict

from django.db.models import Count, Exists, Max, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone

from submissions import permissions
from submissions.models import Batch, CampusGroup, Course, Invitation, Membership, StatedReason, Submission
from submissions.permissions import Right

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import QuerySet
    from django_stubs_ext import WithAnnotations

    AdministeredCourse = WithAnnotations[Course, "CourseFigures"]

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
    if row.user_id != user.pk:
        permissions.require(user, right, row.course)
    return row


def find_invitation(user: User, pk: int) -> Invitation:
    """Return an invitation; this takes the right to manage its course."""
    rows = Invitation.objects.filter(course__in=permissions.visible_courses(user))
    row = get_object_or_404(rows.select_related("course__owner"), pk=pk)
    permissions.require(user, Right.MANAGE, row.course)
    return row


def find_group(user: User, pk: int) -> CampusGroup:
    """Return a campus group of a course; this takes the right to manage the course."""
    rows = CampusGroup.objects.filter(course__in=permissions.visible_courses(user))
    row = get_object_or_404(rows.select_related("course__owner"), pk=pk)
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
