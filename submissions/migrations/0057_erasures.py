from __future__ import annotations

from django.db import migrations, models

ACTIONS = [
    ("saw", "Saw"),
    ("decided", "Decided"),
    ("exported", "Exported"),
    ("shared", "Shared"),
    ("uploaded", "Uploaded"),
    ("deleted", "Deleted"),
    ("people", "Changed people"),
    ("reason", "Stated a reason"),
    ("asked", "Asked to read"),
    ("erased", "Erased a student"),
]
STATES = [("queued", "waiting"), ("done", "Done"), ("failed", "Failed")]


class Migration(migrations.Migration):
    dependencies = (("submissions", "0056_reading_requests"),)

    operations = (
        migrations.CreateModel(
            name="Erasure",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("who", models.CharField(max_length=150)),
                ("reason", models.TextField()),
                ("student", models.CharField(blank=True, max_length=400)),
                ("courses", models.JSONField(default=list)),
                ("digests", models.JSONField(default=list)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("finished", models.DateTimeField(null=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("state", models.CharField(choices=STATES, default="queued", max_length=10)),
                ("message", models.TextField(blank=True)),
                ("result", models.JSONField(default=dict)),
            ],
            options={"ordering": ("-pk",)},
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="action",
            field=models.CharField(choices=ACTIONS, max_length=10),
        ),
    )
