"""Keep uploads where every worker reaches them, and store their sizes; move the files that wait to be read."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from django.core.files.storage import FileSystemStorage, default_storage
from django.db import migrations, models, transaction

if TYPE_CHECKING:
    from django.db.backends.base.schema import BaseDatabaseSchemaEditor

STORE_AS_IT_IS = "ALTER TABLE submissions_filechunk ALTER COLUMN data SET STORAGE EXTERNAL"


def move_files(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Store the files of uploads of the folder `media` in the default storage, if that is another one."""
    del schema_editor
    folder = FileSystemStorage()
    for upload in apps.get_model("submissions", "Upload").objects.exclude(file=""):
        name = upload.file.name
        if not folder.exists(name):
            continue
        upload.size = folder.size(name)
        upload.save(update_fields=["size"])
        if not isinstance(default_storage, FileSystemStorage) and not default_storage.exists(name):
            with folder.open(name, "rb") as file:
                default_storage.save(name, file)
            transaction.on_commit(partial(folder.delete, name))


class Migration(migrations.Migration):
    dependencies = (("submissions", "0028_audit_log"),)

    operations = (
        migrations.CreateModel(
            name="FileChunk",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100)),
                ("number", models.PositiveIntegerField()),
                ("data", models.BinaryField()),
                ("stored", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.AddConstraint(
            model_name="filechunk",
            constraint=models.UniqueConstraint(fields=("name", "number"), name="chunk_once_a_file"),
        ),
        migrations.RunSQL(STORE_AS_IT_IS, migrations.RunSQL.noop),
        migrations.AddField(
            model_name="upload",
            name="size",
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.RunPython(move_files, migrations.RunPython.noop),
    )
