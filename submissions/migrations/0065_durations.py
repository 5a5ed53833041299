"""The time since when work is in its state, and the counts of durations."""

from __future__ import annotations

import django.utils.timezone
from django.db import migrations, models

# What waits or runs now is in its state since about its last change.
SINCE = """
    UPDATE submissions_batch SET since = touched;
    UPDATE submissions_boilerplateupload SET since = touched;
    UPDATE submissions_languagechange SET since = touched;
    UPDATE submissions_report SET since = touched;
"""


class Migration(migrations.Migration):
    dependencies = [("submissions", "0064_packed_passages")]

    operations = [
        *[
            migrations.AddField(model, "since", models.DateTimeField(default=django.utils.timezone.now))
            for model in ("batch", "boilerplateupload", "languagechange", "report")
        ],
        migrations.CreateModel(
            name="Duration",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("measure", models.CharField(choices=[("task", "Task"), ("state", "State")], max_length=10)),
                ("name", models.CharField(max_length=100)),
                ("detail", models.CharField(max_length=20)),
                ("at_most", models.FloatField()),
                ("count", models.PositiveBigIntegerField()),
                ("seconds", models.FloatField()),
            ],
        ),
        migrations.AddConstraint(
            model_name="duration",
            constraint=models.UniqueConstraint(
                fields=("measure", "name", "detail", "at_most"), name="duration_once_a_class"
            ),
        ),
        migrations.RunSQL(SINCE, migrations.RunSQL.noop),
    ]
