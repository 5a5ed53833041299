import django.db.models.deletion
from django.db import migrations, models

from submissions.storage import fingerprints as store

MODEL = migrations.CreateModel(
    name="Fingerprint",
    fields=[
        (
            "pk",
            models.CompositePrimaryKey(
                "document", "position", blank=True, editable=False, primary_key=True, serialize=False
            ),
        ),
        ("hash", models.BigIntegerField()),
        ("position", models.IntegerField()),
        (
            "document",
            models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="fingerprints",
                to="submissions.document",
            ),
        ),
    ],
)


class Migration(migrations.Migration):
    dependencies = [("submissions", "0001_initial")]

    operations = [
        migrations.SeparateDatabaseAndState([migrations.RunSQL(store.CREATE, store.REMOVE)], [MODEL]),
    ]
