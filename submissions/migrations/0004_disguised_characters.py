"""Characters that nobody sees or that look like others."""

from __future__ import annotations

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    phase = "expand"

    dependencies: ClassVar = [("submissions", "0003_proved_subjects")]

    operations: ClassVar = [
        migrations.AddField("document", "disguised", models.PositiveIntegerField(db_default=0, default=0)),
    ]
