"""The messages of Celery, made from the registry: one says that work of a kind is in a queue, and no more."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from celery import current_app, shared_task
from django.conf import settings
from django.utils.module_loading import import_string
from kombu.exceptions import OperationalError

from submissions.work.kinds import HEAVY, HEAVY_ROUTE, QUEUES

if TYPE_CHECKING:
    from celery import Task

    from submissions.work.kinds import Kind

logger = logging.getLogger(__name__)


def _task(kind: Kind) -> Task[[str], None]:
    @shared_task(name=kind.task, soft_time_limit=kind.seconds, time_limit=kind.seconds + kind.grace)
    def carry_out_next(queue: str) -> None:
        import_string("submissions.work.running.run")(kind, queue)

    return carry_out_next


TASKS = {name: _task(kind) for name, kind in settings.WORK_KINDS.items()}


def kind_of(name: str) -> Kind:
    """Return a row of the registry."""
    kinds: dict[str, Kind] = settings.WORK_KINDS
    return kinds[name]


def announce(kind: Kind, queue: str, in_seconds: float = 0) -> None:
    """Say in a queue that a job of a kind waits; while the broker is away, leave that to maintenance."""
    options: dict[str, Any] = {"countdown": in_seconds} if in_seconds else {}
    try:
        TASKS[kind.name].apply_async((queue,), **options, **(HEAVY_ROUTE if queue == HEAVY else {}))
    except OperationalError as error:
        logger.warning("%s is announced later: the broker does not answer: %s", kind.task, error)


def queue_lengths() -> dict[str, int]:
    """Return the number of messages that wait in each queue; empty where the broker does not answer."""
    try:
        with current_app.connection_for_read() as broker:
            channel: Any = broker.default_channel
            return {queue: channel.queue_declare(queue).message_count for queue in QUEUES}
    except OperationalError as error:
        logger.warning("the broker does not answer: %s", error)
        return {}
