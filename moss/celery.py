"""The Celery application: `celery -A moss worker`."""

from __future__ import annotations

import os

from celery import Celery
from celery.signals import setup_logging, worker_init, worker_process_init

from moss.embedded.client import ensure_services

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "moss.settings")

app = Celery("moss")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def start_services(**_: object) -> None:
    """Start the private services for a worker that was started without `moss serve`."""
    ensure_services()


@worker_process_init.connect
def start_reader(**_: object) -> None:
    """Start the child that reads documents for a worker process, so that it is ready for the first upload."""
    from submissions.ingest.sandboxed import document_reader  # noqa: PLC0415 - after Django's set-up

    document_reader().start()


@setup_logging.connect
def keep_logging(**_: object) -> None:
    """Keep the logging that Django configured; with a receiver, Celery does not change the root logger."""
