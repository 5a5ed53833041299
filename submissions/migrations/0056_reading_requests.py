from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

STATES = [("asked", "asked"), ("agreed", "agreed"), ("refused", "refused"), ("withdrawn", "withdrawn")]
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
]


class Migration(migrations.Migration):
    dependencies = (
        ("submissions", "0051_ranking_in_shards"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    )

    operations = (
        migrations.CreateModel(
            name="ReadingRequest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("similarity", models.FloatField()),
                ("state", models.CharField(choices=STATES, default="asked", max_length=10)),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "asked_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "new",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="submissions.submission",
                    ),
                ),
                (
                    "old",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reading_requests",
                        to="submissions.submission",
                    ),
                ),
            ],
            options={"ordering": ("-pk",)},
        ),
        migrations.AddConstraint(
            model_name="readingrequest",
            constraint=models.UniqueConstraint(fields=("new", "old"), name="reading_request_once_a_pair"),
        ),
        migrations.CreateModel(
            name="ReadingRequestChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("who", models.CharField(max_length=150)),
                ("changed_at", models.DateTimeField(auto_now_add=True)),
                ("field", models.CharField(max_length=20)),
                ("before", models.TextField(blank=True)),
                ("after", models.TextField(blank=True)),
                (
                    "request",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="changes",
                        to="submissions.readingrequest",
                    ),
                ),
            ],
            options={"ordering": ("-pk",), "abstract": False},
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="action",
            field=models.CharField(choices=ACTIONS, max_length=10),
        ),
    )
