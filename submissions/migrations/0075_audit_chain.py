"""Entries of the audit log from now on have a number and a digest, which make a chain of them."""

from __future__ import annotations

from django.db import migrations, models
from django.utils import timezone


class Migration(migrations.Migration):
    dependencies = (("submissions", "0074_sealed_answers"),)

    operations = (
        migrations.AlterField(
            "auditentry", "created", models.DateTimeField(db_index=True, default=timezone.now, editable=False)
        ),
        migrations.AddField(
            "auditentry", "number", models.BigIntegerField(db_index=True, editable=False, null=True)
        ),
        migrations.AddField(
            "auditentry",
            "digest",
            models.CharField(blank=True, default="", editable=False, max_length=64),
            preserve_default=False,
        ),
    )
