from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models


class Migration(migrations.Migration):
    phase = "expand"

    dependencies = [
        ("webhooks", "0001_initial"),
    ]

    operations = [
        # Only forms read the choices; the database has none.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="webhook",
                    name="events",
                    field=ArrayField(
                        base_field=models.CharField(
                            choices=[
                                ("report.ready", "A report is ready"),
                                ("report.failed", "A ranking failed"),
                                ("upload.failed", "An upload failed"),
                                ("pair.found", "A new pair reaches the threshold"),
                                ("pair.decided", "A pair was decided"),
                                ("case.decided", "A case was decided"),
                            ],
                            max_length=20,
                        ),
                        size=None,
                    ),
                ),
            ],
        ),
    ]
