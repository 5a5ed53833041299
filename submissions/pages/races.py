"""Requests that meet what others delete or change at the same moment."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ObjectDoesNotExist
from django.db import connection, transaction
from django.urls import reverse
from django.utils.translation import gettext as _

from submissions.database_errors import is_conflict
from submissions.pages.views.access import changed_meanwhile

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

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
