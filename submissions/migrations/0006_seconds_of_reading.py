"""How many processor seconds the reading of each document took."""

from __future__ import annotations

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    phase = "expand"

    dependencies: ClassVar = [("submissions", "0005_only_patterns")]

    operations: ClassVar = [
        migrations.AddField("document", "seconds", models.FloatField(db_default=0.0, default=0.0)),
    ]
