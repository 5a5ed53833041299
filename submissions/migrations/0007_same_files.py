"""The number of identical files of a pair."""

from __future__ import annotations

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    phase = "expand"

    dependencies: ClassVar = [("submissions", "0006_seconds_of_reading")]

    operations: ClassVar = [
        migrations.AddField("pair", "same_files", models.PositiveIntegerField(db_default=0, default=0)),
    ]
