"""Register the app of archive screening, which has tables of its own."""

from __future__ import annotations

from django.apps import AppConfig


class CorpusConfig(AppConfig):
    name = "submissions.archive"
    label = "corpus"
    verbose_name = "Corpora"
