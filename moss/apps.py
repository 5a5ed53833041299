"""The apps of the installation and of its ways in, and what each connects when it is loaded."""

from __future__ import annotations

from django.apps import AppConfig


class MossConfig(AppConfig):
    name = "moss"

    def ready(self) -> None:
        from moss import celery  # noqa: F401, PLC0415 - the import makes this the current Celery app
        from moss.operations import monitoring as requests  # noqa: F401, PLC0415 - the import has tasks measured


class AccountsConfig(AppConfig):
    name = "moss.integrations.accounts"
    label = "accounts"

    def ready(self) -> None:
        from moss.integrations.accounts import campus, report_mail, sessions as activity  # noqa: F401, PLC0415 - the imports connect the signals


class LtiConfig(AppConfig):
    name = "moss.integrations.lti"
    label = "lti"
    verbose_name = "Learning platforms"


class MossProtocolConfig(AppConfig):
    name = "moss.integrations.moss_protocol"
    label = "moss_protocol"
    verbose_name = "MOSS clients"


class RepositoriesConfig(AppConfig):
    name = "moss.integrations.repositories"
    label = "repositories"
    verbose_name = "Git repositories"

    def ready(self) -> None:
        from moss.integrations.repositories import change as actions  # noqa: F401, PLC0415 - the import connects the signal


class WebhooksConfig(AppConfig):
    name = "moss.integrations.webhooks"
    label = "webhooks"
    verbose_name = "Webhooks"

    def ready(self) -> None:
        from moss.integrations.webhooks import sending  # noqa: F401, PLC0415 - the import connects the signals
