"""The apps of the product; that of archive screening has tables of its own."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.backends.signals import connection_created

from submissions.core.database import replace_unstorable


class SubmissionsConfig(AppConfig):
    name = "submissions"
    verbose_name = "Submissions"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        connection_created.connect(replace_unstorable)


class ArchiveConfig(AppConfig):
    name = "submissions.archive"
    label = "corpus"
    verbose_name = "Corpora"
