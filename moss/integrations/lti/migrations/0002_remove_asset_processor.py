"""Remove the tables of submissions that platforms pushed, and the work that waited for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import migrations

if TYPE_CHECKING:
    from django.apps.registry import Apps
    from django.db.backends.base.schema import BaseDatabaseSchemaEditor

KINDS = ("fetch_submission", "gather_submissions", "report_submission")


def delete_jobs(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """Delete the jobs that no worker knows any more."""
    apps.get_model("submissions", "Job").objects.filter(kind__in=KINDS).delete()


class Migration(migrations.Migration):
    # The release before uses what it removes.
    phase = "stop"

    dependencies = [
        ("lti", "0001_initial"),
        ("submissions", "0001_initial"),
    ]

    operations = [
        migrations.RunPython(delete_jobs, migrations.RunPython.noop),
        migrations.DeleteModel(name="PushedFile"),
        migrations.DeleteModel(name="PushedSubmission"),
        migrations.DeleteModel(name="AttachedActivity"),
        migrations.RemoveField(model_name="deeplinkrequest", name="activity"),
        migrations.RemoveField(model_name="deeplinkrequest", name="notices_url"),
        migrations.RemoveField(model_name="usednonce", name="until"),
    ]
