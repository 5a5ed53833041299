"""Register the app of the webhooks, and connect what they tell of."""

from __future__ import annotations

from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "moss.integrations.webhooks"
    label = "webhooks"
    verbose_name = "Webhooks"

    def ready(self) -> None:
        from moss.integrations.webhooks import sending  # noqa: F401, PLC0415 - the import connects the signals
