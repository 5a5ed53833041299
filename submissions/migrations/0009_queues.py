from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0008_boilerplate_uploads"),
    ]

    operations = [
        migrations.AddField(
            model_name="batch",
            name="queue",
            field=models.CharField(default="interactive", max_length=20),
        ),
        migrations.AddField(
            model_name="boilerplateupload",
            name="queue",
            field=models.CharField(default="interactive", max_length=20),
        ),
        migrations.AddField(
            model_name="report",
            name="queue",
            field=models.CharField(default="interactive", max_length=20),
        ),
    ]
