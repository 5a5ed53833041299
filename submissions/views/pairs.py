from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from submissions import queries
from submissions.naming import names_for

if TYPE_CHECKING:
    from django.http import HttpResponse

    from submissions.models import Assignment
    from submissions.views.access import SignedIn


@login_required
@require_GET
def pair(request: SignedIn, pk: int, left_id: int, right_id: int) -> HttpResponse:
    """Show two submissions side by side, as the newest report ranks them.

    The address names submissions, not a pair's row, so that it outlives a ranking.
    """
    # The front-ends and their lexers are loaded by the first pair page, not by every page.
    from submissions.pairview import view_pair  # noqa: PLC0415

    of = queries.assignment(request.user, pk)
    state = queries.report_state(of)
    found = queries.pair(state.shown, left_id, right_id) if state.shown else None
    if state.shown and not found and queries.pair(state.shown, right_id, left_id):
        return redirect("pair", pk, right_id, left_id)
    if not found:
        return _not_ranked(request, of, left_id, right_id)
    names = names_for(request, of)
    context = {"assignment": of, "names": names, "state": state, "view": view_pair(found)}
    return render(request, "submissions/pair.html", context)


def _not_ranked(request: SignedIn, of: Assignment, left_id: int, right_id: int) -> HttpResponse:
    names = queries.cohort_names(of, left_id, right_id)
    if left_id not in names or right_id not in names:
        raise Http404("No such pair.")
    context = {
        "assignment": of,
        "names": names_for(request, of),
        "left": names[left_id],
        "right": names[right_id],
    }
    return render(request, "submissions/pair_gone.html", context, status=404)
