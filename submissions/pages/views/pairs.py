from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from submissions import queries
from submissions.actions import ignore_passage
from submissions.pages.views.decisions import decision_context
from submissions.pseudonyms.names import names_for

if TYPE_CHECKING:
    from django.http import HttpResponse

    from submissions.models import Assignment, Pair
    from submissions.pages.views.access import SignedIn
    from submissions.pseudonyms.names import Names
    from submissions.queries.reports import ReportState

GONE = (
    "That passage is not in the newest report any more, so nothing was changed. These are its passages now."
)


@login_required
@require_GET
def pair(request: SignedIn, pk: int, left_id: int, right_id: int) -> HttpResponse:
    """Show two submissions side by side, as the newest report ranks them.

    The address names submissions, not a pair's row, so that it outlives a ranking.
    """
    of = queries.assignment(request.user, pk)
    state = queries.report_state(of)
    found = queries.pair(state.shown, left_id, right_id) if state.shown else None
    if state.shown and not found and queries.pair(state.shown, right_id, left_id):
        return redirect("pair", pk, right_id, left_id)
    if not found:
        return _not_ranked(request, of, left_id, right_id)
    names = names_for(request, of)
    context = {
        **pair_context(of, found, names),
        **decision_context(of, queries.PairNames.of(found), names, request.GET),
        "activity": queries.activity(of, state),
        "before": _before(request, state),
    }
    return render(request, "submissions/pair.html", context)


def pair_context(of: Assignment, found: Pair, names: Names) -> dict[str, Any]:
    """Give all that `_pair.html` shows of a pair of the newest report."""
    # The front-ends and their lexers are loaded by the first pair page, not by every page.
    from submissions.pages.source_view.pair_view import view_pair  # noqa: PLC0415

    return {"assignment": of, "names": names, "view": view_pair(found, names)}


def _before(request: SignedIn, state: ReportState) -> float | None:
    """Give the similarity before a passage was ignored, once the pairs are ranked without it."""
    percent = request.GET.get("before", "")
    if state.pending or percent not in map(str, range(101)):
        return None
    return int(percent) / 100


@login_required
@require_POST
def ignore(request: SignedIn, pk: int, left_id: int, right_id: int) -> HttpResponse:
    """Take a passage of a pair for boilerplate, and show the pair while the rest is ranked anew."""
    of = queries.assignment(request.user, pk)
    shown = queries.report_state(of).shown
    found = queries.pair(shown, left_id, right_id) if shown else None
    if not found:
        return _not_ranked(request, of, left_id, right_id)
    address = reverse("pair", args=[pk, left_id, right_id])
    if not ignore_passage(of, found, request.POST.get("passage", "")):
        messages.warning(request, GONE)
        return redirect(address)
    return redirect(f"{address}?before={round(found.similarity * 100)}")


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
