"""Transactions that others made impossible, a full disk, and a lost database: how they are recognised."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, TypeVar

from django.db import IntegrityError, InterfaceError, OperationalError
from psycopg.errors import DeadlockDetected, DiskFull, ForeignKeyViolation, SerializationFailure

from submissions.intake.limits import is_disk_full

if TYPE_CHECKING:
    from collections.abc import Callable

    Result = TypeVar("Result")

logger = logging.getLogger(__name__)

ATTEMPTS = 5


def is_conflict(error: BaseException | None) -> bool:
    """Return whether an error of the database came from what others did at the same time."""
    kinds = (DeadlockDetected, ForeignKeyViolation, SerializationFailure)
    return isinstance(error, IntegrityError | OperationalError) and isinstance(error.__cause__, kinds)


def done_again(act: Callable[[], Result]) -> Result:
    """Return what `act` returns; call it again where others made its transaction impossible.

    It looks for its rows itself each time: after a failed commit, Django's objects have no key any more.
    """
    for attempt in range(1, ATTEMPTS):
        try:
            return act()
        except (IntegrityError, OperationalError) as error:
            if not is_conflict(error):
                raise
            logger.info("done again after attempt %d: %s", attempt, error)
    return act()


# While work waits for room, and when it was tried often enough.
WAITS_FOR_ROOM = "The disk of the server is full. This is tried again"
NO_ROOM = "The disk of the server is full. Ask whoever runs it to make room, and then upload this again."


def is_no_room(error: BaseException | None) -> bool:
    """Return whether an error, or one that led to it, says that a disk or Postgres has no room."""
    while error is not None:
        if isinstance(error, DiskFull) or is_disk_full(error):
            return True
        error = error.__cause__ or error.__context__
    return False


def is_database_away(error: BaseException) -> bool:
    """Return whether an error says that the database ended a session or does not answer."""
    return isinstance(error, OperationalError | InterfaceError)
