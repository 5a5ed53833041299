"""The tables of webhooks."""

from __future__ import annotations

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import moss.integrations.webhooks.models


class Migration(migrations.Migration):
    phase = "expand"
    initial = True

    dependencies = [
        ("submissions", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Webhook",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("url", models.CharField(max_length=2000)),
                (
                    "events",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(
                            choices=[
                                ("report.ready", "A report is ready"),
                                ("report.failed", "A ranking failed"),
                                ("upload.failed", "An upload failed"),
                                ("pair.decided", "A pair was decided"),
                                ("case.decided", "A case was decided"),
                            ],
                            max_length=20,
                        ),
                        size=None,
                    ),
                ),
                ("secret", models.TextField(default=moss.integrations.webhooks.models.new_secret)),
                (
                    "state",
                    models.CharField(
                        choices=[("active", "active"), ("paused", "paused"), ("stopped", "stopped")],
                        default="active",
                        max_length=10,
                    ),
                ),
                ("created_by", models.CharField(max_length=150)),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "course",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="webhooks",
                        to="submissions.course",
                    ),
                ),
                (
                    "maker",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "message_id",
                    models.CharField(default=moss.integrations.webhooks.models.new_message_id, max_length=40),
                ),
                ("event", models.CharField(max_length=20)),
                ("body", models.TextField()),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "waiting"), ("arrived", "arrived"), ("given up", "given up")],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("tried", models.DateTimeField(null=True)),
                ("status", models.PositiveSmallIntegerField(null=True)),
                (
                    "problem",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("status", "The receiver answered with an error."),
                            ("unknown host", "The name of the host is not known."),
                            (
                                "forbidden host",
                                "This service may not send to the network of this host. Ask the administrator of this service to allow it.",
                            ),
                            ("no connection", "No connection to the host."),
                            ("certificate", "The certificate of the host is not valid for its name."),
                            ("no answer", "No answer within 10 seconds."),
                        ],
                        max_length=20,
                    ),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "webhook",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="webhooks.webhook",
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
            },
        ),
    ]
