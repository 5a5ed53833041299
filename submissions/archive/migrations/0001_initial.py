"""The tables of archive screening."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models

# A shard lives as long as the command that waits for it, so a crash may lose it.
UNLOGGED = """
ALTER TABLE corpus_corpusshard SET UNLOGGED;
ALTER TABLE corpus_corpusshard ALTER COLUMN payload SET STORAGE EXTERNAL,
    ALTER COLUMN result SET STORAGE EXTERNAL;
"""


class Migration(migrations.Migration):
    phase = "expand"
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Corpus",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100, unique=True)),
                ("recipe", models.CharField(max_length=100)),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name_plural": "corpora",
                "ordering": ("name",),
            },
        ),
        migrations.CreateModel(
            name="CorpusSweep",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("source", models.TextField()),
                ("started", models.DateTimeField(auto_now_add=True)),
                ("finished", models.DateTimeField(null=True)),
                (
                    "corpus",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="sweeps", to="corpus.corpus"
                    ),
                ),
            ],
            options={
                "ordering": ("corpus", "number"),
            },
        ),
        migrations.CreateModel(
            name="CorpusShard",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("payload", models.BinaryField()),
                ("result", models.BinaryField(null=True)),
                (
                    "corpus",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="shards", to="corpus.corpus"
                    ),
                ),
                (
                    "sweep",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="shards",
                        to="corpus.corpussweep",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="CorpusText",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sha256", models.CharField(max_length=64)),
                ("profile", models.CharField(max_length=100)),
                ("kind", models.CharField(max_length=10)),
                ("language", models.CharField(max_length=60)),
                ("tokens", models.PositiveIntegerField()),
                ("digest", models.CharField(max_length=32)),
                ("sketch", models.BinaryField()),
                ("features", models.BinaryField()),
                ("simhash", models.BigIntegerField(null=True)),
                (
                    "corpus",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="texts", to="corpus.corpus"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="CorpusDocument",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=1000)),
                ("sha256", models.CharField(max_length=64)),
                ("reason", models.TextField(blank=True)),
                (
                    "sweep",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="documents",
                        to="corpus.corpussweep",
                    ),
                ),
                (
                    "text",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="documents",
                        to="corpus.corpustext",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.AddConstraint(
            model_name="corpussweep",
            constraint=models.UniqueConstraint(
                fields=("corpus", "number"), name="sweep_number_once_a_corpus"
            ),
        ),
        migrations.AddIndex(
            model_name="corpustext",
            index=models.Index(fields=["corpus", "digest"], name="corpus_text_digest"),
        ),
        migrations.AddConstraint(
            model_name="corpustext",
            constraint=models.UniqueConstraint(
                fields=("corpus", "sha256", "profile"), name="text_once_a_corpus"
            ),
        ),
        migrations.AddConstraint(
            model_name="corpusdocument",
            constraint=models.UniqueConstraint(fields=("sweep", "name"), name="document_name_once_a_sweep"),
        ),
        migrations.RunSQL(UNLOGGED, migrations.RunSQL.noop),
    ]
