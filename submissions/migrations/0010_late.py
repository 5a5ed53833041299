"""Whether the platform marked a submission as late."""

from __future__ import annotations

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    phase = "expand"

    dependencies: ClassVar = [("submissions", "0009_document_lines")]

    operations: ClassVar = [
        migrations.AddField("submission", "late", models.BooleanField(db_default=False, default=False)),
    ]
