"""The Celery application: `celery -A moss worker`."""

from __future__ import annotations

import gc
import os
from importlib.metadata import version
from typing import Any

from celery import Celery
from celery.signals import (
    celeryd_after_setup,
    heartbeat_sent,
    setup_logging,
    task_postrun,
    task_prerun,
    worker_init,
    worker_process_init,
    worker_shutdown,
)
from django.conf import settings
from django.db import close_old_connections
from django.utils import timezone

from moss.embedded.client import ensure_services
from moss.operations.database import refuse_shared_sessions
from submissions.work import heartbeats
from submissions.work.locks import unlock_all

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "moss.settings")

# Objects made before Python searches for cyclic garbage: a ranking makes millions, and little garbage.
GARBAGE_THRESHOLD = 100_000

app = Celery("moss")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["submissions.work"], related_name="jobs")


@worker_init.connect
def start_services(**_: object) -> None:
    """Start the private services for a worker that was started without `moss serve`."""
    ensure_services()
    refuse_shared_sessions()


@worker_process_init.connect
def start_children(**_: object) -> None:
    """Start the children of a worker process, so that they are ready for the first upload."""
    from submissions.uploads.files import unpacking_child  # noqa: PLC0415 - after Django's set-up
    from submissions.uploads.read import document_reader, grouping_reader  # noqa: PLC0415

    gc.set_threshold(GARBAGE_THRESHOLD)
    for child in (unpacking_child(), document_reader(), grouping_reader()):
        child.start()
    gc.freeze()  # All modules are loaded: looking through them at each collection took .2 seconds.


@task_prerun.connect
def check_connection(sender: Any, **_: object) -> None:
    """Keep the connection of the task before, unless it was lost or is old: opening one takes long."""
    if not sender.request.is_eager:
        close_old_connections()


@task_postrun.connect
def release_locks(sender: Any, **_: object) -> None:
    if not sender.request.is_eager:
        unlock_all()


# The workers of this process: one, after its start.
_workers: list[heartbeats.Worker] = []


@celeryd_after_setup.connect
def describe_worker(sender: str, instance: Any, **_: object) -> None:
    """Remember what the signs of life of this worker say."""
    worker = heartbeats.Worker(
        name=sender,
        pid=os.getpid(),
        queues=list(instance.app.amqp.queues.consume_from),
        processes=instance.concurrency,
        version=version("moss-server"),
        session_name=settings.SESSION_NAME,
        since=timezone.now().isoformat(),
    )
    _workers[:] = [worker]


@heartbeat_sent.connect
def give_sign_of_life(**_: object) -> None:
    for worker in _workers:
        heartbeats.save_worker(worker)


@worker_shutdown.connect
def end_signs_of_life(**_: object) -> None:
    for worker in _workers:
        heartbeats.delete_worker(worker.name)


@setup_logging.connect
def keep_logging(**_: object) -> None:
    """Keep the logging that Django configured; with a receiver, Celery does not change the root logger."""
