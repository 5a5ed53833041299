"""A full disk or a lost database: how to recognise it, and what to say."""

from __future__ import annotations

from django.db import InterfaceError, OperationalError
from psycopg.errors import DiskFull

from submissions.intake.limits import is_disk_full

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
