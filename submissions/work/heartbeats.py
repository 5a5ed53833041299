"""Signs of life in Valkey: of each worker, every two seconds; of maintenance and backups, when they end."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from importlib.metadata import version
from typing import Any, cast

import redis
from django.conf import settings
from django.core.cache import cache
from django.utils import timezone

logger = logging.getLogger(__name__)

# A worker that gave no sign of life for this long does not answer.
FRESH = timedelta(seconds=15)
FORGOTTEN = timedelta(hours=1)
TIMEOUT_SECONDS = 2.0
# What ends: a round of maintenance, a backup that was written, and one that failed.
MAINTENANCE, WRITTEN, FAILED = "maintenance", "backup_written", "backup_failed"


def package_version() -> str:
    """Return the version of this package, which all workers of an installation should have."""
    return version("moss-server")


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker with its `processes` child processes; `session_name` is the name of their database sessions.

    `since` and `seen` are times as text: when it started, and its last sign of life.
    """

    name: str
    pid: int
    queues: list[str]
    processes: int
    version: str
    session_name: str
    since: str
    seen: str = ""

    @property
    def title(self) -> str:
        return f"{self.name} ({self.version})"

    @property
    def started(self) -> datetime:
        return datetime.fromisoformat(self.since)

    @property
    def last_seen(self) -> datetime:
        return datetime.fromisoformat(self.seen)

    @property
    def answers(self) -> bool:
        return timezone.now() - self.last_seen < FRESH


def save_worker(worker: Worker) -> None:
    """Store a worker with the time of this sign of life; without Valkey it goes on."""
    record = asdict(worker) | {"seen": timezone.now().isoformat()}
    try:
        with connected() as valkey:
            valkey.hset(_key(), worker.name, json.dumps(record))
    except redis.RedisError as error:
        logger.warning("the sign of life of %s cannot be stored: %s", worker.name, error)


def delete_worker(name: str) -> None:
    try:
        with connected() as valkey:
            valkey.hdel(_key(), name)
    except redis.RedisError as error:
        logger.warning("the end of %s cannot be stored: %s", name, error)


def workers() -> list[Worker]:
    """Return the workers that did not end, by name, even if they do not answer; none without Valkey."""
    try:
        with connected() as valkey:
            records = cast("dict[bytes, bytes]", valkey.hgetall(_key()))
    except redis.RedisError as error:
        logger.warning("the workers cannot be listed: %s", error)
        return []
    known = [Worker(**json.loads(record)) for record in records.values()]
    recent = [worker for worker in known if timezone.now() - worker.last_seen < FORGOTTEN]
    return sorted(recent, key=lambda worker: worker.name)


def answering(queue: str) -> list[Worker]:
    """Return the workers of a queue that answer, of any version."""
    return [worker for worker in workers() if worker.answers and queue in worker.queues]


def save_end(what: str) -> None:
    """Store that a round of maintenance or a backup has ended now; without Valkey it goes on."""
    try:
        cache.set(what, timezone.now().isoformat(), None)
    except redis.RedisError as error:
        logger.warning("the end of %s cannot be stored: %s", what, error)


def last_end(what: str) -> datetime | None:
    """Return when the last one ended; None if it is not known or cannot be found out."""
    try:
        stored = cache.get(what)
    except redis.RedisError as error:
        logger.warning("the last end of %s cannot be read: %s", what, error)
        return None
    return datetime.fromisoformat(stored) if stored else None


def connected() -> redis.Redis:
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=TIMEOUT_SECONDS, socket_connect_timeout=TIMEOUT_SECONDS
    )


def _key() -> str:
    caches: dict[str, Any] = settings.CACHES
    return f"{caches['default']['KEY_PREFIX']}workers"
