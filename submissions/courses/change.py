"""Invite people to a course, change their roles, transfer a course, and replace its roster."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Collection
from datetime import timedelta
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.signing import BadSignature, Signer
from django.db import transaction
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.text import format_lazy
from django.utils.translation import gettext as _, gettext_lazy

from submissions.core.mails import Mail, language_at, public_address
from submissions.core.rights import REASON_HOLDS, acts_as_administrator, stated_reason
from submissions.core.submitters import ROWS, enrol, lock_roster, mate_keys
from submissions.courses.read import open_invitation
from submissions.intake.rosters import Roster, RosterRefused
from submissions.intake.sentences import NOT_READ_YET
from submissions.models import (
    Assignment,
    CampusGroup,
    Course,
    CourseRoster,
    EnrolledStudent,
    Invitation,
    Membership,
    Report,
    StatedReason,
    Submission,
    SubmissionStudent,
)
from submissions.uploads.lifecycle import enqueue_rank
from submissions.uploads.read import LATER, NotYet, grouping_reader

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


logger = logging.getLogger(__name__)

# Roles, those with the most rights first.
RANKS = list(Membership.Role.values)
INVITATION_HOLDS = timedelta(days=14)
PURPOSE = "submissions.invitation"

# Problems of a roster that are stored; the rest is counted.
MAX_PROBLEMS = 100


class CannotTransfer(Exception):
    """A course that cannot have this owner; the message says why."""


class OwnInvitation(Exception):
    """An invitation that its maker opened: nobody gives a role to themselves."""


@transaction.atomic
def invite(course: Course, inviter: User, email: str, role: str) -> Invitation:
    """Invite whoever reads the mail of an address; a second invitation replaces the first."""
    Course.objects.select_for_update().get(pk=course.pk)  # two at once would store the address twice
    Invitation.objects.filter(course=course, email__iexact=email).delete()
    return Invitation.objects.create(
        course=course, email=email, role=role, invited_by=inviter, expires=timezone.now() + INVITATION_HOLDS
    )


def invitation_token(invitation: Invitation) -> str:
    signer = Signer(salt=PURPOSE, sep=".")
    return signer.sign(f"{invitation.pk}-{invitation.created:%y%m%d%H%M%S%f}")


def find_invitation(token: str) -> Invitation:
    """Return the invitation of a link.

    Raises Http404 when this server did not sign the token, or the invitation is not valid any more.
    """
    try:
        pk, _separator, created = Signer(salt=PURPOSE, sep=".").unsign(token).partition("-")
    except BadSignature as error:
        raise Http404("No such invitation.") from error
    return open_invitation(int(pk), created)


def send_invitation(invitation: Invitation, address: str) -> bool:
    """Send the link of an invitation by mail; return whether the mail server took it."""
    context = {
        "inviter": invitation.invited_by.get_username(),
        "course": invitation.course.name,
        "role": Membership.Role(invitation.role).label,
        "expires": invitation.expires,
        "address": address,
    }
    subject, names = gettext_lazy("Invitation to {course}"), {"course": invitation.course.name}
    mail = Mail(subject, "submissions/people/invitation.txt", context, names)
    return mail.send(invitation.email, language_at(invitation.email))


@transaction.atomic
def accept(invitation: Invitation, user: User) -> Membership | None:
    """Make a user a member with the role of an invitation, which ends; None for the owner of the course.

    Raises OwnInvitation when the user made it. Raises Http404 when somebody else accepted it at the same moment.
    """
    if not Invitation.objects.select_for_update().filter(pk=invitation.pk).exists():
        raise Http404("No such invitation.")
    course = invitation.course
    if course.owner_id != user.pk and invitation.invited_by_id == user.pk:
        raise OwnInvitation
    invitation.delete()
    if course.owner_id == user.pk:
        return None
    membership, _created = Membership.objects.update_or_create(
        course=course, user=user, defaults={"role": invitation.role, "group": ""}
    )
    return membership


@transaction.atomic
def remove_group(group: CampusGroup) -> None:
    """Delete a campus group of a course, and the memberships that it gave."""
    Membership.objects.filter(course=group.course_id, group=group.group).delete()
    group.delete()


@transaction.atomic
def join_by_groups(user: User, groups: Collection[str]) -> None:
    """Make a user a member of the courses of these campus groups, and of no other course by a group.

    Of several groups of a course the one with the most rights counts. A role that a person gave stays. Nobody
    gets a role by a group that they added.
    """
    rows = CampusGroup.objects.filter(group__in=groups).exclude(course__owner=user).exclude(added_by=user)
    best: dict[int, CampusGroup] = {}
    for row in rows:
        if row.course_id not in best or RANKS.index(row.role) < RANKS.index(best[row.course_id].role):
            best[row.course_id] = row
    Membership.objects.filter(user=user).exclude(group="").exclude(course__in=best).delete()
    for course, row in best.items():
        membership, created = Membership.objects.get_or_create(
            course_id=course, user=user, defaults={"role": row.role, "group": row.group}
        )
        if not created and membership.group:
            membership.role, membership.group = row.role, row.group
            membership.save(update_fields=["role", "group"])


def change_role(membership: Membership, role: str, user: User) -> None:
    """Change the role of a member; a role from a campus group becomes one that a person chose.

    Raises PermissionDenied when this is the role of `user`, who changes it.
    """
    if membership.user_id == user.pk:
        raise PermissionDenied(_("Somebody else who manages the course can change your role."))
    membership.role, membership.group = role, ""
    membership.save(update_fields=["role", "group"])


def remove_member(membership: Membership) -> None:
    """End a membership. What the member decided stays."""
    membership.delete()


@transaction.atomic
def transfer(course: Course, membership: Membership, user: User) -> None:
    """Make a member the owner of a course; the owner until now becomes an instructor of it.

    Raises CannotTransfer when the new owner has a course of the same name, or is `user`, who transfers it.
    """
    if membership.user_id == user.pk:
        raise CannotTransfer(_("You cannot transfer a course to yourself. Its owner can do this."))
    if Course.objects.filter(owner=membership.user, name=course.name).exists():
        text = _("{user} has a course of this name already. Rename this one first.")
        raise CannotTransfer(text.format(user=membership.user.get_username()))
    former, course.owner = course.owner, membership.user
    course.save(update_fields=["owner"])
    membership.delete()
    Membership.objects.create(course=course, user=former, role=Membership.Role.INSTRUCTOR)


def state_reason(course: Course, user: User, reason: str) -> StatedReason:
    """Let an administrator read a course and give access to it for some hours; its people see the reason."""
    expires = timezone.now() + REASON_HOLDS
    return StatedReason.objects.create(course=course, user=user, reason=reason, expires=expires)


def access_text(row: Membership | CampusGroup | Invitation) -> str | _StrPromise:
    """Return who gets which role by a row, in the language in which it is shown."""
    return format_lazy("{}: {}", str(row).rpartition(": ")[0], Membership.Role(row.role).label)


def tell_owner(owner: User, course: Course, administrator: User, access: str | _StrPromise, address: str) -> bool:
    """Tell the owner by mail what access an administrator gave and why; return whether it was sent."""
    reason = stated_reason(administrator, course)
    if not reason:
        return False
    context = {"course": course, "reason": reason, "access": access, "address": address}
    subject, names = gettext_lazy("An administrator gave access to {course}"), {"course": course.name}
    return Mail(subject, "submissions/people/access_given.txt", context, names).send_to(owner)


def invitation_address(request: HttpRequest, invitation: Invitation) -> str:
    """Return the link of an invitation; whoever has it can accept it."""
    return public_address(request, reverse("invitation", args=[invitation_token(invitation)]))


def mail_invitation(request: HttpRequest, invitation: Invitation) -> bool:
    """Send an invitation; return whether mail is set and the mail server took it."""
    return bool(settings.MAIL) and send_invitation(invitation, invitation_address(request, invitation))


def mail_owner(
    request: HttpRequest, user: User, course: Course, access: str | _StrPromise, owner: User | None = None
) -> None:
    """Mail the owner what access an administrator gave, if mail is set; `owner` is a former one."""
    if settings.MAIL and acts_as_administrator(user, course):
        address = public_address(request, reverse("people", args=[course.pk]))
        tell_owner(owner or course.owner, course, user, access, address)


def read_roster(data: bytes) -> Roster:
    """Return the roster in a CSV file, read in a child: students wrote parts of it. Raises RosterRefused."""
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
