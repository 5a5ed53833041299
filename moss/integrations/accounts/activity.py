"""Note when, from where and with which browser a session is used; log who signs in and out."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.dispatch import receiver
from django.utils.translation import get_language

from moss.integrations.accounts.models import MailChoice
from moss.integrations.accounts.sessions import ADDRESS, DEVICE, ON, STARTED, UNKNOWN_PROGRAM, USED
from moss.proxies import client_address

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.contrib.auth.models import User
    from django.http import HttpRequest, HttpResponse

logger = logging.getLogger(__name__)

# The first part that a user agent contains decides: most of them name several browsers.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)
# A session's last use is exact to this many seconds, so that not every request writes to the database.
EXACT_TO_SECONDS = 300


class SessionUse:
    """Note the use of a session, which also puts off its end."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        session = request.session
        if SESSION_KEY in session and time.time() - session.get(USED, 0) >= EXACT_TO_SECONDS:
            note_use(request)
        return self.get_response(request)


def note_use(request: HttpRequest) -> None:
    request.session[USED] = int(time.time())
    request.session[ADDRESS] = client_address(request)
    request.session[DEVICE] = device_name(request.META.get("HTTP_USER_AGENT", ""))


@receiver(user_logged_in)
def begin(sender: object, request: HttpRequest, user: User, **_: object) -> None:  # noqa: ARG001 - Django's signature
    request.session[STARTED] = int(time.time())
    note_use(request)
    MailChoice.objects.update_or_create(user=user, defaults={"language": get_language() or ""})
    logger.info("account %s signed in from %s", user.pk, client_address(request))


@receiver(user_logged_out)
def end(sender: object, request: HttpRequest, user: User | None, **_: object) -> None:  # noqa: ARG001 - as above
    if user:
        logger.info("account %s signed out from %s", user.pk, client_address(request))


def device_name(user_agent: str) -> str:
    """Return the browser and the system that a User-Agent header names, such as "Firefox on Linux"."""
    browser, system = (_first(user_agent, table) for table in (BROWSERS, SYSTEMS))
    return (browser or UNKNOWN_PROGRAM) + (ON + system if system else "")


def _first(user_agent: str, table: tuple[tuple[str, str], ...]) -> str:
    return next((name for part, name in table if part in user_agent), "")
