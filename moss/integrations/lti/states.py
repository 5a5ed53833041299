"""The state of a launch: it binds what a platform sends to the browser that was sent there, once."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings
from django.core import signing
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from moss.integrations.lti.models import UsedNonce
from moss.integrations.lti.refusals import LaunchRefused

if TYPE_CHECKING:
    from datetime import datetime

    from django.http import HttpRequest, HttpResponse

    from moss.integrations.lti.models import Platform

PURPOSE = "moss.integrations.lti.state"
HOLDS = timedelta(minutes=10)
COOKIE = "lti"


class State(NamedTuple):
    platform: int
    nonce: str


def new_state(platform: Platform, browser: str) -> tuple[str, str]:
    """Return a signed state for a browser, and the nonce that the token has to have."""
    nonce = secrets.token_urlsafe(32)
    state = signing.dumps([platform.pk, nonce, _digest(browser)], salt=PURPOSE)
    return state, nonce


def browser_key(request: HttpRequest) -> str:
    """Return the key in the cookie of this browser, or a new one. Launches in several tabs share it."""
    stored = request.COOKIES.get(cookie_name(), "")
    return stored if len(stored) == len(secrets.token_urlsafe(32)) else secrets.token_urlsafe(32)


def set_cookie(response: HttpResponse, browser: str) -> None:
    """Set the key of a browser.

    The platform sends the person back by a form of another site: browsers add a cookie to that only with
    SameSite=None, which they take only over HTTPS. Without HTTPS both have to be on one machine.
    """
    response.set_cookie(
        cookie_name(),
        browser,
        max_age=int(HOLDS.total_seconds()),
        secure=settings.HTTPS,
        httponly=True,
        samesite="None" if settings.HTTPS else "Lax",
    )


def cookie_name() -> str:
    return f"{settings.COOKIE_PREFIX}{COOKIE}"


def read_state(text: str, request: HttpRequest) -> State:
    """Return a state that this service signed for this browser.

    Raises
    ------
    LaunchRefused
        When it was signed by nobody, too long ago, or for another browser.
    """
    try:
        platform, nonce, digest = signing.loads(text, salt=PURPOSE, max_age=HOLDS)
    except signing.SignatureExpired as error:
        raise LaunchRefused(
            _("This launch took longer than ten minutes."), open_again(), "state expired"
        ) from error
    except (signing.BadSignature, ValueError) as error:
        reason = _("This launch did not begin at this service.")
        raise LaunchRefused(reason, open_again(), "state not signed") from error
    if not constant_time_compare(digest, _digest(request.COOKIES.get(cookie_name(), ""))):
        reason = _("This browser did not begin the launch, or did not keep the cookie of it.")
        remedy = _(
            "Open the link again in your learning platform, in a window of its own, "
            "and let this service keep cookies."
        )
        raise LaunchRefused(reason, remedy, "state of another browser")
    return State(platform, nonce)


def open_again() -> str:
    return _("Open the link again in your learning platform.")


def use_nonce(nonce: str) -> None:
    """Note that a launch was taken; raise LaunchRefused when it was before."""
    if not is_first_use(nonce):
        raise LaunchRefused(_("This launch was used already."), open_again(), "replayed")


def is_first_use(nonce: str, until: datetime | None = None) -> bool:
    """Note that a nonce was used; return whether it was not before.

    It is known until then; without `until`, twice as long as a state holds.
    """
    now = timezone.now()
    UsedNonce.objects.filter(Q(until=None, created__lt=now - 2 * HOLDS) | Q(until__lt=now)).delete()
    try:
        with transaction.atomic():
            UsedNonce.objects.create(nonce=nonce, until=until)
    except IntegrityError:
        return False
    return True


def _digest(browser: str) -> str:
    return salted_hmac(PURPOSE, browser, algorithm="sha256").hexdigest()
