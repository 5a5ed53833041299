"""Sessions of users, and when, from where and with which browser each is used."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.contrib.sessions.backends import db
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import get_language, gettext as _

from moss.integrations.accounts.models import MailChoice, Session
from submissions.pages.requests import Middleware, client_address

# Keys of a session: the time of signing in, of the last use, and what was used, as far as was noted.
STARTED, USED, ADDRESS, DEVICE = "started", "used", "address", "device"
# By which names a provider of SAML knows the session, see `moss.integrations.accounts.saml`.
SAML = "saml"
# What is noted of a program that does not name itself, and between a program and its system.
UNKNOWN_PROGRAM, ON = "An unknown program", " on "

logger = logging.getLogger(__name__)

# The first part that a user agent contains decides: most of them name several browsers.
BROWSERS = (
    ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser", "Samsung Internet"), ("Firefox/", "Firefox"),
    ("FxiOS", "Firefox"), ("CriOS", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ("curl/", "curl"),
)  # fmt: skip
SYSTEMS = (
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"),
    ("Windows", "Windows"), ("Mac OS X", "macOS"), ("Linux", "Linux"),
)  # fmt: skip
# A session's last use is exact to this many seconds, so that not every request writes to the database.
EXACT_TO_SECONDS = 300


def saml_digest(name: str) -> str:
    return sha256(name.encode()).hexdigest()


class SessionStore(db.SessionStore):
    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        row = super().create_model_instance(data)
        row.user_id = int(data[SESSION_KEY]) if SESSION_KEY in data else None  # type: ignore[attr-defined]
        row.saml_name = saml_digest(data[SAML]["name_id"]) if SAML in data else ""  # type: ignore[attr-defined]
        return row  # type: ignore[return-value]

    def get_expiry_age(self, **kwargs: Any) -> int:
        """Return the seconds until the session ends unless it is used: never beyond its longest time."""
        left = self.get(STARTED, time.time()) + settings.SESSION_LONGEST_SECONDS - time.time()
        return max(0, min(super().get_expiry_age(**kwargs), int(left)))

    def get_expiry_date(self, **kwargs: Any) -> datetime:
        return timezone.now() + timedelta(seconds=self.get_expiry_age(**kwargs))


@dataclass(frozen=True, slots=True)
class ListedSession:
    """A session as its user sees it; `handle` names it without telling its key."""

    handle: str
    device: str
    address: str
    since: datetime
    used: datetime
    is_current: bool


def listed_sessions(user: User, current_key: str | None) -> list[ListedSession]:
    """Return the sessions that have not ended, the current one first, then the latest used."""
    rows = Session.objects.filter(user=user, expire_date__gt=timezone.now())
    sessions = [_listed(row, current_key) for row in rows]
    return sorted(sessions, key=lambda session: (not session.is_current, -session.used.timestamp()))


def end_sessions(user: User, handles: Collection[str]) -> int:
    """End the sessions with these handles; return their number."""
    keys = [row.session_key for row in Session.objects.filter(user=user) if _handle(row) in handles]
    Session.objects.filter(session_key__in=keys).delete()
    return len(keys)


def end_all_but(user: User, current_key: str | None) -> None:
    Session.objects.filter(user=user).exclude(session_key=current_key).delete()


def _listed(row: Session, current_key: str | None) -> ListedSession:
    data = row.get_decoded()
    return ListedSession(
        _handle(row),
        device_text(data.get(DEVICE, "")),
        data.get(ADDRESS) or _("an unknown address"),
        datetime.fromtimestamp(data.get(STARTED, 0), UTC),
        datetime.fromtimestamp(data.get(USED, 0), UTC),
        row.session_key == current_key,
    )


def device_text(device: str) -> str:
    """Return a noted device, such as "Firefox on Linux", in the language of the page."""
    program, on, system = device.partition(ON)
    if program == UNKNOWN_PROGRAM:
        program = _("An unknown program")
    return _("{program} on {system}").format(program=program, system=system) if on else program


def _handle(row: Session) -> str:
    return salted_hmac("moss.integrations.accounts.sessions", row.session_key).hexdigest()[:16]


class SessionUse(Middleware):
    """Note the use of a session, which also puts off its end."""

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
