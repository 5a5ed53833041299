"""Health check of an installation: its database, its broker, its workers and its maintenance."""

from __future__ import annotations

import time
from functools import lru_cache

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache

from moss.database_schema import schema_problem
from moss.maintenance import is_maintained
from submissions.work import heartbeats
from submissions.work.jobs import queue_lengths
from submissions.work.kinds import QUEUES

BROKER_TIMEOUT_SECONDS = 2.0
# Anybody may ask; the comparison takes some 15 ms of the database.
SCHEMA_SECONDS = 60.0


def database_answers() -> bool:
    """Return whether a query reaches the database."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def schema_fits() -> bool:
    """Return whether the tables are those of this version, as this process last saw within a minute."""
    return _schema_fits(int(time.monotonic() / SCHEMA_SECONDS))


@lru_cache(maxsize=1)
def _schema_fits(_minute: int) -> bool:
    return not schema_problem()


def broker_answers() -> bool:
    """Return whether the broker answers a ping."""
    try:
        with redis.Redis.from_url(
            settings.REDIS_URL,
            socket_timeout=BROKER_TIMEOUT_SECONDS,
            socket_connect_timeout=BROKER_TIMEOUT_SECONDS,
        ) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


def workers_answer() -> bool:
    """Return whether each queue has a worker that gave a sign of life lately; a busy worker does too."""
    served = {queue for worker in heartbeats.workers() if worker.answers for queue in worker.queues}
    return served >= {*QUEUES}


@never_cache
def healthz(_request: HttpRequest) -> JsonResponse:
    """Report which parts answer, as JSON: status 200 if the database and the broker do, else 503.

    `schema` is false, and the status 503, when the tables are not those of this version: pages would fail.
    The status does not depend on the workers: without one, pages can still be read and uploads are queued.
    `workers` is false when no worker answers for one of the queues, so that nothing in it is read or ranked;
    `maintenance` when lost work is not re-enqueued. `queues` has the number of messages that wait in each.
    """
    database, broker = database_answers(), broker_answers()
    parts = {
        "database": database,
        "schema": database and schema_fits(),
        "broker": broker,
        "workers": broker and workers_answer(),
        "maintenance": broker and is_maintained(),
        "queues": queue_lengths() if broker else {},
    }
    return JsonResponse(parts, status=200 if parts["schema"] and broker else 503)
