from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("submissions", "0017_kept_documents"),)
    operations = (
        migrations.AddField(model_name="pair", name="imports", field=models.FloatField(default=0.0)),
    )
