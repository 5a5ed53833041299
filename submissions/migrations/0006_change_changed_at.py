"""The time of a change gets a name that says what it is."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = (("submissions", "0005_records"),)

    operations = (migrations.RenameField("change", "made", "changed_at"),)
