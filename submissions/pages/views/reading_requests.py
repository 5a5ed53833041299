"""Ask to read a pair with work of another course, and answer such requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from submissions.actions import shares as actions
from submissions.permissions import Right
from submissions.pseudonyms.names import names_for
from submissions.queries.access import find_assignment
from submissions.queries.archive import find_request, requests_of
from submissions.queries.pairs import find_pair
from submissions.queries.reports import report_state
from submissions.queries.withheld import withheld_pair

if TYPE_CHECKING:
    from django.http import HttpResponse

    from submissions.models import Course, ReadingRequest, Report
    from submissions.pages.views.access import AuthenticatedRequest


class RequestRow(NamedTuple):
    """A request to read work of a course; `student` is the course's own, as the reader may see the name."""

    request: ReadingRequest
    student: str
    answers: list[str]


@login_required
@require_POST
def ask(request: AuthenticatedRequest, pk: int, left_id: int, right_id: int) -> HttpResponse:
    """Ask the owner of another course to let the readers of this one read a pair with its work."""
    assignment = find_assignment(request.user, pk, Right.DECIDE)
    report = report_state(assignment).report
    pair = withheld_pair(report, left_id, right_id) if report else None
    if not pair:
        return _nothing_to_ask(request, report, pk, left_id, right_id)
    if actions.ask_to_read(pair, request.user):
        address = request.build_absolute_uri(reverse("people", args=[pair.course.pk]) + "#requests")
        sent = settings.MAIL and actions.announce_request(pair, request.user, address)
        messages.success(request, _("You asked. The pair opens here when they agree."))
        if not sent:
            messages.info(request, _("No mail was sent: tell them that your request waits in their course."))
    return redirect(reverse("pairs", args=[pk]) + "#withheld")


def _nothing_to_ask(
    request: AuthenticatedRequest, report: Report | None, pk: int, left_id: int, right_id: int
) -> HttpResponse:
    """Lead to a pair that can be read, or raise Http404."""
    if not report or not find_pair(report, left_id, right_id):
        raise Http404("No such pair.")
    messages.info(request, _("You may read this pair."))
    return redirect("pair", pk, left_id, right_id)


@login_required
@require_POST
def answer(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Agree to a request, refuse it, or withdraw an agreement."""
    reading_request = find_request(request.user, pk)
    course = reading_request.old.batch.assignment.course
    if actions.answer_request(reading_request, request.user, request.POST.get("state", "")):
        asking = reading_request.new.batch.assignment_id
        if settings.MAIL:
            address = request.build_absolute_uri(reverse("pairs", args=[asking]))
            actions.announce_answer(reading_request, address)
        messages.success(request, _("Your answer was stored."))
    return redirect(reverse("people", args=[course.pk]) + "#requests")


def request_rows(request: AuthenticatedRequest, course: Course) -> list[RequestRow]:
    """Return the requests to read work of a course, newest first, as who may answer them sees them."""
    rows = list(requests_of(course))
    assignments = {row.old.batch.assignment_id: row.old.batch.assignment for row in rows}
    names = {pk: names_for(request, assignment) for pk, assignment in assignments.items()}
    return [
        RequestRow(
            row,
            names[row.old.batch.assignment_id].display_name(row.old.name),
            sorted(actions.ANSWERS[row.State(row.state)]),
        )
        for row in rows
    ]
