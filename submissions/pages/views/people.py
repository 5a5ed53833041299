"""The people of a course: members, invitations, transfer, and reasons of administrators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from submissions.actions import people as actions
from submissions.models import Membership
from submissions.pages.forms.people import CampusGroupForm, InvitationForm, ReasonForm, RoleForm, TransferForm
from submissions.pages.people_mail import invitation_address, mail_invitation, tell_owner
from submissions.pages.views.access import staff_only
from submissions.pages.views.reading_requests import request_rows
from submissions.permissions import REASON_HOLDS, Right, may, require
from submissions.queries.access import find_course
from submissions.queries.archive import archive_size
from submissions.queries.people import (
    administered_courses,
    course_with_people,
    find_group,
    find_invitation,
    find_membership,
    people_of,
)

if TYPE_CHECKING:
    from django.forms import BaseForm as Form
    from django.http import HttpResponse

    from submissions.models import Course, Invitation
    from submissions.pages.views.access import AuthenticatedRequest

COURSES_A_PAGE = 100


class InvitationRow(NamedTuple):
    """An invitation that was not accepted yet; `url` is that of its link for who made it, "" for others."""

    invitation: Invitation
    url: str


@login_required
@require_http_methods(["GET", "POST"])
def people(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """List the people of a course; invite somebody, which takes the right to invite."""
    course = course_with_people(request.user, pk)
    if request.method == "POST":
        find_course(request.user, pk, Right.INVITE)
    form = InvitationForm(request.user, request.POST or None)
    if form.is_valid():
        invitation = actions.invite(
            course, request.user, form.cleaned_data["email"], form.cleaned_data["role"]
        )
        _announce(request, invitation)
        tell_owner(request, request.user, course, actions.access_text(invitation))
        return redirect(f"{reverse('people', args=[pk])}#invitation-{invitation.pk}")
    return _page(request, course, **({"form": form} if form.errors else {}))


def _page(request: AuthenticatedRequest, course: Course, **forms: Form) -> HttpResponse:
    """Return the page, with the errors of an invalid form."""
    listed = people_of(course)
    context: dict[str, Any] = {
        "course": course,
        "members": listed.members,
        "roles": Membership.Role.choices,
        "invitation_rows": [_invitation_row(request, one) for one in listed.invitations],
        "reasons": listed.reasons,
        "request_rows": request_rows(request, course) if may(request.user, Right.SHARE, course) else [],
        "campus_groups": listed.campus_groups,
        "has_campus": bool(settings.OIDC_URL or settings.SAML_ENTITY_ID),
        "form": InvitationForm(request.user),
        "transfer_form": TransferForm(course),
        "reason_form": ReasonForm(),
        "group_form": CampusGroupForm(course),
        **forms,
        "needs_reason": request.user.is_staff and not may(request.user, Right.INVITE, course),
        "reason_hours": int(REASON_HOLDS.total_seconds() // 3600),
    }
    status = 422 if any(form.errors for form in forms.values()) else 200
    return render(request, "submissions/people/people.html", context, status=status)


def _invitation_row(request: AuthenticatedRequest, invitation: Invitation) -> InvitationRow:
    """Return a row with the link for who made the invitation only: whoever has the link can accept it."""
    is_inviter = invitation.invited_by_id == request.user.pk
    return InvitationRow(invitation, invitation_address(request, invitation) if is_inviter else "")


def _announce(request: AuthenticatedRequest, invitation: Invitation) -> None:
    """Send an invitation by mail where mail is set, or ask the inviter to send its link."""
    if mail_invitation(request, invitation):
        messages.success(request, _("The invitation was sent to {email}.").format(email=invitation.email))
    elif settings.MAIL:
        messages.warning(request, _("The mail could not be sent: send the link to the person yourself."))
    else:
        messages.success(request, _("The invitation is ready: send its link to the person."))


@login_required
@require_POST
def add_group(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Set the role of the members of a campus group, from their next sign-in on."""
    course = find_course(request.user, pk, Right.INVITE)
    form = CampusGroupForm(course, request.POST)
    if not form.is_valid():
        return _page(request, course, group_form=form)
    form.instance.added_by = request.user
    tell_owner(request, request.user, course, actions.access_text(form.save()))
    messages.success(request, _("It applies to each member from their next sign-in on."))
    return redirect("people", pk)


