"""Hashes of the lines of documents; those that were read before have none."""

from __future__ import annotations

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    phase = "expand"

    dependencies: ClassVar = [("submissions", "0008_visit")]

    operations: ClassVar = [migrations.AddField("document", "lines", models.BinaryField(null=True))]
