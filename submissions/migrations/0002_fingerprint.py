import django.db.models.deletion
from django.db import migrations, models

CREATE = """
CREATE TABLE submissions_fingerprint (
    document_id bigint NOT NULL REFERENCES submissions_document (id) ON DELETE CASCADE,
    hash bigint NOT NULL,
    position integer NOT NULL
);
CREATE INDEX submissions_fingerprint_document ON submissions_fingerprint (document_id);
CREATE INDEX submissions_fingerprint_hash ON submissions_fingerprint (hash, document_id);
"""
REMOVE = "DROP TABLE submissions_fingerprint"

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
        migrations.SeparateDatabaseAndState([migrations.RunSQL(CREATE, REMOVE)], [MODEL]),
    ]
