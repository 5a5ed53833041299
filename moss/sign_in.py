"""Limit wrong passwords: what django-axes counts, logs and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from axes.handlers.database import AxesDatabaseHandler
from django.conf import settings
from django.db.models import Sum
from django.shortcuts import render

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    Credentials = dict[str, Any] | None

# Several people may share an address, so it may have this many times the failures of one account.
ACCOUNTS_AT_AN_ADDRESS = 5
LONGEST_USER_NAME = 150


class Failures(AxesDatabaseHandler):  # type: ignore[misc] # django-axes publishes no types
    """Count the failures of an account from an address, and of the address, in the database."""

    def get_failures(self, request: HttpRequest, credentials: Credentials = None) -> int:
        of_account, of_address = (
            attempts.aggregate(total=Sum("failures_since_start"))["total"] or 0
            for attempts in self.get_user_attempts(request, credentials)
        )
        return int(max(of_account, of_address // ACCOUNTS_AT_AN_ADDRESS))


def user_name(_request: HttpRequest, credentials: Credentials) -> str:
    """Return the user name that was tried, without control characters and no longer than a real one."""
    name = str((credentials or {}).get("username") or "")
    return "".join(character for character in name if character.isprintable())[:LONGEST_USER_NAME]


def client(name: str, address: str, *_others: object) -> str:
    """Return who failed to sign in, for the log."""
    return f"{name!r} from {address}"


def refusal(request: HttpRequest, _original: HttpResponse, _credentials: Credentials) -> HttpResponse:
    """Return the page that says when to try again."""
    seconds = int(settings.AXES_COOLOFF_TIME.total_seconds())
    response = render(request, "429.html", {"minutes": seconds // 60}, status=429)
    response.headers["Retry-After"] = str(seconds)
    return response
