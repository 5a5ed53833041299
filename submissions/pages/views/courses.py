"""Courses: listing, creating, renaming and deleting them, and their assignments."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from submissions.actions import deletions
from submissions.actions.accounts import QuotaExceeded
from submissions.actions.deletions import Held, delete_course
from submissions.actions.uploads import compare_files
from submissions.pages.forms.assignments import AssignmentForm
from submissions.pages.forms.courses import CourseForm, CourseSettingsForm
from submissions.pages.forms.uploads import UploadForm
from submissions.pages.request_bodies import takes_files
from submissions.pages.views.access import changed_meanwhile, right_for, shown_holds
from submissions.permissions import Right, may
from submissions.pseudonyms.names import names_for
from submissions.queries.access import find_assignment, find_course
from submissions.queries.archive import open_reading_requests
from submissions.queries.decisions import assigned_to
from submissions.queries.lists import listed_courses
from submissions.queries.people import roster_size
from submissions.queries.recurring import RecurringPair, course_overview
from submissions.queries.retention_rules import (
    deletions_ahead,
    lost_with_assignment,
    lost_with_course,
    months_kept,
    source_days_kept,
    source_deletions_ahead,
)
from submissions.queries.shares import assignments_with_stopped_shares

if TYPE_CHECKING:
    from django.http import HttpResponse

    from submissions.models import Assignment
    from submissions.pages.views.access import AuthenticatedRequest
    from submissions.pseudonyms.names import Names
    from submissions.queries.recurring import PairMeeting

# Pairs of students that a course's page lists.
RECURRING_LISTED = 20


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


def displayed_pairs(request: AuthenticatedRequest, pairs: list[RecurringPair]) -> list[DisplayedRecurring]:
    """Return pairs of students with the names that the user has chosen to see.

    Made-up names differ from one assignment to the next: a pair then has those of its last assignment.
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


@login_required
@require_http_methods(["GET", "POST"])
def index(request: AuthenticatedRequest) -> HttpResponse:
    """List the courses, and create one."""
    form = CourseForm(request.user, request.POST or None)
    if form.is_valid():
        return redirect(form.save())
    rows = listed_courses(request.user)
    return render(
        request,
        "submissions/courses/courses.html",
        {"form": form, "courses": rows, "assigned": assigned_to(request.user), "compare_form": UploadForm()},
        status=_status(form),
    )


@takes_files
@login_required
@require_POST
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
    context = {"form": CourseForm(request.user), "courses": listed_courses(request.user)}
    context |= {"assigned": assigned_to(request.user), "compare_form": form}
    return render(request, "submissions/courses/courses.html", context, status=422)


@login_required
@require_http_methods(["GET", "POST"])
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
    overview = course_overview(course, request.user)
    may_share = may(request.user, Right.SHARE, course)
    context = {
        "form": form,
        "course": course,
        "assigned": assigned_to(request.user, course),
        "assignments": overview.assignments,
        "recurring": displayed_pairs(request, overview.recurring[:RECURRING_LISTED]),
        "more_recurring": max(0, len(overview.recurring) - RECURRING_LISTED),
        "students": roster_size(course),
        "deletions": deletions_ahead(course),
        "months_kept": months_kept(course),
        "source_days_kept": source_days_kept(course),
        "source_deletions": source_deletions_ahead(course),
        "requests": open_reading_requests(course) if may_share else 0,
        "stopped_links": assignments_with_stopped_shares(course) if may_share else (),
    }
    return render(request, "submissions/courses/course.html", context, status=_status(form))


@login_required
@require_http_methods(["GET", "POST"])
def rename(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Change the name of a course, how long its assignments are kept, and whether the archive has them."""
    course = find_course(request.user, pk, Right.MANAGE)
    form = CourseSettingsForm(course.owner, request.POST or None, instance=course)
    if not may(request.user, Right.OWN, course):
        form.keep_archive()
    if form.is_valid():
        return redirect(form.save())
    # The form has written the submitted name into its instance; the page needs the stored one.
    context = {
        "form": form,
        "course": find_course(request.user, pk, Right.MANAGE) if form.errors else course,
    }
    return render(request, "submissions/courses/rename.html", context, status=_status(form))


@login_required
@require_http_methods(["GET", "POST"])
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


@login_required
@require_http_methods(["GET", "POST"])
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
