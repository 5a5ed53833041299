from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0008_boilerplate_uploads"),
    ]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="identifier",
            field=models.CharField(blank=True, default="", max_length=400),
        ),
    ]
