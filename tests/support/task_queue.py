"""The connections of this process to the task queue."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from kombu import pools

from moss.celery import app


def forget_connections() -> None:
    """Close every connection to the broker, so that the next one follows the settings of now."""
    pools.reset()
    app._pool = None  # type: ignore[attr-defined] # Celery's own cache
    app.__dict__.pop("amqp", None)


@pytest.fixture
def separate_queues(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Use queues that no worker serves but those that the test starts."""
    prefix = f"test-{uuid4()}:"
    monkeypatch.setenv("MOSS_TEST_QUEUES", prefix)
    monkeypatch.setitem(app.conf.broker_transport_options, "global_keyprefix", prefix)
    forget_connections()
    yield
    app.control.purge()
    forget_connections()
