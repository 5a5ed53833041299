"""The answer to an error that a view did not expect: what the server cannot do just now is no fault of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from django.db import InterfaceError, OperationalError
from django.shortcuts import render
from django.views import defaults
from psycopg.errors import LockNotAvailable

from submissions.database_errors import is_no_room

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

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
