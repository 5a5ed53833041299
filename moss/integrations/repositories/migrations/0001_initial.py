"""The tables of repositories."""

from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    phase = "expand"
    initial = True

    dependencies = [
        ("submissions", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="RepositoryFetch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("fetching", "fetching"),
                            ("done", "done"),
                            ("failed", "failed"),
                            ("cancelled", "cancelled"),
                        ],
                        default="fetching",
                        max_length=10,
                    ),
                ),
                ("message", models.TextField(blank=True)),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("class", "this class"),
                            ("earlier", "earlier or other work"),
                            ("model", "model solutions"),
                            ("other", "another assignment"),
                        ],
                        default="class",
                        max_length=10,
                    ),
                ),
                ("preview", models.BooleanField(default=False)),
                ("token", models.TextField(blank=True, default="")),
                ("again_after_due", models.BooleanField(default=False)),
                ("hours_after_due", models.PositiveSmallIntegerField(db_default=0, default=0)),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="repository_fetches",
                        to="submissions.assignment",
                    ),
                ),
                (
                    "batch",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="repository_fetches",
                        to="submissions.batch",
                    ),
                ),
                (
                    "started_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
            },
        ),
        migrations.CreateModel(
            name="Repository",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("student", models.CharField(max_length=200)),
                ("address", models.CharField(max_length=500)),
                ("branch", models.CharField(blank=True, max_length=200)),
                ("commit", models.CharField(blank=True, max_length=64)),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "waiting"), ("fetched", "fetched"), ("failed", "failed")],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("tried", models.DateTimeField(null=True)),
                ("fetched_commit", models.CharField(blank=True, max_length=64)),
                ("committed", models.DateTimeField(null=True)),
                ("left_out", models.TextField(blank=True)),
                ("data", models.BinaryField(null=True)),
                (
                    "fetch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="repositories",
                        to="repositories.repositoryfetch",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
    ]
