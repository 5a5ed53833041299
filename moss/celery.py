"""The task queue: `celery -A moss worker` and `celery -A moss beat`."""

from __future__ import annotations

import os

from celery import Celery
from celery.signals import beat_init, worker_init

from moss.embedded import client as embedded

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "moss.settings")

app = Celery("moss")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
@beat_init.connect
def hold_services(**_: object) -> None:
    """Start what a worker or beat run by hand needs as much as the web does."""
    embedded.ensure()
