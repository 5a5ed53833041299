"""What a link shows to whoever has it, without signing in."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from django.http import Http404
from django.shortcuts import render
from django.views.decorators.http import require_safe

from submissions import queries
from submissions.actions.shares import ForgedToken, ShareEnded, find_share
from submissions.pages.report.overview import report_context
from submissions.pages.views.assignments import filtered
from submissions.pages.views.pairs import pair_context
from submissions.pseudonyms.names import Names, anonymous

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

    from submissions.models import Pair, Share

# Nobody finds the page in a search, its address is not told to others, and no cache keeps what was revoked.
HEADERS = {
    "X-Robots-Tag": "noindex, nofollow",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store, private",
}


def _by_link(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Find the link that an address holds, or say why it does not work."""

    @require_safe
    @wraps(view)
    def answer(request: HttpRequest, token: str, **sides: int) -> HttpResponse:
        try:
            page = view(request, find_share(token), **sides)
        except ForgedToken:
            page = render(request, "submissions/shared_forged.html", {"readonly": True}, status=403)
        except ShareEnded as ended:
            context = {"readonly": True, "reason": str(ended)}
            page = render(request, "submissions/shared_ended.html", context, status=410)
        except Http404:
            page = render(
                request, "submissions/shared_unknown.html", {"readonly": True, "token": token}, status=404
            )
        for name, value in HEADERS.items():
            page[name] = value
        return page

    return answer


@_by_link
def report(request: HttpRequest, made: Share) -> HttpResponse:
    """Show the newest report, or the one pair that the link is for."""
    if made.left:
        return _pair_page(request, made, _only_pair(made))
    if request.GET.get("decision"):
        raise Http404("What was decided is not shared.")
    more = _more(request, made)
    names = _names(made)
    part = filtered(request, made.assignment, names, more)
    if part:
        return part
    context = report_context(request.GET, made.assignment, names) | more
    return render(request, "submissions/shared_report.html", context)


@_by_link
def pair(request: HttpRequest, made: Share, left_id: int, right_id: int) -> HttpResponse:
    """Show a pair of the report; a link to one pair shows no other."""
    shown = queries.report_state(made.assignment).shown
    found = queries.pair(shown, left_id, right_id) if shown else None
    if not found or (made.left and (found.left.name, found.right.name) != (made.left, made.right)):
        raise Http404("No such pair.")
    return _pair_page(request, made, found)


def _only_pair(made: Share) -> Pair:
    shown = queries.report_state(made.assignment).shown
    found = queries.pair_named(shown, made.left, made.right) if shown else None
    if not found:
        raise ShareEnded("This link was to a pair that is not in the newest report any more.")
    return found


def _pair_page(request: HttpRequest, made: Share, found: Pair) -> HttpResponse:
    context = pair_context(made.assignment, found, _names(made)) | _more(request, made)
    return render(request, "submissions/shared_pair.html", context)


def _names(made: Share) -> Names:
    return anonymous(made.assignment) if made.anonymous else Names()


def _more(request: HttpRequest, made: Share) -> dict[str, Any]:
    """Give what marks a page as one that is shared."""
    match = request.resolver_match
    token = match.kwargs["token"] if match else ""
    return {"readonly": True, "token": token, "share": made}
