"""Register the app of the accounts, and what happens at each sign-in."""

from __future__ import annotations

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "moss.integrations.accounts"
    label = "accounts"

    def ready(self) -> None:
        from moss.integrations.accounts import campus, report_mail, sessions as activity  # noqa: F401, PLC0415 - the imports connect the signals
