"""The work in progress on an assignment, and cancelling a ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from submissions import lifecycle
from submissions.permissions import Right
from submissions.pseudonyms.names import names_for
from submissions.queries.access import find_assignment
from submissions.queries.activity import activity_of
from submissions.queries.reports import report_state

if TYPE_CHECKING:
    from submissions.pages.views.access import AuthenticatedRequest

# Primary keys have fewer digits.
MAX_DIGITS = 20


@login_required
@require_GET
def activity(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Return the fragment with an assignment's activity; the page polls it every second while work goes on.

    In the query, `seen` is the id of the report that the page displays, and `was` the version of the fragment
    that it has: the answer is 204 if that is still the current one.
    """
    assignment = find_assignment(request.user, pk, Right.READ)
    current = activity_of(assignment, report_state(assignment))
    if request.GET.get("was") == current.version:
        return HttpResponse(status=204)
    seen = request.GET.get("seen", "")
    context = {
        "assignment": assignment,
        "names": names_for(request, assignment),
        "activity": current,
        "seen": int(seen) if seen.isdecimal() and len(seen) < MAX_DIGITS else 0,
        "report_url": request.htmx.current_url_abs_path or assignment.get_absolute_url(),
    }
    return render(request, "submissions/activity/_activity_now.html", context)


@login_required
@require_POST
def cancel_ranking(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    assignment = find_assignment(request.user, pk, Right.CHANGE)
    if not lifecycle.cancel_ranking(assignment):
        messages.info(request, _("The ranking had ended already."))
    return redirect(assignment)
