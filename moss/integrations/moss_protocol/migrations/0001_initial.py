"""The tables of MOSS clients."""

from __future__ import annotations

import django.core.validators
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
            name="ClientResult",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key_digest", models.CharField(max_length=64)),
                ("options", models.CharField(max_length=200)),
                ("shown", models.PositiveIntegerField()),
                ("comment", models.CharField(blank=True, max_length=200)),
                ("directory", models.BooleanField(default=False)),
                ("names", models.JSONField(default=dict)),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "assignment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="client_result",
                        to="submissions.assignment",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="MossUserId",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "number",
                    models.CharField(
                        help_text="Whoever knows it can upload as this user. A short one is easily guessed.",
                        max_length=18,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "\\A[1-9][0-9]{3,17}\\Z", "4 to 18 digits, the first of them no zero."
                            )
                        ],
                        verbose_name="user id",
                    ),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="moss_user_id",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "MOSS user id",
            },
        ),
    ]
