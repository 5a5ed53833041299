"""The page of a pair."""

from __future__ import annotations

from functools import partial
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any

from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import render
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET

from submissions.comparison.visible import visible_html
from submissions.pages.rendered import RENDERED, part_key, render_part
from submissions.pages.report.report_page import Address
from submissions.pages.source_view.pair_file import parse_selection
from submissions.pages.views.access import redirect_with_query
from submissions.pages.views.decisions import decision_context
from submissions.permissions import Right
from submissions.pseudonyms.names import names_for
from submissions.queries.access import find_assignment
from submissions.queries.activity import activity_of
from submissions.queries.decisions import PairNames
from submissions.queries.exclusions import ignored_lines
from submissions.queries.flags import pair_flags
from submissions.queries.pairs import displayed_pair, find_pair, submission_names
from submissions.queries.reports import report_state

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from submissions.models import Assignment, Pair
    from submissions.pages.views.access import AuthenticatedRequest
    from submissions.pseudonyms.names import Names
    from submissions.queries.reports import ReportState

# Pairs that a process renders at a time: each may read megabytes of sources, which take a multiple of that.
READERS = BoundedSemaphore(2)
PASSAGE_GONE = _(
    "That passage is not in the newest report any more, so nothing was changed. These are its passages now."
)


@login_required
@require_GET
def pair(request: AuthenticatedRequest, pk: int, left_id: int, right_id: int) -> HttpResponse:
    """Show two submissions side by side, as ranked in the newest report.

    The address has the ids of the submissions, not that of the pair, so that it is valid after a new ranking.
    """
    assignment = find_assignment(request.user, pk, Right.READ)
    state = report_state(assignment)
    pair = find_pair(state.report, left_id, right_id) if state.report else None
    if not pair:
        return not_ranked(request, assignment, left_id, right_id)
    names, pair_names = names_for(request, assignment), PairNames.from_pair(pair)
    displayed = pair_names.displayed(names)
    if (displayed.left_id, displayed.right_id) != (left_id, right_id):
        return redirect_with_query(request, "pair", pk, displayed.left_id, displayed.right_id)
    context = {
        **pair_context(request, state, pair, names),
        **decision_context(assignment, pair_names, names, request.GET, pair.similarity),
        "activity": activity_of(assignment, state),
        "similarity_before": _similarity_before(request, state),
        "ignored_lines": ignored_lines(assignment, request.GET.get("ignored", "")),
    }
    return render(request, "submissions/pair/pair.html", context)


def pair_context(request: HttpRequest, state: ReportState, pair: Pair, names: Names) -> dict[str, Any]:
    """Return the context that a page of a pair of the newest report has for everybody.

    Its `parts` are the figures of the pair and the two sides, rendered once and kept.
    """
    assignment = pair.report.assignment
    query = request.GET.copy()
    for parameter in ("before", "ignored"):
        query.pop(parameter, None)
    address = Address.from_request(request, assignment.course)._replace(query=query)
    key = part_key("pair", assignment, state, names, pair.pk, *address.key)
    return {
        "assignment": assignment,
        "names": names,
        "pair": displayed_pair(pair, names),
        "parts": RENDERED.get(key, partial(_rendered, address, pair, names)),
    }


def _rendered(address: Address, pair: Pair, names: Names) -> dict[str, str]:
    # Imported here because it loads the front-ends and their lexers, which other pages do not need.
    from submissions.pages.source_view.pair_summary import pair_summary, rarity_sentence  # noqa: PLC0415
    from submissions.pages.source_view.pair_view import view_pair  # noqa: PLC0415

    with READERS:
        view = view_pair(pair, names, parse_selection(address.query))
        context = {"assignment": pair.report.assignment, "names": names, "view": view, "pair": view.pair}
        context |= address.context
        displayed = displayed_pair(pair, names)
        about = {"pair": displayed, "flags": pair_flags(displayed), "rarity": rarity_sentence(pair)}
        about["summary"] = SafeString(visible_html(pair_summary(view, names)))
        return {
            "pair": render_part("submissions/pair/_pair.html", context),
            "figures": render_part("submissions/pair/_figures.html", context | about),
        }


def _similarity_before(request: AuthenticatedRequest, state: ReportState) -> float | None:
    """Return the similarity before a passage was ignored, if the pairs have been ranked without it."""
    percent = request.GET.get("before", "")
    if state.pending or percent not in map(str, range(101)):
        return None
    return int(percent) / 100


def not_ranked(
    request: AuthenticatedRequest, assignment: Assignment, left_id: int, right_id: int
) -> HttpResponse:
    """Say that two submissions of an assignment are no pair of its newest report."""
    names = submission_names(assignment, left_id, right_id)
    if left_id == right_id or left_id not in names or right_id not in names:
        raise Http404("No such pair.")
    context = {
        "assignment": assignment,
        "names": names_for(request, assignment),
        "left": names[left_id],
        "right": names[right_id],
        "ids": (left_id, right_id),
    }
    return render(request, "submissions/pair/gone.html", context, status=404)
