"""Secrets that have to be read again are sealed: those of webhooks and second factors, and the key pair of LTI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import migrations, models

import moss.webhooks.models
from submissions.sealing import opened, seal

if TYPE_CHECKING:
    from collections.abc import Callable

# The texts of a second factor that are secret, by its type.
SECRETS = ("secret", "seed")


def seal_all(apps: Any, _schema: Any) -> None:
    change_all(apps, seal)


def open_all(apps: Any, _schema: Any) -> None:
    change_all(apps, opened)


def change_all(apps: Any, change: Callable[[str], str]) -> None:
    for webhook in apps.get_model("webhooks", "Webhook").objects.iterator():
        webhook.secret = change(webhook.secret)
        webhook.save(update_fields=["secret"])
    for key in apps.get_model("lti", "ToolKey").objects.iterator():
        key.private_key = change(key.private_key)
        key.save(update_fields=["private_key"])
    for factor in apps.get_model("mfa", "Authenticator").objects.iterator():
        secret = {name: change(text) for name, text in factor.data.items() if name in SECRETS}
        codes = [change(code) for code in factor.data.get("migrated_codes", [])]
        factor.data |= secret | ({"migrated_codes": codes} if codes else {})
        factor.save(update_fields=["data"])


class Migration(migrations.Migration):
    dependencies = (
        ("webhooks", "0002_jobs"),
        ("lti", "0003_asset_processor"),
        ("mfa", "0003_authenticator_type_uniq"),
    )

    operations = (
        migrations.AlterField("webhook", "secret", models.TextField(default=moss.webhooks.models.new_secret)),
        migrations.RunPython(seal_all, open_all),
    )
