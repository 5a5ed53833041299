from __future__ import annotations

from typing import TYPE_CHECKING

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

if TYPE_CHECKING:
    from django.apps.registry import Apps
    from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def rank_compared_classes_again(apps: Apps, _editor: BaseDatabaseSchemaEditor | None) -> None:
    """Queue a report of each class with work of other assignments: its figures counted that until now.

    The maintenance process sends what is queued and was not sent.
    """
    batches, reports = (apps.get_model("submissions", name).objects for name in ("Batch", "Report"))
    compared = set(batches.filter(role="other").values_list("assignment", flat=True))
    waiting = reports.filter(state__in=("queued", "running")).values_list("assignment", flat=True)
    for assignment in sorted(compared - set(waiting)):
        reports.create(assignment_id=assignment)


class Migration(migrations.Migration):
    dependencies = (
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("submissions", "0072_shards_of_passages"),
    )

    operations = (
        migrations.AddField(
            model_name="campusgroup",
            name="added_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AlterField(
            model_name="share",
            name="created_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(model_name="share", name="owner_told", field=models.BooleanField(default=False)),
        migrations.RunPython(rank_compared_classes_again, migrations.RunPython.noop),
    )
