"""The old result pages, and the user id on the page of the account."""

from __future__ import annotations

from functools import wraps
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any

from csp.constants import SELF
from csp.decorators import csp_replace
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, override
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_GET, require_POST

from moss.integrations.moss_protocol import results
from moss.integrations.moss_protocol.acts import record_reading
from moss.integrations.moss_protocol.models import renew_user_id
from submissions.core.access import Gone, find_assignment
from submissions.core.rights import Right
from submissions.pages.requests import hide_address

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.contrib.auth.models import User
    from django.http import HttpRequest

    from moss.integrations.moss_protocol.models import ClientResult
    from moss.integrations.moss_protocol.results import Match

    class AuthenticatedRequest(HttpRequest):
        user: User


# Matches that a process reads at a time: each may have megabytes of sources.
READERS = BoundedSemaphore(2)
TEMPLATES = {"": "match", "-top": "match_top", "-0": "match_side", "-1": "match_side"}
# Clients ask again after this time, in seconds, where a report is not ready.
ASK_AGAIN = "30"


def _of_result(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Pass a view the result of its address; ask for an account that may read it where that is set."""

    @require_GET
    @wraps(view)
    def wrapper(request: HttpRequest, number: str, key: str, **part: str | None) -> HttpResponse:
        try:
            result = results.client_result(int(number), key)
        except Gone as gone:
            return hide_address(render(request, "410.html", {"reason": str(gone)}, status=410))
        if settings.RESULTS_SIGN_IN:
            if not request.user.is_authenticated:
                return hide_address(redirect_to_login(request.get_full_path()))
            find_assignment(request.user, result.assignment_id, Right.SEE_NAMES)
        return view(request, result, key, **part)

    return wrapper


@_of_result
def index(request: HttpRequest, result: ClientResult, key: str) -> HttpResponse:
    """List the pairs of an upload as the MOSS service did."""
    report = results.newest_report(result)
    if report is None:
        response = HttpResponse("The report is not ready yet.\n", "text/plain; charset=utf-8", 503)
        response.headers["Retry-After"] = ASK_AGAIN
        return hide_address(response)
    record_reading(request, result)
    created = timezone.localtime(result.created)
    context = {
        "matches": results.matches(result, report),
        "date": f"{created:%a %b} {created.day:2d} {created:%H:%M:%S %Z %Y}",
        "errors": results.refused_files(result),
    }
    return _page(request, "index", result, key, context)


@xframe_options_sameorigin
@csp_replace({"frame-ancestors": [SELF]})
@_of_result
def match(
    request: HttpRequest, result: ClientResult, key: str, rank: str, part: str | None = None
) -> HttpResponse:
    """Show a pair: the frames, the line ranges, or one of the two sides."""
    report = results.newest_report(result)
    if report is None:
        raise Http404("No report.")
    of_rank = results.match(result, report, int(rank))
    record_reading(request, result, "; ".join(sorted((of_rank.pair.left.name, of_rank.pair.right.name))))
    with READERS:
        return _page(request, TEMPLATES[part or ""], result, key, _match_context(of_rank, part or ""))


def _match_context(one: Match, part: str) -> dict[str, Any]:
    context: dict[str, Any] = {"match": one}
    if part:
        # Imported here because it loads the front-ends, which other pages do not need.
        from moss.integrations.moss_protocol.results import match_texts  # noqa: PLC0415

        side = {"-0": 0, "-1": 1}.get(part)
        context["texts"] = match_texts(one.pair, side)
        context["side"], context["other"] = side, 1 - (side or 0)
        context["name"] = one.right if side else one.left
    return context


def _page(
    request: HttpRequest, template: str, result: ClientResult, key: str, context: dict[str, Any]
) -> HttpResponse:
    here = request.build_absolute_uri(reverse("client_result", kwargs={"number": result.pk, "key": key}))
    modern = request.build_absolute_uri(result.assignment.get_absolute_url())
    with override("en"):  # Programs read these pages.
        page = render(
            request,
            f"moss_protocol/{template}.html",
            {"result": result, "here": here, "modern": modern} | context,
        )
    return hide_address(page)


@login_required
@require_POST
def renew(request: AuthenticatedRequest) -> HttpResponse:
    """Replace the MOSS user id of the user."""
    renew_user_id(request.user)
    messages.success(request, _("You have a new MOSS user id. Scripts with the old one are refused."))
    return redirect("account")
