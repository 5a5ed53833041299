"""The connections of this process to the task queue."""

from __future__ import annotations

from kombu import pools

from moss.celery import app


def forget_connections() -> None:
    """Close every connection to the broker, so that the next one follows the settings of now."""
    pools.reset()
    app._pool = None  # type: ignore[attr-defined] # Celery's own cache
    app.__dict__.pop("amqp", None)
