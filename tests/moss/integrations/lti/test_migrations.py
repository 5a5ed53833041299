"""An installation with submissions that a platform pushed is brought to a version without them."""

from typing import Any

import pytest
from django.apps.registry import Apps
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from moss.integrations.lti.models import DeepLinkRequest, UsedNonce
from submissions.models import Batch, Course, Job
from tests.moss.backups.test_backups import other_database

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

BEFORE = [("lti", "0001_initial"), ("submissions", "0001_initial")]
REMOVED = {"lti_pushedfile", "lti_pushedsubmission", "lti_attachedactivity"}
KINDS = ("fetch_submission", "gather_submissions", "report_submission")


def create(apps: Apps, model: str, **fields: Any) -> Any:
    return apps.get_model(model)._default_manager.create(**fields)


def fill(apps: Apps) -> None:
    """Store a pushed submission in each state, what belongs to it, and other work."""
    user = create(apps, "auth.User", username="ina")
    course = create(apps, "submissions.Course", owner=user, name="Algorithms")
    assignment = create(apps, "submissions.Assignment", course=course, name="Sheet 1")
    batch = create(apps, "submissions.Batch", assignment=assignment, name="Example LMS.zip", state="done")
    platform = create(apps, "lti.Platform", name="Example LMS", issuer="https://lms.example")
    platform_course = create(apps, "lti.PlatformCourse", platform=platform, course=course)
    create(apps, "lti.AttachedActivity", platform_course=platform_course, assignment=assignment)
    create(apps, "lti.UsedNonce", nonce="of a notice", until=timezone.now())
    create(apps, "lti.DeepLinkRequest", platform_course=platform_course, user=user, activity="1")
    pushed = {"platform_course": platform_course, "assignment": assignment, "submitted": timezone.now()}
    for state in ("waiting", "fetched", "read", "replaced", "failed"):
        row = create(apps, "lti.PushedSubmission", **pushed, submission=state, state=state)
        if state == "fetched":
            create(apps, "lti.PushedFile", submission=row, name="main.py", data=b"x = 1")
        elif state == "read":
            row.batch = batch
            row.save()
    for kind in (*KINDS, "rank"):
        for state in ("queued", "running", "failed"):
            create(apps, "submissions.Job", kind=kind, subject=1, state=state)


def test_what_was_pushed_and_waits_goes_and_its_uploads_and_other_work_stay() -> None:
    with other_database():
        for app, migration in BEFORE:
            call_command("migrate", app, migration, verbosity=0)
        assert {*connection.introspection.table_names()} >= REMOVED
        fill(MigrationExecutor(connection).loader.project_state(BEFORE).apps)
        call_command("migrate", verbosity=0)
        assert not {*connection.introspection.table_names()} & REMOVED
        assert Batch.objects.get().name == "Example LMS.zip"
        assert [job.kind for job in Job.objects.all()] == ["rank"] * 3
        assert DeepLinkRequest.objects.count() == UsedNonce.objects.count() == 1
        # No row of a removed table refers to what stays.
        Course.objects.all().delete()
        assert not Batch.objects.exists()
