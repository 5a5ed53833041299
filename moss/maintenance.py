"""The maintenance process: it re-enqueues lost work and ends stuck work, again and again.

It is no task, because a task would wait while every worker is stuck.
"""

from __future__ import annotations

import logging
import time
from importlib import import_module
from typing import NoReturn

from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError, close_old_connections
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

EVERY_SECONDS = 10
# A round may take some seconds where much is to be deleted.
ALIVE_SECONDS = 4 * EVERY_SECONDS
SIGN_OF_LIFE = "maintenance"


def maintain() -> NoReturn:
    """Call `sweep` every EVERY_SECONDS, until the process ends."""
    while True:
        maintain_once()
        time.sleep(EVERY_SECONDS)


def maintain_once() -> None:
    """Call `sweep`; an error of the database or of the broker is logged, since the next round may succeed."""
    from submissions.tasks import sweep  # noqa: PLC0415 - imports models: after Django's start

    try:
        sweep()
        import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
        cache.set(SIGN_OF_LIFE, 1, ALIVE_SECONDS)
    except (DatabaseError, OperationalError, RedisError) as error:
        logger.warning("lost work could not be looked for: %s", error)
    finally:
        close_old_connections()


def is_maintained() -> bool:
    """Return whether a maintenance process has completed a round lately."""
    try:
        return bool(cache.get(SIGN_OF_LIFE))
    except RedisError:
        return False
