from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("submissions", "0020_case_decisions"),)
    operations = (
        migrations.AddField(model_name="pair", name="imports", field=models.FloatField(default=0.0)),
    )
