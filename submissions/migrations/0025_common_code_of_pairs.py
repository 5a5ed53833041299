from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0024_compared_assignments")]

    operations = [
        migrations.AddField("pair", "left_with_common", models.FloatField(null=True)),
        migrations.AddField("pair", "right_with_common", models.FloatField(null=True)),
    ]
