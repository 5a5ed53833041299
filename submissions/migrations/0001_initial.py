"""The tables of submissions, reports, decisions, background work and people."""

from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

# The audit log is append-only, with one exception: within a transaction that has declared that it erases a
# student, the subject of an entry may get the pseudonym in place of a name, and nothing else may change.
# TRUNCATE is left to the owner of the database: it empties whole installations, and the tests.
APPEND_ONLY = """
CREATE FUNCTION submissions_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE'
        AND current_setting('moss.erases_a_student', true) = 'on'
        AND to_jsonb(NEW) - 'subject' = to_jsonb(OLD) - 'subject'
        AND strpos(NEW.subject, '[erased]') > 0
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the audit log is append-only';
END
$$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON submissions_auditentry
    FOR EACH ROW EXECUTE FUNCTION submissions_refuse_change();
"""
CHANGEABLE = """
DROP TRIGGER append_only ON submissions_auditentry;
DROP FUNCTION submissions_refuse_change();
"""
# What these columns hold is compressed or binary: Postgres would try to compress it for nothing.
STORE_AS_IT_IS = """
ALTER TABLE submissions_filechunk ALTER COLUMN data SET STORAGE EXTERNAL;
ALTER TABLE submissions_rankingshard ALTER COLUMN result SET STORAGE EXTERNAL;
"""


