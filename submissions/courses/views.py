"""Pages of courses: lists, creating, renaming and deleting them, their people and their roster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from submissions.cases.read import assigned_to
from submissions.core.access import find_assignment, find_course
from submissions.core.accounts import QuotaExceeded
from submissions.core.names import Names, hides_names, names_for
from submissions.core.rights import REASON_HOLDS, Right, may, require
from submissions.courses import change as actions, read, retention as deletions
from submissions.courses.forms import (
    AssignmentForm,
    CampusGroupForm,
    CourseForm,
    CourseSettingsForm,
    InvitationForm,
    ReasonForm,
    RoleForm,
    TransferForm,
)
from submissions.courses.retention import (
    Held,
    delete_course,
    deletions_ahead,
    lost_with_assignment,
    lost_with_course,
    months_kept,
    shown_holds,
    source_days_kept,
    source_deletions_ahead,
)
from submissions.models import Assignment, Course, Invitation, Membership
from submissions.pages.requests import (
    AuthenticatedRequest,
    changed_meanwhile,
    right_for,
    signed_in,
    staff_only,
    takes_files,
)
from submissions.shares.links import assignments_with_stopped_shares, open_reading_requests
from submissions.shares.views import request_rows
from submissions.uploads.change import compare_files
from submissions.uploads.forms import RosterForm, UploadForm

if TYPE_CHECKING:
    from django.forms import BaseForm as Form

    from submissions.courses.read import PairMeeting

# Pairs of students that a course's page lists.
RECURRING_LISTED = 20

COURSES_A_PAGE = 100

STUDENTS_A_PAGE = 100


class DisplayedMeeting(NamedTuple):
    """A pair in one assignment, in the order in which the reader sees it; `both` are the displayed names."""

    assignment: Assignment
    ids: tuple[int, int]
    both: tuple[str, str]
    similarity: float


class DisplayedRecurring(NamedTuple):
    both: tuple[str, str]
    meetings: list[DisplayedMeeting]
    known_by: str


def displayed_pairs(request: AuthenticatedRequest, pairs: list[read.RecurringPair]) -> list[DisplayedRecurring]:
    """Return pairs of students with the names that the user has chosen to see.

    Made-up names differ from one assignment to the next: a pair then has the names of its last assignment.
    """
    assignments = {one.assignment.pk: one.assignment for pair in pairs for one in pair.meetings}
    names = {pk: names_for(request, assignment) for pk, assignment in assignments.items()}
    rows = []
    for pair in pairs:
        meetings = [_displayed_meeting(one, names[one.assignment.pk]) for one in pair.meetings]
        hidden = any(names[one.assignment.pk].hidden for one in pair.meetings)
        both = meetings[-1].both if hidden else (pair.left, pair.right)
        rows.append(DisplayedRecurring(both, meetings, ", ".join(str(by.label) for by in pair.known_by)))
    return rows


def _displayed_meeting(meeting: PairMeeting, names: Names) -> DisplayedMeeting:
    sides = [meeting.left, meeting.right]
    sides.sort(key=lambda one: names.display_name(one.name) if names.hidden else one.name)
    left, right = sides
    both = names.display_name(left.name), names.display_name(right.name)
    return DisplayedMeeting(meeting.assignment, (left.pk, right.pk), both, meeting.similarity)


@signed_in("GET", "POST")
def index(request: AuthenticatedRequest) -> HttpResponse:
    form = CourseForm(request.user, request.POST or None)
    if form.is_valid():
        return redirect(form.save())
    rows = read.listed_courses(request.user)
    return render(
        request,
        "submissions/courses/courses.html",
        {"form": form, "courses": rows, "assigned": assigned_to(request.user), "compare_form": UploadForm()},
        status=_status(form),
    )


@takes_files
@signed_in("POST")
def compare(request: AuthenticatedRequest) -> HttpResponse:
    """Compare a folder or an archive: create its course and assignment on the way, and show the upload."""
    form = UploadForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            batch = compare_files(request.user, form.cleaned_data["files"], _("Comparisons"))
        except QuotaExceeded as refusal:
            form.add_error("files", str(refusal))
        else:
            request.audit_subject = batch.name
            return redirect(batch)
    context = {"form": CourseForm(request.user), "courses": read.listed_courses(request.user)}
    context |= {"assigned": assigned_to(request.user), "compare_form": form}
    return render(request, "submissions/courses/courses.html", context, status=422)


@signed_in("GET", "POST")
def course(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """List the assignments of a course, and create one; administrators without a reason manage its people."""
    try:
        course = find_course(request.user, pk, right_for(request, Right.CHANGE))
    except PermissionDenied:
        if request.method == "GET" and request.user.is_staff:
            return redirect("people", pk)
        raise
    form = AssignmentForm(course, request.POST or None)
    if form.is_valid():
        return redirect(form.save())
    overview = read.course_overview(course, request.user)
    may_share = may(request.user, Right.SHARE, course)
    context = {
        "form": form,
        "course": course,
        "assigned": assigned_to(request.user, course),
        "assignments": overview.assignments,
        "recurring": displayed_pairs(request, overview.recurring[:RECURRING_LISTED]),
        "more_recurring": max(0, len(overview.recurring) - RECURRING_LISTED),
        "students": read.roster_size(course),
        "deletions": deletions_ahead(course),
        "months_kept": months_kept(course),
        "source_days_kept": source_days_kept(course),
        "source_deletions": source_deletions_ahead(course),
        "requests": open_reading_requests(course) if may_share else 0,
        "stopped_links": assignments_with_stopped_shares(course) if may_share else (),
    }
    return render(request, "submissions/courses/course.html", context, status=_status(form))


@signed_in("GET", "POST")
def rename(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Change the name of a course, how long its assignments are kept, and whether the archive has them."""
    course = find_course(request.user, pk, Right.MANAGE)
    form = CourseSettingsForm(course.owner, request.POST or None, instance=course)
    if not may(request.user, Right.OWN, course):
        form.keep_archive()
    if form.is_valid():
        return redirect(form.save())
    # The form has written the submitted name into its instance; the page needs the stored one.
    context = {"form": form, "course": find_course(request.user, pk, Right.MANAGE) if form.errors else course}
    return render(request, "submissions/courses/rename.html", context, status=_status(form))


