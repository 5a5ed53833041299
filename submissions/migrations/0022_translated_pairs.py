from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0021_import_evidence"),
    ]

    operations = [
        migrations.AddField(
            model_name="document",
            name="coarse",
            field=models.BinaryField(default=b""),
        ),
        migrations.AddField(
            model_name="pair",
            name="translated",
            field=models.BooleanField(default=False),
        ),
    ]
