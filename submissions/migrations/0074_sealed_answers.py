"""Stored answers of the API have their headers, and are sealed. Those of before were kept for a day at most."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("submissions", "0073_jobs"),)

    operations = (
        migrations.RunSQL("DELETE FROM submissions_apianswer", migrations.RunSQL.noop),
        migrations.RemoveField("apianswer", "content_type"),
        migrations.AddField("apianswer", "headers", models.JSONField(default=dict)),
        migrations.AlterField("apianswer", "status", models.PositiveSmallIntegerField()),
    )