@signed_in("GET", "POST")
def delete(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Ask for confirmation, then delete a course with all its assignments."""
    course = find_course(request.user, pk, Right.OWN)
    if request.method == "POST":
        try:
            delete_course(course)
        except Held as held:
            return changed_meanwhile(request, str(held), course.get_absolute_url())
        messages.info(request, _("{name} was deleted with all its assignments.").format(name=course.name))
        return redirect("courses")
    context = {
        "kind": "course",
        "name": course.name,
        "course": course,
        "losses": lost_with_course(course),
        "held": shown_holds(request, Q(course=course)),
        "cancel_url": course.get_absolute_url(),
    }
    return render(request, "submissions/courses/delete.html", context)


@signed_in("GET", "POST")
def delete_assignment(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Ask for confirmation, then delete an assignment with its uploads, reports and decisions."""
    assignment = find_assignment(request.user, pk, Right.DELETE)
    if request.method == "POST":
        try:
            deletions.delete_assignment(assignment)
        except Held as held:
            return changed_meanwhile(request, str(held), assignment.get_absolute_url())
        text = _("{name} was deleted with everything that belonged to it.")
        messages.info(request, text.format(name=assignment.name))
        return redirect(assignment.course)
    context = {
        "kind": "assignment",
        "name": assignment.name,
        "assignment": assignment,
        "losses": lost_with_assignment(assignment),
        "held": shown_holds(request, Q(pk=assignment.pk)),
        "cancel_url": assignment.get_absolute_url(),
    }
    return render(request, "submissions/courses/delete.html", context)


def _status(form: CourseForm | AssignmentForm) -> int:
    return 422 if form.errors else 200


class InvitationRow(NamedTuple):
    """An invitation that was not accepted yet; `url` is its link for the inviter, "" for others."""

    invitation: Invitation
    url: str


@signed_in("GET", "POST")
def people(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """List the people of a course; invite somebody, which takes the right to invite."""
    course = read.course_with_people(request.user, pk)
    if request.method == "POST":
        find_course(request.user, pk, Right.INVITE)
    form = InvitationForm(request.user, request.POST or None)
    if form.is_valid():
        invitation = actions.invite(course, request.user, form.cleaned_data["email"], form.cleaned_data["role"])
        _announce(request, invitation)
        actions.mail_owner(request, request.user, course, actions.access_text(invitation))
        return redirect(f"{reverse('people', args=[pk])}#invitation-{invitation.pk}")
    return _page(request, course, **({"form": form} if form.errors else {}))


def _page(request: AuthenticatedRequest, course: Course, **forms: Form) -> HttpResponse:
    listed = read.people_of(course)
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
    return InvitationRow(invitation, actions.invitation_address(request, invitation) if is_inviter else "")


def _announce(request: AuthenticatedRequest, invitation: Invitation) -> None:
    """Send an invitation by mail where mail is set, or ask the inviter to send its link."""
    if actions.mail_invitation(request, invitation):
        messages.success(request, _("The invitation was sent to {email}.").format(email=invitation.email))
    elif settings.MAIL:
        messages.warning(request, _("The mail could not be sent: send the link to the person yourself."))
    else:
        messages.success(request, _("The invitation is ready: send its link to the person."))


@signed_in("POST")
def add_group(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Set the role of the members of a campus group, from their next sign-in on."""
    course = find_course(request.user, pk, Right.INVITE)
    form = CampusGroupForm(course, request.POST)
    if not form.is_valid():
        return _page(request, course, group_form=form)
    form.instance.added_by = request.user
    actions.mail_owner(request, request.user, course, actions.access_text(form.save()))
    messages.success(request, _("It applies to each member from their next sign-in on."))
    return redirect("people", pk)


@signed_in("POST")
def remove_group(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Remove a campus group from a course, and the memberships that the group gave to its members."""
    group = read.find_group(request.user, pk)
    actions.remove_group(group)
    messages.info(request, _("The group {group} was removed, with its members.").format(group=group.group))
    return redirect("people", group.course_id)


@signed_in("POST")
def change_role(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Change the role of a member; nobody changes the own role."""
    membership = read.find_membership(request.user, pk, Right.INVITE)
    form = RoleForm(request.POST)
    if form.is_valid():
        actions.change_role(membership, form.cleaned_data["role"], request.user)
        actions.mail_owner(request, request.user, membership.course, actions.access_text(membership))
        messages.success(request, _("Saved."))
    return redirect("people", membership.course_id)


@signed_in("POST")
def remove(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """End a membership: one's own, or as somebody who manages the course."""
    membership = read.find_membership(request.user, pk)
    actions.remove_member(membership)
    text = _("{user} is no longer a member of {course}. Decisions stay.")
    messages.info(request, text.format(user=membership.user.get_username(), course=membership.course.name))
    left = membership.user_id == request.user.pk and not request.user.is_staff
    return redirect("courses") if left else redirect("people", membership.course_id)


@signed_in("POST")
def withdraw(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Delete an invitation: its link ends."""
    invitation = read.find_invitation(request.user, pk)
    invitation.delete()
    messages.info(request, _("The invitation of {email} was withdrawn.").format(email=invitation.email))
    return redirect("people", invitation.course_id)


@signed_in("POST")
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
    actions.mail_owner(request, request.user, course, request.audit_subject, owner=former)
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


@signed_in("GET", "POST")
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
    page = Paginator(read.administered_courses(), COURSES_A_PAGE).get_page(request.GET.get("page"))
    context = {"courses": page, "archive": read.archive_size()}
    return render(request, "submissions/department/department.html", context)


@never_cache
@takes_files
@signed_in("GET", "POST")
def roster(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Show the roster of a course and how it fits what was handed in; add or replace it."""
    course = find_course(request.user, pk, right_for(request, Right.CHANGE))
    form = RosterForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        stored = actions.replace_roster(course, form.cleaned_data["file"].name or "roster", form.roster)
        count = len(form.roster.students)
        text = ngettext("{n} student was read from {file}.", "{n} students were read from {file}.", count)
        messages.info(request, text.format(n=f"{count:,}", file=stored.name))
        return redirect("roster", pk=course.pk)
    context = {"course": course, "form": form} | _roster_context(request, course)
    return render(request, "submissions/courses/roster.html", context, status=422 if form.errors else 200)


def _roster_context(request: AuthenticatedRequest, course: Course) -> dict[str, Any]:
    """Return the context of a stored roster; without anything that names students where names are hidden."""
    roster = read.roster_of(course)
    hidden = hides_names(request, course)
    if not roster or hidden:
        return {"roster": roster, "hidden": hidden}
    students = Paginator(read.roster_students(roster), STUDENTS_A_PAGE)
    return {
        "roster": roster,
        "hidden": False,
        "students": students.get_page(request.GET.get("page")),
        "fits": read.roster_by_assignment(course, roster),
    }


@signed_in("POST")
def remove_course_roster(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    course = find_course(request.user, pk, Right.CHANGE)
    actions.remove_roster(course)
    messages.info(request, _("The roster was removed. Submissions have the names of their uploads again."))
    return redirect("roster", pk=course.pk)
