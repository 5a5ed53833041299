"""Pages behind a share link, which need no account."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from django.http import Http404
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from submissions.actions.shares import ForgedToken, ShareEnded, find_share
from submissions.pages.report.case_page import case_context
from submissions.pages.report.cases import listed_case
from submissions.pages.views.access import hide_address
from submissions.pages.views.assignments import filtered_response, report_page_context
from submissions.pages.views.pairs import pair_context
from submissions.pseudonyms.names import anonymous_names, asks_of_people, real_names
from submissions.queries.pairs import find_pair
from submissions.queries.reports import report_state
from submissions.queries.shares import pair_by_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

    from submissions.models import Pair, Share
    from submissions.pseudonyms.names import Names
    from submissions.queries.reports import ReportState


def _with_share(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Pass the share of the address's token to the view, or return a page that says why it is invalid."""

    @require_safe
    @wraps(view)
    def wrapper(request: HttpRequest, token: str, **sides: int | str) -> HttpResponse:
        try:
            response = view(request, find_share(token), **sides)
        except ForgedToken:
            response = render(
                request, "submissions/shares/shared_forged.html", {"readonly": True}, status=403
            )
        except ShareEnded as ended:
            context = {"readonly": True, "reason": str(ended)}
            response = render(request, "submissions/shares/shared_ended.html", context, status=410)
        except Http404:
            response = render(
                request,
                "submissions/shares/shared_unknown.html",
                {"readonly": True, "token": token},
                status=404,
            )
        return hide_address(response)

    return wrapper


@_with_share
def report(request: HttpRequest, share: Share, tab: str = "cases") -> HttpResponse:
    """Show a tab of the newest report, or the one pair that the link is for."""
    if share.left and tab != "cases":
        raise Http404("No report behind this link.")
    if share.left:
        state = report_state(share.assignment)
        return _pair_page(request, share, state, _shared_pair(share, state))
    if request.GET.get("decision") or request.GET.get("assignee") or asks_of_people(request.GET.get("q", "")):
        raise Http404("What was decided, by whom, and who is in which team is not shared.")
    extra_context = _share_context(request, share)
    names = _names(share)
    if part := filtered_response(request, share.assignment, names, tab):
        return part
    context = report_page_context(request, share.assignment, names, tab) | extra_context
    return render(request, "submissions/shares/shared_report.html", context)


@_with_share
def pair(request: HttpRequest, share: Share, left_id: int, right_id: int) -> HttpResponse:
    """Show a pair of the report; a link to one pair shows no other."""
    state = report_state(share.assignment)
    pair = find_pair(state.report, left_id, right_id) if state.report else None
    if not pair or (share.left and (pair.left.name, pair.right.name) != (share.left, share.right)):
        raise Http404("No such pair.")
    return _pair_page(request, share, state, pair)


@_with_share
def case(request: HttpRequest, share: Share, submission_id: int) -> HttpResponse:
    """Show a case of the report; a link to one pair shows no case."""
    report = report_state(share.assignment).report
    names = _names(share)
    case = listed_case(report, request.GET, names, submission_id) if report and not share.left else None
    if not report or not case:
        raise Http404("No such case.")
    context = {"assignment": share.assignment, "names": names, "query": request.GET}
    context |= case_context(report, case, names) | _share_context(request, share)
    return render(request, "submissions/shares/shared_case.html", context)


def _shared_pair(share: Share, state: ReportState) -> Pair:
    pair = pair_by_names(state.report, share.left, share.right) if state.report else None
    if not pair:
        raise ShareEnded(_("This link was to a pair that is not in the newest report any more."))
    return pair


def _pair_page(request: HttpRequest, share: Share, state: ReportState, pair: Pair) -> HttpResponse:
    context = pair_context(request, state, pair, _names(share)) | _share_context(request, share)
    return render(request, "submissions/shares/shared_pair.html", context)


def _names(share: Share) -> Names:
    return anonymous_names(share.assignment) if share.anonymous else real_names(share.assignment)


def _share_context(request: HttpRequest, share: Share) -> dict[str, Any]:
    """Return the part of the context that makes a page a shared one."""
    match = request.resolver_match
    token = match.kwargs["token"] if match else ""
    return {"readonly": True, "token": token, "share": share}
