"""The theme of the pages, light or dark: a cookie of the browser, without one as the system has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

YEAR_SECONDS = 365 * 24 * 60 * 60
# The values of the switch with their labels; the first one needs no cookie.
SYSTEM = "system"
THEMES = {SYSTEM: _("As the system"), "light": _("Light"), "dark": _("Dark")}


def _cookie() -> str:
    # A function, because `moss check` renders pages without these settings.
    name: str = settings.COOKIE_PREFIX + "theme"
    return name


def theme_of(request: HttpRequest) -> str:
    """Return the theme that the browser remembers; a made-up value counts as none."""
    theme = request.COOKIES.get(_cookie(), SYSTEM)
    return theme if theme in THEMES else SYSTEM


def remember_theme(response: HttpResponse, theme: str) -> None:
    """Let the browser remember a theme for a year, or forget it."""
    if theme == SYSTEM:
        response.delete_cookie(_cookie(), samesite="Lax")
        return
    secure = settings.SESSION_COOKIE_SECURE
    response.set_cookie(_cookie(), theme, max_age=YEAR_SECONDS, secure=secure, httponly=True, samesite="Lax")