@login_required
@require_POST
def remove_group(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Take the role of a campus group, and from its members what it gave them."""
    group = find_group(request.user, pk)
    actions.remove_group(group)
    messages.info(request, _("The group {group} was removed, with its members.").format(group=group.group))
    return redirect("people", group.course_id)


@login_required
@require_POST
def change_role(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Change the role of a member; nobody changes the own role."""
    membership = find_membership(request.user, pk, Right.INVITE)
    form = RoleForm(request.POST)
    if form.is_valid():
        actions.change_role(membership, form.cleaned_data["role"], request.user)
        tell_owner(request, request.user, membership.course, actions.access_text(membership))
        messages.success(request, _("Saved."))
    return redirect("people", membership.course_id)


@login_required
@require_POST
def remove(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """End a membership: one's own, or as somebody who manages the course."""
    membership = find_membership(request.user, pk)
    actions.remove_member(membership)
    text = _("{user} is no longer a member of {course}. Decisions stay.")
    messages.info(request, text.format(user=membership.user.get_username(), course=membership.course.name))
    left = membership.user_id == request.user.pk and not request.user.is_staff
    return redirect("courses") if left else redirect("people", membership.course_id)


@login_required
@require_POST
def withdraw(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Delete an invitation: its link ends."""
    invitation = find_invitation(request.user, pk)
    invitation.delete()
    messages.info(request, _("The invitation of {email} was withdrawn.").format(email=invitation.email))
    return redirect("people", invitation.course_id)


@login_required
@require_POST
def transfer(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Make a member the owner of a course."""
    course = find_course(request.user, pk, Right.OWN)
    require(request.user, Right.INVITE, course)
    former = course.owner
    form = TransferForm(course, request.POST)
    if form.is_valid():
        try:
            actions.transfer(course, form.cleaned_data["member"], request.user)
        except actions.CannotTransfer as refusal:
            form.add_error("member", str(refusal))
    if form.errors:
        return _page(request, course, transfer_form=form)
    request.audit_subject = f"{former} → {course.owner}"
    tell_owner(request, request.user, course, request.audit_subject, owner=former)
    text = _("{course} belongs to {owner} now.")
    messages.success(request, text.format(course=course.name, owner=course.owner.get_username()))
    return redirect("people", pk)


@staff_only
@require_POST
def state_reason(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Let an administrator who states a reason read a course."""
    course = find_course(request.user, pk, Right.MANAGE)
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return _page(request, course, reason_form=form)
    actions.state_reason(course, request.user, form.cleaned_data["reason"])
    return redirect(course)


@login_required
@require_http_methods(["GET", "POST"])
def invitation(request: AuthenticatedRequest, token: str) -> HttpResponse:
    """Show an invitation to whoever has its link, and accept it."""
    invitation = actions.find_invitation(token)
    if request.method == "GET":
        return render(request, "submissions/people/invitation.html", {"invitation": invitation})
    try:
        membership = actions.accept(invitation, request.user)
    except actions.OwnInvitation as refusal:
        raise PermissionDenied(
            _("You made this invitation: somebody else has to accept it. Nobody gives a role to themselves.")
        ) from refusal
    text = _("You are a member of {course} now.") if membership else _("{course} is your own course.")
    messages.success(request, text.format(course=invitation.course.name))
    return redirect(invitation.course)


@staff_only
@require_GET
def department(request: AuthenticatedRequest) -> HttpResponse:
    """List all courses with figures, for administrators."""
    page = Paginator(administered_courses(), COURSES_A_PAGE).get_page(request.GET.get("page"))
    context = {"courses": page, "archive": archive_size()}
    return render(request, "submissions/department/department.html", context)
