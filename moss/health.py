"""Health check of an installation: its database, its broker, its workers and its maintenance."""

from __future__ import annotations

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from kombu.exceptions import OperationalError

from moss.celery import app
from moss.maintenance import is_maintained

BROKER_TIMEOUT_SECONDS = 2.0
WORKER_TIMEOUT_SECONDS = 1.0


def database_answers() -> bool:
    """Return whether a query reaches the database."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


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


def worker_answers() -> bool:
    """Return whether a Celery worker answers a ping; a busy worker does too."""
    # Open a new connection: a restart of the broker closes pooled connections.
    with app.connection_for_write() as connection_to_broker:
        try:
            connection_to_broker.ensure_connection(max_retries=1)
            replies = app.control.ping(
                timeout=WORKER_TIMEOUT_SECONDS, limit=1, connection=connection_to_broker
            )
            return bool(replies)
        except (OperationalError, redis.RedisError):
            return False


@never_cache
def healthz(_request: HttpRequest) -> JsonResponse:
    """Report which parts answer, as JSON: status 200 if the database and the broker do, else 503.

    The status does not depend on the workers: without one, pages can still be read and uploads are queued.
    `workers` is false when no worker answers, so that nothing is read or ranked; `maintenance` when lost work
    is not re-enqueued.
    """
    database, broker = database_answers(), broker_answers()
    workers = broker and worker_answers()
    maintenance = broker and is_maintained()
    parts = {"database": database, "broker": broker, "workers": workers, "maintenance": maintenance}
    return JsonResponse(parts, status=200 if database and broker else 503)
