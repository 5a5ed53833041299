from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("submissions", "0050_api_tokens"),)

    operations = (
        migrations.CreateModel(
            name="RankingPlan",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("touched", models.DateTimeField(auto_now=True)),
                ("selection", models.JSONField()),
                ("digest", models.BinaryField()),
                ("version", models.CharField(max_length=100)),
                ("batches", models.JSONField(default=list)),
                ("submissions", models.PositiveIntegerField()),
                ("pairs", models.PositiveBigIntegerField()),
                ("merges", models.PositiveSmallIntegerField(default=0)),
                (
                    "report",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="plan",
                        to="submissions.report",
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
                ("number", models.PositiveIntegerField()),
                ("job", models.PositiveSmallIntegerField()),
                ("pairs", models.PositiveIntegerField()),
                ("sides", models.BinaryField()),
                ("scores", models.BinaryField(null=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("touched", models.DateTimeField(auto_now=True)),
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
        migrations.AddConstraint(
            model_name="rankingshard",
            constraint=models.UniqueConstraint(fields=("plan", "number"), name="shard_once_a_plan"),
        ),
    )
