"""Middleware: sign-in of htmx requests, conflicts with what others change, errors of the server."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ObjectDoesNotExist
from django.db import InterfaceError, OperationalError, connection, transaction
from django.http import HttpRequest
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views import defaults
from django_htmx.http import HttpResponseClientRedirect
from psycopg.errors import LockNotAvailable

from submissions.database_errors import is_conflict, is_no_room
from submissions.pages.views.access import changed_meanwhile

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpResponse
    from django_htmx.middleware import HtmxDetails


class HtmxHttpRequest(HttpRequest):
    """A request that went through django-htmx's middleware."""

    htmx: HtmxDetails


class HtmxLoginRedirect:
    """Answer an htmx request that needs signing in with a redirect of the whole page.

    Otherwise htmx would follow the redirect and put the sign-in page in place of the fragment.
    """

    def __init__(self, get_response: Callable[[HtmxHttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HtmxHttpRequest) -> HttpResponse:
        response = self.get_response(request)
        redirects_to_login = urlsplit(response.headers.get("Location", "")).path == reverse("login")
        if not request.htmx or not redirects_to_login:
            return response
        page = request.htmx.current_url_abs_path or reverse("courses")
        return HttpResponseClientRedirect(redirect_to_login(page).url)


logger = logging.getLogger(__name__)

READS = ("GET", "HEAD")
# What reading raises where a row that was read before is gone now.
GONE = (ObjectDoesNotExist, LookupError, StopIteration, AttributeError, TypeError)
SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"


class ConflictAnswers:
    """Read again from a snapshot where a row went meanwhile; answer 409 where one could not be stored.

    A mistake of the program raises the same in the snapshot, and stays one.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: Any, error: Exception) -> HttpResponse | None:
        if request.method in READS:
            return _read_again(request, error) if isinstance(error, GONE) or is_conflict(error) else None
        if not isinstance(error, ObjectDoesNotExist) and not is_conflict(error):
            return None
        logger.warning("changed or deleted meanwhile: %s", error, exc_info=error)
        reason = _("Somebody changed or deleted this at the same moment.")
        return changed_meanwhile(request, reason, reverse("courses"))


def _read_again(request: HttpRequest, error: Exception) -> HttpResponse | None:
    match = request.resolver_match
    if not match or connection.in_atomic_block:
        return None
    logger.warning("read again, after %s: %s", type(error).__name__, error)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(SNAPSHOT)
        response: Any = match.func(request, *match.args, **match.kwargs)
    return response  # type: ignore[no-any-return]


RETRY_SECONDS = "5"


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer with 507 where a disk is full, 503 where the database does not answer in time, and else 500.

    Django calls this while it handles the error, and logs the error afterwards.
    """
    error = sys.exception()
    if is_no_room(error):
        for handler in request.upload_handlers:
            handler.upload_interrupted()  # deletes the file that was written in part
        return _page("507.html", 507)
    if isinstance(error, OperationalError | InterfaceError):
        busy = isinstance(error.__cause__, LockNotAvailable)
        response = _page("503_busy.html" if busy else "503.html", 503)
        response.headers["Retry-After"] = RETRY_SECONDS
        return response
    return defaults.server_error(request)


def _page(template: str, status: int) -> HttpResponse:
    # Without the request, whose user and messages may have to be read from the database.
    return render(None, template, status=status)
