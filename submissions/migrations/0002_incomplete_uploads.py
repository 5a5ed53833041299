"""Uploads that were not read to their end."""

from __future__ import annotations

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    phase = "expand"

    dependencies: ClassVar = [("submissions", "0001_initial")]

    operations: ClassVar = [
        migrations.AddField("batch", "incomplete", models.BooleanField(db_default=False, default=False)),
    ]
