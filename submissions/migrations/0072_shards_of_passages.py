"""Shards that align pairs, besides those that score them. Rankings that were under way start again."""

from __future__ import annotations

from django.db import migrations, models

# What is packed already is not compressed again.
STORE_AS_IT_IS = "ALTER TABLE submissions_rankingshard ALTER COLUMN result SET STORAGE EXTERNAL"
# A worker of this version does not follow a plan of another one.
FORGET_PLANS = "DELETE FROM submissions_rankingshard; DELETE FROM submissions_rankingplan"


class Migration(migrations.Migration):
    dependencies = (("submissions", "0071_corpus_shards"),)

    operations = (
        migrations.RunSQL(FORGET_PLANS, migrations.RunSQL.noop),
        migrations.RenameField("rankingshard", "scores", "result"),
        migrations.AddField(
            "rankingshard",
            "kind",
            models.CharField(
                choices=[("scores", "Scores"), ("passages", "Passages")], default="scores", max_length=10
            ),
        ),
        migrations.AlterField("rankingshard", "job", models.PositiveSmallIntegerField(default=0)),
        migrations.RunSQL(STORE_AS_IT_IS, migrations.RunSQL.noop),
    )
