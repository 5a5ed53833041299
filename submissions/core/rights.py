"""Rights of a person in a course. Every page, export and share link asks here, by `submissions.core.access`.

The owner of a course may do everything. Members have the rights of their role. Administrators (`is_staff`)
manage every course, and read one or give others access to it for some hours after they stated why.
"""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from submissions.courses.models import Role
from submissions.models import Course, Membership, StatedReason


class Right(StrEnum):
    READ = "read"
    SEE_NAMES = "see_names"
    DECIDE = "decide"
    # Upload, group, ignore code, settings, roster.
    CHANGE = "change"
    SHARE = "share"
    # Delete uploads and assignments.
    DELETE = "delete"
    # Give people access: invite them, change their roles, give campus groups a role.
    INVITE = "invite"
    # Remove people, withdraw invitations, rename the course.
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
WITH_REASON = frozenset({Right.READ, Right.SEE_NAMES, Right.INVITE})
REASON_HOLDS = timedelta(hours=8)
# Attribute of an object of a user: what a program may do in the name of that user.
LIMITS = "_limits"


class Limits(NamedTuple):
    """Rights of a program that acts for a user, and its courses, by primary key; None for all."""

    rights: frozenset[Right]
    courses: frozenset[int] | None = None


def limit(user: User, limits: Limits) -> None:
    """Let this object of a user have no more than these rights, whoever asks for them."""
    setattr(user, LIMITS, limits)


def limits_of(user: User | AnonymousUser) -> Limits:
    # By `getattr`, which also asks what the lazy user of a request stands for.
    limits: Limits = getattr(user, LIMITS, NO_LIMITS)
    return limits


NO_LIMITS = Limits(OWNER)


def rights(user: User | AnonymousUser, course: Course) -> frozenset[Right]:
    limits = limits_of(user)
    if limits.courses is not None and course.pk not in limits.courses:
        return frozenset()
    return _granted(user, course) & limits.rights


def _granted(user: User | AnonymousUser, course: Course) -> frozenset[Right]:
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
    return granted | ADMINISTRATOR | (WITH_REASON if stated_reason(user, course) else frozenset())


def stated_reason(user: User, course: Course) -> StatedReason | None:
    """Return the newest reason of a user for a course that still holds."""
    return StatedReason.objects.filter(course=course, user=user, expires__gt=timezone.now()).first()


def acts_as_administrator(user: User, course: Course) -> bool:
    """Return whether a user may manage a course only because of being an administrator."""
    return user.is_staff and not User.objects.filter(people_with(Right.MANAGE, course), pk=user.pk).exists()


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
    require_scope(user, right)
    if Right.MANAGE in granted:
        raise PermissionDenied(
            _(
                "Administrators manage a course but do not read it. "
                "State a reason under People to read it or to give somebody access."
            )
        )
    raise PermissionDenied(
        _("Your role in {course} does not allow this. Ask {owner}.").format(
            course=course.name, owner=course.owner.get_full_name() or course.owner.get_username()
        )
    )


def require_scope(user: User, right: Right) -> None:
    """Raise PermissionDenied when a program acts for the user whose token has not this right."""
    if right not in limits_of(user).rights:
        raise PermissionDenied(_("This token only reads. Create one that may write on the page of your account."))


def courses_with(user: User, right: Right) -> QuerySet[Course]:
    if right not in limits_of(user).rights:
        return Course.objects.none()
    return _within_limits(user, _courses_with(user, right))


def _within_limits(user: User, courses: QuerySet[Course]) -> QuerySet[Course]:
    keys = limits_of(user).courses
    return courses if keys is None else courses.filter(pk__in=keys)


def _courses_with(user: User, right: Right) -> QuerySet[Course]:
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
    courses = Course.objects.all() if user.is_staff else _courses_with(user, Right.READ)
    return _within_limits(user, courses)


def courses_of_old_work(user: User | AnonymousUser | None, course: Course) -> QuerySet[Course]:
    """Return the courses whose work a user may read where the reports of a course have pairs with it.

    A right in the course with the report is none in the course that the old work is of. Who sees names in the
    one must see them in the other too. None is a reader without an account: of nothing but the course itself.
    """
    this_course = Q(pk=course.pk)
    if user is None or not user.is_authenticated or not user.is_active:
        return Course.objects.filter(this_course)
    needed = Right.SEE_NAMES if may(user, Right.SEE_NAMES, course) else Right.READ
    return Course.objects.filter(this_course | Q(pk__in=courses_with(user, needed).values("pk")))


def people_with(right: Right, course: Course) -> Q:
    """Return the condition for users who have a right in a course as its owner or as members."""
    roles = [role for role, granted in RIGHTS.items() if right in granted]
    joined = Membership.objects.filter(course=course, role__in=roles).values("user")
    return Q(pk=course.owner_id) | Q(pk__in=joined)


def still_has(right: Right, user: str, course: str) -> Q:
    """Return the condition for rows whose user still has a right in their course, as its owner or a member.

    `user` and `course` are the fields of the row that name them.
    """
    roles = [role for role, granted in RIGHTS.items() if right in granted]
    joined = Membership.objects.filter(course=OuterRef(course), user=OuterRef(user), role__in=roles)
    return Q(Q(Exists(joined)) | Q(**{f"{course}__owner": F(user)}), **{f"{user}__is_active": True})
