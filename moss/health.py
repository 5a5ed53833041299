"""Whether this installation can work: 200 when the database and the broker answer, else 503."""

from __future__ import annotations

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache

PATIENCE_SECONDS = 2.0


def database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def broker_answers() -> bool:
    try:
        with redis.Redis.from_url(
            settings.REDIS_URL, socket_timeout=PATIENCE_SECONDS, socket_connect_timeout=PATIENCE_SECONDS
        ) as link:
            return bool(link.ping())
    except redis.RedisError:
        return False


@never_cache
def healthz(_request: HttpRequest) -> JsonResponse:
    parts = {"database": database_answers(), "broker": broker_answers()}
    return JsonResponse(parts, status=200 if all(parts.values()) else 503)
