"""Webhooks have a maker, and work while that person may share the course."""

from __future__ import annotations

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def find_makers(apps: Any, _schema: Any) -> None:
    users = apps.get_model("auth", "User").objects
    for webhook in apps.get_model("webhooks", "Webhook").objects.iterator():
        webhook.maker = users.filter(username=webhook.created_by).first()
        webhook.save(update_fields=["maker"])


class Migration(migrations.Migration):
    dependencies = (
        ("webhooks", "0003_sealed_secrets"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    )

    operations = (
        migrations.AddField(
            "webhook",
            "maker",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RunPython(find_makers, migrations.RunPython.noop),
    )
