"""Switch between real names and aliases for one session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from submissions.pseudonyms.names import ANONYMOUS

if TYPE_CHECKING:
    from django.http import HttpResponse

    from submissions.pages.views.access import AuthenticatedRequest


@login_required
@require_POST
def switch(request: AuthenticatedRequest) -> HttpResponse:
    """Turn aliases on or off, and go back to the page that the form was on."""
    request.session[ANONYMOUS] = request.POST.get("names") == "made-up"
    page = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(page, {request.get_host()}, require_https=request.is_secure())
    return redirect(page if safe else "courses")
