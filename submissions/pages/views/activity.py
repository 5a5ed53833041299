from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from submissions import actions, queries
from submissions.pseudonyms.names import names_for

if TYPE_CHECKING:
    from submissions.pages.views.access import SignedIn

# No key of a table has more.
DIGITS = 20


@login_required
@require_GET
def activity(request: SignedIn, pk: int) -> HttpResponse:
    """Say what is being done for this assignment: a fragment, asked for every second while anything is.

    `seen` is the report that the asking page shows, `was` the version of what it says already.
    """
    of = queries.assignment(request.user, pk)
    found = queries.activity(of, queries.report_state(of))
    if request.GET.get("was") == found.version:
        return HttpResponse(status=204)
    seen = request.GET.get("seen", "")
    context = {
        "assignment": of,
        "names": names_for(request, of),
        "activity": found,
        "seen": int(seen) if seen.isdecimal() and len(seen) < DIGITS else 0,
        "back": request.htmx.current_url_abs_path or of.get_absolute_url(),
    }
    return render(request, "submissions/_activity_now.html", context)


@login_required
@require_POST
def cancel_ranking(request: SignedIn, pk: int) -> HttpResponse:
    of = queries.assignment(request.user, pk)
    if not actions.cancel_ranking(of):
        messages.info(request, "The ranking had ended already.")
    return redirect(of)