class Migration(migrations.Migration):
    phase = "expand"
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "created",
                    models.DateTimeField(db_index=True, default=django.utils.timezone.now, editable=False),
                ),
                ("number", models.BigIntegerField(db_index=True, editable=False)),
                ("digest", models.CharField(editable=False, max_length=64)),
                ("who", models.CharField(max_length=150)),
                ("address", models.GenericIPAddressField(null=True)),
                (
                    "action",
                    models.CharField(
                        choices=[
                            ("saw", "Saw"),
                            ("decided", "Decided"),
                            ("exported", "Exported"),
                            ("shared", "Shared"),
                            ("uploaded", "Uploaded"),
                            ("deleted", "Deleted"),
                            ("people", "Changed people"),
                            ("reason", "Stated a reason"),
                            ("course", "Changed a course"),
                            ("asked", "Asked to read"),
                            ("webhooks", "Changed webhooks"),
                            ("tokens", "Changed tokens"),
                            ("erased", "Erased a student"),
                            ("shortened", "Shortened the log"),
                        ],
                        max_length=10,
                    ),
                ),
                ("course", models.CharField(blank=True, max_length=200)),
                ("assignment", models.CharField(blank=True, max_length=200)),
                ("subject", models.TextField(blank=True)),
                ("page", models.CharField(max_length=60)),
            ],
            options={
                "ordering": ("-pk",),
            },
        ),
        migrations.CreateModel(
            name="Document",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("profile", models.CharField(max_length=80)),
                ("language", models.CharField(max_length=40)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("pending", "Pending"),
                            ("ready", "Ready"),
                            ("failed", "Failed"),
                            ("kept", "Kept"),
                        ],
                        default="pending",
                        max_length=10,
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("token_count", models.PositiveIntegerField(default=0)),
                ("read_share", models.FloatField(default=1.0)),
                ("unclosed_line", models.PositiveIntegerField(null=True)),
                ("tokens", models.BinaryField(default=b"")),
                ("lexical", models.BinaryField(default=b"")),
                ("spelling", models.BinaryField(default=b"")),
                ("words", models.BinaryField(default=b"")),
                ("coarse", models.BinaryField(default=b"")),
                ("fingerprints", models.BinaryField(default=b"")),
                ("styles", models.BinaryField(default=b"")),
            ],
        ),
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
                (
                    "state",
                    models.CharField(
                        choices=[("queued", "waiting"), ("done", "Done"), ("failed", "Failed")],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("message", models.TextField(blank=True)),
                ("result", models.JSONField(default=dict)),
            ],
            options={
                "ordering": ("-pk",),
            },
        ),
        migrations.CreateModel(
            name="PostingRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("documents", models.BinaryField()),
                ("size", models.BigIntegerField()),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="RankingPlan",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("selection", models.JSONField()),
                ("digest", models.BinaryField()),
                ("version", models.CharField(max_length=100)),
                ("batches", models.JSONField(default=list)),
                ("submissions", models.PositiveIntegerField()),
                ("pairs", models.PositiveBigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="Assignment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("language", models.CharField(blank=True, max_length=40)),
                ("language_patterns", models.TextField(blank=True)),
                ("common_limit", models.PositiveIntegerField(blank=True, null=True)),
                ("due", models.DateTimeField(blank=True, null=True)),
                ("teams", models.TextField(blank=True)),
                ("compare_mates", models.BooleanField(default=False)),
                ("include_patterns", models.TextField(blank=True)),
                ("exclude_patterns", models.TextField(blank=True)),
                ("term", models.CharField(blank=True, max_length=40)),
                ("compare_course", models.BooleanField(default=False)),
                ("compare_archive", models.BooleanField(default=False)),
                ("hold", models.CharField(blank=True, max_length=200)),
                ("threshold", models.FloatField(editable=False, null=True)),
                ("threshold_chosen", models.DateTimeField(editable=False, null=True)),
                (
                    "threshold_by",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("retention_notice", models.DateTimeField(editable=False, null=True)),
                ("sources_notice", models.DateTimeField(editable=False, null=True)),
                ("sources_deleted", models.DateTimeField(editable=False, null=True)),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "compared_with",
                    models.ManyToManyField(
                        blank=True, related_name="compared_by", to="submissions.assignment"
                    ),
                ),
            ],
            options={
                "ordering": ("name", "pk"),
            },
        ),
        migrations.CreateModel(
            name="Batch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=255)),
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
                ("from_archive", models.BooleanField(default=False)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("touched", models.DateTimeField(auto_now=True)),
                ("since", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "waiting"),
                            ("unpacking", "Unpacking"),
                            ("listed", "to be checked"),
                            ("fingerprinting", "Fingerprinting"),
                            ("ranking", "Ranking"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=20,
                    ),
                ),
                ("message", models.TextField(blank=True)),
                ("preview", models.BooleanField(default=False)),
                ("choices", models.JSONField(default=dict)),
                ("documents_total", models.PositiveIntegerField(default=0)),
                ("documents_done", models.PositiveIntegerField(default=0)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="batches",
                        to="submissions.assignment",
                    ),
                ),
                (
                    "origin",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="compared_as",
                        to="submissions.assignment",
                    ),
                ),
                (
                    "uploaded_by",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
            },
        ),
        migrations.CreateModel(
            name="BoilerplateUpload",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=255)),
                ("statement", models.BooleanField(default=False)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("touched", models.DateTimeField(auto_now=True)),
                ("since", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "waiting"),
                            ("reading", "Reading"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("message", models.TextField(blank=True)),
                ("refusals", models.JSONField(default=list)),
                ("refused", models.PositiveIntegerField(default=0)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="boilerplate_uploads",
                        to="submissions.assignment",
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
            },
        ),
        migrations.CreateModel(
            name="CaseDecision",
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
                            ("undecided", "Undecided"),
                            ("clear", "Clear"),
                            ("suspicious", "Suspicious"),
                            ("confirmed", "Confirmed"),
                        ],
                        default="undecided",
                        max_length=10,
                    ),
                ),
                ("notes", models.TextField(blank=True)),
                ("updated", models.DateTimeField(auto_now=True)),
                ("threshold", models.FloatField()),
                (
                    "assignee",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="case_decisions",
                        to="submissions.assignment",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Statement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=400)),
                ("file_name", models.CharField(max_length=255)),
                ("is_text", models.BooleanField()),
                ("data", models.BinaryField()),
                ("size", models.PositiveIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                ("added_by", models.CharField(max_length=150)),
                ("added", models.DateTimeField(auto_now_add=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="statements",
                        to="submissions.assignment",
                    ),
                ),
            ],
            options={"ordering": ("pk",)},
        ),
        migrations.CreateModel(
            name="CaseChange",
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
                    "decision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="changes",
                        to="submissions.casedecision",
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Course",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("keep_months", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("keep_sources_days", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("in_archive", models.BooleanField(default=False)),
                ("is_sample", models.BooleanField(default=False, editable=False)),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="courses",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("name", "pk"),
            },
        ),
        migrations.CreateModel(
            name="CampusGroup",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("group", models.CharField(max_length=200)),
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
                    "added_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "course",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="campus_groups",
                        to="submissions.course",
                    ),
                ),
            ],
            options={
                "ordering": ("group",),
            },
        ),
        migrations.AddField(
            model_name="assignment",
            name="course",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="assignments",
                to="submissions.course",
            ),
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100)),
                ("prefix", models.CharField(max_length=12)),
                ("digest", models.CharField(max_length=64, unique=True)),
                (
                    "scope",
                    models.CharField(
                        choices=[("read", "Read only"), ("write", "Read and write")],
                        default="read",
                        max_length=5,
                    ),
                ),
                ("restricted", models.BooleanField(default=False)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("expires", models.DateTimeField()),
                ("used", models.DateTimeField(null=True)),
                ("revoked", models.DateTimeField(null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "courses",
                    models.ManyToManyField(blank=True, related_name="api_tokens", to="submissions.course"),
                ),
            ],
            options={
                "ordering": ("-pk",),
            },
        ),
        migrations.CreateModel(
            name="CourseRoster",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=255)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("problems", models.JSONField(default=list)),
                ("problem_count", models.PositiveIntegerField(default=0)),
                (
                    "course",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="roster",
                        to="submissions.course",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Decision",
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
                            ("undecided", "Undecided"),
                            ("clear", "Clear"),
                            ("suspicious", "Suspicious"),
                            ("confirmed", "Confirmed"),
                        ],
                        default="undecided",
                        max_length=10,
                    ),
                ),
                ("notes", models.TextField(blank=True)),
                ("updated", models.DateTimeField(auto_now=True)),
                ("left", models.CharField(max_length=400)),
                ("right", models.CharField(max_length=400)),
                (
                    "assignee",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="decisions",
                        to="submissions.assignment",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Change",
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
                    "decision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="changes",
                        to="submissions.decision",
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="DeletedBatch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("batch", models.PositiveBigIntegerField(unique=True)),
                ("name", models.CharField(max_length=255)),
                ("uploaded", models.DateTimeField(null=True)),
                ("deleted", models.DateTimeField(auto_now_add=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deleted_batches",
                        to="submissions.assignment",
                    ),
                ),
                (
                    "uploaded_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="DismissedHint",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=40)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="dismissed_hints",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
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
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("measure", "name", "detail", "at_most"), name="duration_once_a_class"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="EnrolledStudent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(blank=True, max_length=400)),
                ("identifier", models.CharField(blank=True, max_length=400)),
                ("login", models.CharField(blank=True, max_length=400)),
                ("email", models.CharField(blank=True, max_length=400)),
                ("section", models.CharField(blank=True, max_length=400)),
                ("team", models.CharField(blank=True, max_length=400)),
                ("other_ids", models.JSONField(default=list)),
                (
                    "roster",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="students",
                        to="submissions.courseroster",
                    ),
                ),
            ],
            options={
                "ordering": ("name", "pk"),
            },
        ),
        migrations.CreateModel(
            name="FileChunk",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100)),
                ("number", models.PositiveIntegerField()),
                ("data", models.BinaryField()),
                ("stored", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("name", "number"), name="chunk_once_a_file")],
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("email", models.EmailField(max_length=254)),
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
                ("created", models.DateTimeField(auto_now_add=True)),
                ("expires", models.DateTimeField()),
                (
                    "course",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to="submissions.course",
                    ),
                ),
                (
                    "invited_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("email",),
            },
        ),
        migrations.CreateModel(
            name="Job",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=40)),
                ("subject", models.BigIntegerField(default=0)),
                ("part", models.BigIntegerField(default=0)),
                ("queue", models.CharField(max_length=20)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("parts", "Parts"),
                            ("failed", "Failed"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("reason", models.TextField(blank=True)),
                ("version", models.CharField(max_length=100)),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("touched", models.DateTimeField(default=django.utils.timezone.now)),
                ("since", models.DateTimeField(default=django.utils.timezone.now)),
                ("due", models.DateTimeField(default=django.utils.timezone.now)),
                ("sent", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "user",
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
            name="LanguageChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("before", models.CharField(blank=True, max_length=40)),
                ("after", models.CharField(blank=True, max_length=40)),
                ("patterns", models.TextField(blank=True)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("touched", models.DateTimeField(auto_now=True)),
                ("since", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "waiting"),
                            ("reading", "Reading"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("message", models.TextField(blank=True)),
                ("documents_total", models.PositiveIntegerField(default=0)),
                ("documents_done", models.PositiveIntegerField(default=0)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="language_changes",
                        to="submissions.assignment",
                    ),
                ),
                (
                    "changed_by",
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
            name="Membership",
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
                ("group", models.CharField(blank=True, max_length=200)),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "course",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="submissions.course",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("user__username",),
            },
        ),
        migrations.CreateModel(
            name="PostingBlock",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "run", "first", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("first", models.BigIntegerField()),
                ("last", models.BigIntegerField()),
                ("frequency", models.IntegerField()),
                ("packed", models.BinaryField()),
                (
                    "run",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blocks",
                        to="submissions.postingrun",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RankingShard",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("scores", "Scores"), ("passages", "Passages")],
                        default="scores",
                        max_length=10,
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("job", models.PositiveSmallIntegerField(default=0)),
                ("pairs", models.PositiveIntegerField()),
                ("sides", models.BinaryField()),
                ("result", models.BinaryField(null=True)),
                (
                    "plan",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="shards",
                        to="submissions.rankingplan",
                    ),
                ),
            ],
        ),
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
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("asked", "asked"),
                            ("agreed", "agreed"),
                            ("refused", "refused"),
                            ("withdrawn", "withdrawn"),
                        ],
                        default="asked",
                        max_length=10,
                    ),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "asked_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
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
            options={
                "ordering": ("-pk",),
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Report",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("touched", models.DateTimeField(auto_now=True)),
                ("since", models.DateTimeField(default=django.utils.timezone.now)),
                ("finished", models.DateTimeField(null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "waiting"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("message", models.TextField(blank=True)),
                ("parameters", models.JSONField(default=dict)),
                ("duplicates", models.JSONField(default=list)),
                ("findings", models.JSONField(null=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reports",
                        to="submissions.assignment",
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
            },
        ),
        migrations.AddField(
            model_name="rankingplan",
            name="report",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE, related_name="plan", to="submissions.report"
            ),
        ),
        migrations.CreateModel(
            name="Ignored",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("spans", models.JSONField(default=list)),
                (
                    "document",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="submissions.document",
                    ),
                ),
                (
                    "report",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="ignored",
                        to="submissions.report",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ResumableUpload",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=255)),
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
                ("file", models.CharField(max_length=100, unique=True)),
                ("length", models.PositiveBigIntegerField()),
                ("offset", models.PositiveBigIntegerField(default=0)),
                ("touched", models.DateTimeField(auto_now_add=True)),
                ("ended", models.DateTimeField(null=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="resumable_uploads",
                        to="submissions.assignment",
                    ),
                ),
                (
                    "batch",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="submissions.batch",
                    ),
                ),
                (
                    "uploaded_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Share",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("left", models.CharField(blank=True, max_length=400)),
                ("right", models.CharField(blank=True, max_length=400)),
                ("anonymous", models.BooleanField(default=True)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("expires", models.DateTimeField()),
                ("revoked", models.DateTimeField(null=True)),
                ("owner_told", models.BooleanField(default=False)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="shares",
                        to="submissions.assignment",
                    ),
                ),
                (
                    "created_by",
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
            name="Source",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sha256", models.CharField(max_length=64, unique=True)),
                ("data", models.BinaryField()),
                ("size", models.PositiveIntegerField()),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("given_up", models.DateTimeField(editable=False, null=True)),
                ("emptied", models.DateTimeField(editable=False, null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("emptied", None), ("given_up__isnull", False)),
                        fields=["id"],
                        name="source_given_up",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ListedEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=1000)),
                ("size", models.PositiveBigIntegerField()),
                ("reason", models.TextField(blank=True)),
                ("language", models.CharField(blank=True, max_length=40)),
                ("modified", models.CharField(blank=True, max_length=40)),
                ("digest", models.BinaryField(default=b"")),
                ("left_out", models.TextField(blank=True)),
                ("commits", models.JSONField(null=True)),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="listed_entries",
                        to="submissions.batch",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="listed_entries",
                        to="submissions.source",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.AddField(
            model_name="document",
            name="source",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="documents", to="submissions.source"
            ),
        ),
        migrations.CreateModel(
            name="Boilerplate",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=1000)),
                ("first", models.PositiveIntegerField(null=True)),
                ("after", models.PositiveIntegerField(null=True)),
                ("statement", models.BooleanField(default=False)),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="boilerplate",
                        to="submissions.assignment",
                    ),
                ),
                (
                    "document",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="boilerplate",
                        to="submissions.document",
                    ),
                ),
                (
                    "next_document",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="next_boilerplate",
                        to="submissions.document",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="boilerplate",
                        to="submissions.source",
                    ),
                ),
            ],
            options={
                "ordering": ("name", "pk"),
            },
        ),
        migrations.CreateModel(
            name="StatedReason",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("reason", models.TextField()),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("expires", models.DateTimeField()),
                (
                    "course",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="stated_reasons",
                        to="submissions.course",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
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
            name="Submission",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=400)),
                ("identifier", models.CharField(blank=True, default="", max_length=400)),
                ("handed_in", models.DateTimeField(null=True)),
                ("commits", models.JSONField(null=True)),
                ("released", models.DateTimeField(editable=False, null=True)),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="submissions",
                        to="submissions.batch",
                    ),
                ),
                (
                    "origin",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="copies",
                        to="submissions.submission",
                    ),
                ),
            ],
            options={
                "ordering": ("name", "pk"),
            },
        ),
        migrations.AddField(
            model_name="report",
            name="submissions",
            field=models.ManyToManyField(related_name="reports", to="submissions.submission"),
        ),
        migrations.AddField(
            model_name="readingrequest",
            name="new",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="submissions.submission"
            ),
        ),
        migrations.AddField(
            model_name="readingrequest",
            name="old",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="reading_requests",
                to="submissions.submission",
            ),
        ),
        migrations.CreateModel(
            name="Pair",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("similarity", models.FloatField()),
                ("left_share", models.FloatField()),
                ("right_share", models.FloatField()),
                ("tokens", models.PositiveIntegerField()),
                ("lines", models.PositiveIntegerField()),
                ("longest", models.PositiveIntegerField()),
                ("structure", models.FloatField()),
                ("literals", models.FloatField()),
                ("names", models.FloatField()),
                ("imports", models.FloatField(default=0.0)),
                ("left_with_common", models.FloatField()),
                ("right_with_common", models.FloatField()),
                ("translated", models.BooleanField(default=False)),
                ("same_student", models.BooleanField(default=False)),
                ("with_model", models.BooleanField(default=False)),
                ("passages", models.BinaryField()),
                (
                    "report",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pairs",
                        to="submissions.report",
                    ),
                ),
                (
                    "left",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="submissions.submission",
                    ),
                ),
                (
                    "right",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="submissions.submission",
                    ),
                ),
            ],
            options={
                "ordering": ("-similarity", "-tokens", "pk"),
            },
        ),
        migrations.CreateModel(
            name="Entry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=1000)),
                ("size", models.PositiveBigIntegerField(default=0)),
                ("accepted", models.BooleanField()),
                ("reason", models.TextField(blank=True)),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="entries",
                        to="submissions.batch",
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="entries",
                        to="submissions.submission",
                    ),
                ),
            ],
            options={
                "ordering": ("accepted", "name", "pk"),
            },
        ),
        migrations.CreateModel(
            name="SubmissionFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("path", models.CharField(max_length=1000)),
                ("detected", models.CharField(blank=True, default="", max_length=40)),
                (
                    "document",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="files",
                        to="submissions.document",
                    ),
                ),
                (
                    "next_document",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="next_files",
                        to="submissions.document",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="files",
                        to="submissions.source",
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="files",
                        to="submissions.submission",
                    ),
                ),
            ],
            options={
                "ordering": ("path", "pk"),
            },
        ),
        migrations.CreateModel(
            name="SubmissionStudent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=400)),
                ("identifier", models.CharField(blank=True, max_length=400)),
                (
                    "enrolled",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="submission_students",
                        to="submissions.enrolledstudent",
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="students",
                        to="submissions.submission",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="Upload",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=1000)),
                ("file", models.FileField(upload_to="uploads/")),
                ("size", models.PositiveBigIntegerField(default=0)),
                (
                    "batch",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="uploads",
                        to="submissions.batch",
                    ),
                ),
                (
                    "boilerplate_upload",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="uploads",
                        to="submissions.boilerplateupload",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ApiAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=255)),
                ("request", models.CharField(max_length=64)),
                ("status", models.PositiveSmallIntegerField()),
                ("headers", models.JSONField(default=dict)),
                ("body", models.TextField(blank=True)),
                ("created", models.DateTimeField(auto_now_add=True, db_index=True)),
                (
                    "token",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="answers",
                        to="submissions.apitoken",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("token", "key"), name="api_answer_once_a_key")
                ],
            },
        ),
        migrations.CreateModel(
            name="Alias",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=400)),
                ("alias", models.CharField(max_length=80)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="aliases",
                        to="submissions.assignment",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("assignment", "name"), name="alias_once_a_name"),
                    models.UniqueConstraint(fields=("assignment", "alias"), name="alias_once_an_assignment"),
                ],
            },
        ),
        migrations.CreateModel(
            name="CaseMember",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=400)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="submissions.assignment",
                    ),
                ),
                (
                    "decision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="members",
                        to="submissions.casedecision",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("assignment", "name"), name="case_decision_once_a_name")
                ],
            },
        ),
        migrations.CreateModel(
            name="IgnoringProposal",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("path", models.CharField(max_length=1000)),
                ("first", models.PositiveIntegerField()),
                ("after", models.PositiveIntegerField()),
                ("chosen_first", models.PositiveIntegerField(null=True)),
                ("chosen_after", models.PositiveIntegerField(null=True)),
                ("counts", models.JSONField(null=True)),
                ("effect", models.JSONField(null=True)),
                ("message", models.TextField(blank=True)),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="ignoring_proposals",
                        to="submissions.assignment",
                    ),
                ),
                (
                    "document",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="submissions.document",
                    ),
                ),
                (
                    "left",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="submissions.submission",
                    ),
                ),
                (
                    "right",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="submissions.submission",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.AddConstraint(
            model_name="course",
            constraint=models.UniqueConstraint(fields=("owner", "name"), name="course_name_once_an_owner"),
        ),
        migrations.AddConstraint(
            model_name="campusgroup",
            constraint=models.UniqueConstraint(fields=("course", "group"), name="campus_group_once_a_course"),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                fields=("course", "name"), name="assignment_name_once_a_course"
            ),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.UniqueConstraint(
                fields=("assignment", "left", "right"), name="decision_once_a_pair"
            ),
        ),
        migrations.AddConstraint(
            model_name="dismissedhint",
            constraint=models.UniqueConstraint(fields=("user", "name"), name="dismissed_hint_once_a_user"),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.UniqueConstraint(fields=("course", "email"), name="invitation_once_an_address"),
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(fields=["kind", "queue", "state", "id"], name="job_kind_queue_state"),
        ),
        migrations.AddConstraint(
            model_name="job",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "queued")),
                fields=("kind", "subject", "part"),
                name="job_queued_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.UniqueConstraint(fields=("course", "user"), name="membership_once_a_user"),
        ),
        migrations.AddConstraint(
            model_name="rankingshard",
            constraint=models.UniqueConstraint(fields=("plan", "number"), name="shard_once_a_plan"),
        ),
        migrations.AddConstraint(
            model_name="ignored",
            constraint=models.UniqueConstraint(fields=("report", "document"), name="ignored_once_a_document"),
        ),
        migrations.AddConstraint(
            model_name="document",
            constraint=models.UniqueConstraint(fields=("source", "profile"), name="document_once_a_profile"),
        ),
        migrations.AddConstraint(
            model_name="boilerplate",
            constraint=models.UniqueConstraint(
                fields=("assignment", "document", "first", "after", "statement"),
                name="boilerplate_once_an_assignment",
                nulls_distinct=False,
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.UniqueConstraint(fields=("batch", "name"), name="submission_name_once_a_batch"),
        ),
        migrations.AddConstraint(
            model_name="readingrequest",
            constraint=models.UniqueConstraint(fields=("new", "old"), name="reading_request_once_a_pair"),
        ),
        migrations.AddConstraint(
            model_name="pair",
            constraint=models.UniqueConstraint(fields=("report", "left", "right"), name="pair_once_a_report"),
        ),
        migrations.AddConstraint(
            model_name="submissionfile",
            constraint=models.UniqueConstraint(fields=("submission", "path"), name="path_once_a_submission"),
        ),
        migrations.AddConstraint(
            model_name="upload",
            constraint=models.CheckConstraint(
                condition=models.Q(("batch", None), ("boilerplate_upload", None), _connector="XOR"),
                name="upload_has_one_owner",
            ),
        ),
        migrations.RunSQL(APPEND_ONLY, CHANGEABLE),
        migrations.RunSQL(STORE_AS_IT_IS, migrations.RunSQL.noop),
    ]
