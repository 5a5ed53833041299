"""Patterns of the only files that are compared."""

from __future__ import annotations

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    phase = "expand"

    dependencies: ClassVar = [("submissions", "0004_disguised_characters")]

    operations: ClassVar = [
        migrations.AddField(
            "assignment", "only_patterns", models.TextField(blank=True, db_default="", default="")
        ),
    ]
