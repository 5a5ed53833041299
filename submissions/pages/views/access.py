from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec

from django.http import HttpRequest
from django.shortcuts import render

from submissions import queries

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.contrib.auth.models import User
    from django.http import HttpResponse
    from django_htmx.middleware import HtmxDetails

Given = ParamSpec("Given")


class SignedIn(HttpRequest):
    """What a view behind `login_required` gets."""

    user: User
    htmx: HtmxDetails


def tells_what_is_gone(
    view: Callable[Concatenate[SignedIn, Given], HttpResponse],
) -> Callable[Concatenate[SignedIn, Given], HttpResponse]:
    """Answer 410 with the reason where a view asks for what was deleted."""

    @wraps(view)
    def answer(request: SignedIn, /, *args: Given.args, **kwargs: Given.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except queries.Gone as gone:
            return render(request, "410.html", {"reason": str(gone)}, status=410)

    return answer
