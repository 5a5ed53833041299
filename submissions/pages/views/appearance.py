"""Switch the theme and the language of the pages and to invented names, and dismiss hints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from submissions.actions.accounts import dismiss_hint
from submissions.pages.fixed_texts import HINTS
from submissions.pages.languages import BROWSER, languages, remember_language
from submissions.pages.themes import SYSTEM, THEMES, remember_theme
from submissions.pages.views.access import is_path_of_this_site
from submissions.pseudonyms.names import ANONYMOUS

if TYPE_CHECKING:
    from django.http import HttpRequest

    from submissions.pages.views.access import AuthenticatedRequest


@login_required
@require_POST
def switch_theme(request: AuthenticatedRequest) -> HttpResponse:
    """Remember a theme, and go back to the page that the form was on."""
    theme = request.POST.get("theme", "")
    response = _back_to(request.POST.get("next", ""))
    remember_theme(response, theme if theme in THEMES else SYSTEM)
    return response


@require_POST
def switch_language(request: HttpRequest) -> HttpResponse:
    """Remember a language, signed in or not, and go back to the page that the form was on."""
    language = request.POST.get("language", "")
    response = _back_to(request.POST.get("next", ""))
    remember_language(response, language if language in languages() else BROWSER)
    return response


@login_required
@require_POST
def dismiss(request: AuthenticatedRequest) -> HttpResponse:
    """Dismiss a hint: htmx puts the empty answer in its place, another browser goes back to the page."""
    if (name := request.POST.get("hint", "")) in HINTS:
        dismiss_hint(request.user, name)
    return HttpResponse() if request.htmx else _back_to(request.POST.get("next", ""))


@login_required
@require_POST
def switch_names(request: AuthenticatedRequest) -> HttpResponse:
    """Turn aliases on or off for this session, and go back to the page that the form was on."""
    request.session[ANONYMOUS] = request.POST.get("names") == "made-up"
    return _back_to(request.POST.get("next", ""))


def _back_to(page: str) -> HttpResponse:
    # Not redirect(page): it would look up a page that is no path among the names of the URL patterns.
    return HttpResponseRedirect(page) if is_path_of_this_site(page) else redirect("courses")
