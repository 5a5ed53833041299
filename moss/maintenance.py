"""The maintenance process: it re-enqueues lost work and ends stuck work, again and again.

It is no task, because a task would wait while every worker is stuck.
"""

from __future__ import annotations

import logging
import time
from datetime import timedelta
from importlib import import_module
from typing import NoReturn

from django.conf import settings
from django.db import DatabaseError, close_old_connections
from django.utils import timezone
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from submissions.work import heartbeats

logger = logging.getLogger(__name__)

EVERY_SECONDS = 10
# A round may take some seconds where much is to be deleted.
ALIVE = timedelta(seconds=4 * EVERY_SECONDS)


def maintain() -> NoReturn:
    """Call `sweep` every EVERY_SECONDS, until the process ends."""
    while True:
        maintain_once()
        time.sleep(EVERY_SECONDS)


def maintain_once() -> None:
    """Call `sweep`; an error of the database or of the broker is logged, since the next round may succeed."""
    from moss.integrations.lti import gathering as lti  # noqa: PLC0415 - as below
    from moss.integrations.repositories.actions import start_due  # noqa: PLC0415 - as below
    from moss.integrations.webhooks import sending as webhooks  # noqa: PLC0415 - as below
    from submissions.actions.retention import (  # noqa: PLC0415 - as below
        apply_retention,
        apply_source_retention,
    )
    from submissions.actions.shares import tell_owners  # noqa: PLC0415 - as below
    from submissions.sweeping import sweep  # noqa: PLC0415 - imports models: after Django's start

    try:
        sweep()
        apply_retention()
        apply_source_retention()
        webhooks.forget_old()
        webhooks.stop_without_right()
        lti.forget_old()
        start_due()
        tell_owners()
        import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
        heartbeats.save_maintenance()
    except (DatabaseError, OperationalError, RedisError) as error:
        logger.warning("lost work could not be looked for: %s", error)
    finally:
        close_old_connections()


def is_maintained() -> bool:
    """Return whether a maintenance process has completed a round lately."""
    last = heartbeats.last_maintenance()
    return last is not None and timezone.now() - last < ALIVE
