"""Ties the task queue to Django: whoever loads the apps may enqueue."""

from __future__ import annotations

from django.apps import AppConfig


class MossConfig(AppConfig):
    name = "moss"

    def ready(self) -> None:
        from moss import celery  # noqa: F401, PLC0415 - makes its app the one that tasks are sent through
