"""Register the app of the MOSS clients."""

from __future__ import annotations

from django.apps import AppConfig


class ListeningConfig(AppConfig):
    name = "moss.listening"
    label = "listening"
    verbose_name = "MOSS clients"
