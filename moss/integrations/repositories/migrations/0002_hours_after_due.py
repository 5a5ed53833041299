"""The hours after the due date at which a list is fetched again."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    phase = "expand"

    dependencies = [("repositories", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="repositoryfetch",
            name="hours_after_due",
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
    ]
