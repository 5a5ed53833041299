"""What a person may do in a course. Every page, export and share link asks here, by `submissions.queries`.

The owner of a course may do everything. Members have the rights of their role. Administrators (`is_staff`)
manage every course, and read one for some hours after they stated why.
"""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from submissions.models import Course, Membership, StatedReason
from submissions.models.people import Role

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User
    from django.db.models import QuerySet


class Right(StrEnum):
    """What somebody may do in a course."""

    READ = "read"
    SEE_NAMES = "see_names"
    DECIDE = "decide"
    # Upload, group, ignore code, settings, roster.
    CHANGE = "change"
    SHARE = "share"
    # Delete uploads and assignments.
    DELETE = "delete"
    # Invite people, change their roles, rename the course.
    MANAGE = "manage"
    # Transfer or delete the course.
    OWN = "own"


OWNER = frozenset(Right)
RIGHTS = {
    Role.INSTRUCTOR: OWNER - {Right.OWN},
    Role.ASSISTANT: frozenset({Right.READ, Right.SEE_NAMES, Right.DECIDE}),
    Role.OBSERVER: frozenset({Right.READ}),
}
ADMINISTRATOR = frozenset({Right.MANAGE, Right.OWN})
# What an administrator may do besides, after stating a reason, and for how long.
WITH_REASON = frozenset({Right.READ, Right.SEE_NAMES})
REASON_HOLDS = timedelta(hours=8)


def rights(user: User | AnonymousUser, course: Course) -> frozenset[Right]:
    """Return what a user may do in a course."""
    if not user.is_authenticated or not user.is_active:
        return frozenset()
    if course.owner_id == user.pk:
        return OWNER
    # A request has its own `user`, and asks several times about one course.
    known: dict[int, frozenset[Right]] = user.__dict__.setdefault("_rights", {})
    if course.pk not in known:
        known[course.pk] = _stored_rights(user, course)
    return known[course.pk]


def _stored_rights(user: User, course: Course) -> frozenset[Right]:
    membership = Membership.objects.filter(course=course, user=user).first()
    granted = RIGHTS[Role(membership.role)] if membership else frozenset()
    if not user.is_staff:
        return granted
    stated = StatedReason.objects.filter(course=course, user=user, expires__gt=timezone.now()).exists()
    return granted | ADMINISTRATOR | (WITH_REASON if stated else frozenset())


def allowed(granted: frozenset[Right]) -> dict[str, bool]:
    """Return for every right, by its value, whether it is among those: `may.decide` in a template."""
    return {right.value: right in granted for right in Right}


def may(user: User | AnonymousUser, right: Right, course: Course) -> bool:
    return right in rights(user, course)


def require(user: User, right: Right, course: Course) -> None:
    """Raise PermissionDenied, with whom to ask, when the user may not do this in the course."""
    granted = rights(user, course)
    if right in granted:
        return
    if Right.MANAGE in granted:
        raise PermissionDenied(
            _("Administrators manage a course but do not read it. State a reason under People to read it.")
        )
    raise PermissionDenied(
        _("Your role in {course} does not allow this. Ask {owner}.").format(
            course=course.name, owner=course.owner.get_full_name() or course.owner.get_username()
        )
    )


def courses_with(user: User, right: Right) -> QuerySet[Course]:
    """Return the courses in which a user has a right."""
    if user.is_staff and right in ADMINISTRATOR:
        return Course.objects.all()
    roles = [role for role, granted in RIGHTS.items() if right in granted]
    joined = Membership.objects.filter(user=user, role__in=roles).values("course")
    allowed = Q(owner=user) | Q(pk__in=joined)
    if user.is_staff and right in WITH_REASON:
        stated = StatedReason.objects.filter(user=user, expires__gt=timezone.now())
        allowed |= Q(pk__in=stated.values("course"))
    return Course.objects.filter(allowed)


def visible_courses(user: User) -> QuerySet[Course]:
    """Return the courses in which a user has any right: their existence is no secret to this user."""
    return Course.objects.all() if user.is_staff else courses_with(user, Right.READ)


def people_with(right: Right, course: Course) -> Q:
    """Return the condition for users who have a right in a course as its owner or as members."""
    roles = [role for role, granted in RIGHTS.items() if right in granted]
    joined = Membership.objects.filter(course=course, role__in=roles).values("user")
    return Q(pk=course.owner_id) | Q(pk__in=joined)
