"""Register the app of the Git repositories."""

from __future__ import annotations

from django.apps import AppConfig


class RepositoriesConfig(AppConfig):
    name = "moss.integrations.repositories"
    label = "repositories"
    verbose_name = "Git repositories"

    def ready(self) -> None:
        from moss.integrations.repositories import change as actions  # noqa: F401, PLC0415 - the import connects the signal
