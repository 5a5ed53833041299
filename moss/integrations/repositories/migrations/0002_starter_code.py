"""The repositories of a list may be starter code, which is no role of an upload; no column changes."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    phase = "expand"

    dependencies = [("repositories", "0001_initial")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField("repositoryfetch", "role", models.CharField(default="class", max_length=10)),
            ],
        ),
    ]
