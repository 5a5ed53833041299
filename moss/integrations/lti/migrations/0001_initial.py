"""The tables of learning platforms."""

from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import moss.integrations.lti.models


class Migration(migrations.Migration):
    phase = "expand"
    initial = True

    dependencies = [
        ("submissions", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="RegistrationAddress",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("created_by", models.CharField(max_length=150)),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="ToolKey",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("private_key", models.TextField()),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="UsedNonce",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("nonce", models.CharField(max_length=64, unique=True)),
                ("created", models.DateTimeField(auto_now_add=True, db_index=True)),
                ("until", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="GivenRole",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("instructor", "Instructor"),
                            ("assistant", "Teaching assistant"),
                            ("observer", "Observer"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "membership",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="given_role",
                        to="submissions.membership",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Platform",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100, unique=True, verbose_name="Name")),
                ("issuer", models.CharField(max_length=255, verbose_name="Issuer")),
                ("client_id", models.CharField(max_length=255, verbose_name="Client id")),
                (
                    "deployments",
                    models.TextField(
                        help_text="One a line. Launches of other deployments are refused.",
                        verbose_name="Deployment ids",
                    ),
                ),
                (
                    "auth_url",
                    models.CharField(
                        max_length=1000,
                        validators=[moss.integrations.lti.models.check_address],
                        verbose_name="Address of its sign-in (authentication request)",
                    ),
                ),
                (
                    "token_url",
                    models.CharField(
                        max_length=1000,
                        validators=[moss.integrations.lti.models.check_address],
                        verbose_name="Address of its access tokens",
                    ),
                ),
                (
                    "jwks_url",
                    models.CharField(
                        max_length=1000,
                        validators=[moss.integrations.lti.models.check_address],
                        verbose_name="Address of its public keys (JWKS)",
                    ),
                ),
                (
                    "token_audience",
                    models.CharField(
                        blank=True,
                        help_text="Only where the platform names one. Empty: the address of its access tokens.",
                        max_length=1000,
                        verbose_name="Audience of access tokens",
                    ),
                ),
                (
                    "service_urls",
                    models.TextField(
                        blank=True,
                        help_text="One a line. Only needed if its courses are on another host than the addresses above.",
                        validators=[moss.integrations.lti.models.check_addresses],
                        verbose_name="Other addresses of its services",
                    ),
                ),
                (
                    "trusts_mail",
                    models.BooleanField(
                        default=False,
                        help_text="Only if people cannot change their own address there: whoever comes with the address of an account of this service gets that account, unless it is an administrator's.",
                        verbose_name="Its e-mail addresses are verified",
                    ),
                ),
                ("keys", models.JSONField(default=list, editable=False)),
                ("keys_asked", models.DateTimeField(editable=False, null=True)),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ("name",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("issuer", "client_id"),
                        name="lti_platform_once",
                        violation_error_message="A platform with this issuer and client id is stored already.",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="PlatformCourse",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("deployment", models.CharField(max_length=255)),
                ("context", models.CharField(max_length=255)),
                ("memberships_url", models.CharField(blank=True, max_length=2000)),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "course",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="platform_course",
                        to="submissions.course",
                    ),
                ),
                (
                    "platform",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="courses", to="lti.platform"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="DeepLinkRequest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("return_url", models.CharField(max_length=2000)),
                ("notices_url", models.CharField(blank=True, max_length=2000)),
                ("activity", models.CharField(blank=True, max_length=255)),
                ("data", models.TextField(null=True)),
                ("created", models.DateTimeField(auto_now_add=True, db_index=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "platform_course",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="lti.platformcourse"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="AttachedActivity",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("activity", models.CharField(max_length=255)),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="activities",
                        to="submissions.assignment",
                    ),
                ),
                (
                    "platform_course",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="activities",
                        to="lti.platformcourse",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="PushedSubmission",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("submission", models.CharField(max_length=255)),
                ("subject", models.CharField(max_length=255)),
                ("name", models.CharField(blank=True, max_length=400)),
                ("submitted", models.DateTimeField()),
                ("assets", models.JSONField(default=list)),
                ("report_url", models.CharField(blank=True, max_length=2000)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "to be fetched"),
                            ("fetched", "fetched"),
                            ("read", "in an upload"),
                            ("replaced", "replaced by a later one"),
                            ("failed", "failed"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                (
                    "problem",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("nothing", "The platform named no file."),
                            ("too large", "A file is too large, or all files together are."),
                            (
                                "host",
                                "A file is on a host that is not among the stored addresses of the platform. Ask the administrator of this service to add it.",
                            ),
                            ("gone", "The platform no longer has the file."),
                            ("other bytes", "What came is not the file that the platform named."),
                            ("no answer", "The platform did not send the file."),
                            (
                                "no room",
                                "The owner's courses have no storage left. Delete old assignments or uploads.",
                            ),
                        ],
                        max_length=20,
                    ),
                ),
                ("detail", models.TextField(blank=True)),
                ("fetched", models.DateTimeField(null=True)),
                ("reported", models.CharField(blank=True, max_length=20)),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pushed",
                        to="submissions.assignment",
                    ),
                ),
                (
                    "batch",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="pushed",
                        to="submissions.batch",
                    ),
                ),
                (
                    "platform_course",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pushed",
                        to="lti.platformcourse",
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
            },
        ),
        migrations.CreateModel(
            name="PushedFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=1000)),
                ("data", models.BinaryField()),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="files",
                        to="lti.pushedsubmission",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="PlatformAccount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("subject", models.CharField(max_length=255)),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "platform",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="accounts",
                        to="lti.platform",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="platform_accounts",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("platform", "subject"), name="lti_account_once_a_person")
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="platformcourse",
            constraint=models.UniqueConstraint(
                fields=("platform", "deployment", "context"), name="lti_course_once_a_context"
            ),
        ),
        migrations.AddConstraint(
            model_name="attachedactivity",
            constraint=models.UniqueConstraint(
                fields=("platform_course", "activity", "assignment"), name="lti_activity_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="pushedsubmission",
            constraint=models.UniqueConstraint(
                fields=("platform_course", "assignment", "submission"), name="lti_pushed_once"
            ),
        ),
    ]
