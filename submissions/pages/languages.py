"""The language of the pages: a cookie of the browser, without one what the browser asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _

from submissions.pages.themes import YEAR_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

# The first value of the switch, which needs no cookie.
BROWSER = "browser"


def languages() -> dict[str, str]:
    """Return the values of the switch with their labels; each language is named in itself."""
    return {BROWSER: _("As the browser"), **dict(settings.LANGUAGES)}


def chosen_language(request: HttpRequest) -> str:
    """Return the language that the browser remembers; a made-up value counts as none."""
    chosen = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, BROWSER)
    return chosen if chosen in languages() else BROWSER


def remember_language(response: HttpResponse, language: str) -> None:
    """Let the browser remember a language for a year, or forget it."""
    name = settings.LANGUAGE_COOKIE_NAME
    if language == BROWSER:
        response.delete_cookie(name, samesite="Lax")
        return
    secure = settings.SESSION_COOKIE_SECURE
    response.set_cookie(name, language, max_age=YEAR_SECONDS, secure=secure, httponly=True, samesite="Lax")


class PageLanguage:
    """Answer each request in the language of its cookie, or else of its Accept-Language header."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with translation.override(translation.get_language_from_request(request)):
            response = self.get_response(request)
        patch_vary_headers(response, ("Accept-Language", "Cookie"))
        return response
