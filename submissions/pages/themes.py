"""The theme of the pages, light or dark: a cookie of the browser, without one as the system has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

COOKIE = f"{settings.COOKIE_PREFIX}theme"
YEAR_SECONDS = 365 * 24 * 60 * 60
# The values of the switch with their labels; the first one needs no cookie.
SYSTEM = "system"
THEMES = {SYSTEM: "As the system", "light": "Light", "dark": "Dark"}


def theme_of(request: HttpRequest) -> str:
    """Return the theme that the browser remembers; a made-up value counts as none."""
    theme = request.COOKIES.get(COOKIE, SYSTEM)
    return theme if theme in THEMES else SYSTEM


def remember_theme(response: HttpResponse, theme: str) -> None:
    """Let the browser remember a theme for a year, or forget it."""
    if theme == SYSTEM:
        response.delete_cookie(COOKIE, samesite="Lax")
        return
    secure = settings.SESSION_COOKIE_SECURE
    response.set_cookie(COOKIE, theme, max_age=YEAR_SECONDS, secure=secure, httponly=True, samesite="Lax")
