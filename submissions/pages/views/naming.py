"""Switch between real names and aliases for one session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.http import HttpResponseRedirect
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from submissions.pages.views.access import is_path_of_this_site
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
    # Not redirect(page): it would look up a page that is no path among the names of the URL patterns.
    return HttpResponseRedirect(page) if is_path_of_this_site(page) else redirect("courses")
