"""Connect the task queue to Django, so that every process that loads the apps can enqueue tasks."""

from __future__ import annotations

from django.apps import AppConfig


class MossConfig(AppConfig):
    name = "moss"

    def ready(self) -> None:
        from moss import celery  # noqa: F401, PLC0415 - the import makes this the current Celery app
        from moss.operations import monitoring as requests  # noqa: F401, PLC0415 - the import has tasks measured
