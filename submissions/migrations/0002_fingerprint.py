from django.db import migrations

from submissions import store


class Migration(migrations.Migration):
    dependencies = [("submissions", "0001_initial")]

    operations = [migrations.RunSQL(store.CREATE, store.REMOVE)]
