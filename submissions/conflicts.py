"""Transactions that others made impossible: rows went, or came, or were locked in another order."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, TypeVar

from django.db import IntegrityError, OperationalError
from psycopg.errors import DeadlockDetected, ForeignKeyViolation, SerializationFailure

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
