from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0010_file_patterns"),
    ]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="identifier",
            field=models.CharField(blank=True, default="", max_length=400),
        ),
    ]
