"""The request type of signed-in views, where they may lead to, and the 410 page for deleted objects."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Concatenate, NamedTuple, ParamSpec

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from submissions.permissions import Right
from submissions.pseudonyms.names import hides_names
from submissions.queries.access import Gone
from submissions.queries.retention_rules import holds_on

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.contrib.auth.models import User
    from django.db.models import Q
    from django_htmx.middleware import HtmxDetails

    from submissions.models import Assignment

ViewArgs = ParamSpec("ViewArgs")


class AuthenticatedRequest(HttpRequest):
    """The request of a view behind `login_required`."""

    user: User
    htmx: HtmxDetails
    # As the audit log notes it; `moss.audit` sets it.
    audit_address: str | None
    # What was uploaded, or who got a course, for the audit log; `moss.audit` reads it.
    audit_subject: str


class ShownHold(NamedTuple):
    """A hold on an assignment; `reason` is "" for a reader from whom names are hidden: it can have some."""

    assignment: Assignment
    reason: str


def shown_holds(request: HttpRequest, assignments: Q) -> list[ShownHold]:
    """Return the holds that keep what is of these assignments, also those of courses that compare with it."""
    return [
        ShownHold(one, "" if hides_names(request, one.course) else one.hold) for one in holds_on(assignments)
    ]


def right_for(request: HttpRequest, right: Right) -> Right:
    """Return the right that a page with a form takes: `right` to send the form, to read for its display."""
    return right if request.method == "POST" else Right.READ


def is_path_of_this_site(address: str) -> bool:
    """Return whether an address is an absolute path that no browser reads as the address of another site."""
    return address.startswith("/") and url_has_allowed_host_and_scheme(address, allowed_hosts=None)


def redirect_with_query(request: HttpRequest, name: str, *arguments: int) -> HttpResponse:
    """Redirect to a page with the query of the request."""
    query = request.META["QUERY_STRING"]
    return redirect(reverse(name, args=arguments) + (f"?{query}" if query else ""))


def changed_meanwhile(request: AuthenticatedRequest, reason: str, address: str) -> HttpResponse:
    """Refuse a change of something that is not what its page showed; htmx gets the reason as plain text."""
    if request.htmx:
        return HttpResponse(reason, status=409, content_type="text/plain; charset=utf-8")
    return render(request, "409.html", {"reason": reason, "address": address}, status=409)


def hide_address(response: HttpResponse) -> HttpResponse:
    """Keep a page out of search engines and caches, and its address, which opens it, out of referrers."""
    response["X-Robots-Tag"] = "noindex, nofollow"
    response["Referrer-Policy"] = "no-referrer"
    response["Cache-Control"] = "no-store, private"
    return response


def staff_only(
    view: Callable[Concatenate[AuthenticatedRequest, ViewArgs], HttpResponse],
) -> Callable[..., HttpResponse]:
    """Ask for sign-in, and answer users who are no staff as if there was no such page."""

    @wraps(view)
    def wrapper(
        request: AuthenticatedRequest, /, *args: ViewArgs.args, **kwargs: ViewArgs.kwargs
    ) -> HttpResponse:
        if not request.user.is_staff:
            raise Http404("Only staff may see this.")
        return view(request, *args, **kwargs)

    return login_required(wrapper)


def gone_as_410(
    view: Callable[Concatenate[AuthenticatedRequest, ViewArgs], HttpResponse],
) -> Callable[Concatenate[AuthenticatedRequest, ViewArgs], HttpResponse]:
    """Answer with a 410 page and the reason when the view raises `Gone`: its object was deleted."""

    @wraps(view)
    def wrapper(
        request: AuthenticatedRequest, /, *args: ViewArgs.args, **kwargs: ViewArgs.kwargs
    ) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except Gone as gone:
            return render(request, "410.html", {"reason": str(gone)}, status=410)

    return wrapper
