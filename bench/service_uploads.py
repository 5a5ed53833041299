"""Uploads straight into the database and the queue of a running installation, for measurements."""

from __future__ import annotations

import io
import time
import zipfile
from typing import TYPE_CHECKING

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction

from moss.installation import start_django

start_django()

from django.contrib.auth.models import User  # noqa: E402 - models, after Django's start

from submissions.models import Course, Report  # noqa: E402
from submissions.uploads.change import create_batch  # noqa: E402
from submissions.uploads.lifecycle import enqueue_rank  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from submissions.models import Assignment, Batch

POLL_SECONDS = 0.05


def upload(name: str, submissions: Sequence[Path], first: int = 0) -> Batch:
    """Upload files and folders to an assignment, each as work of one student, numbered from `first`."""
    user, _ = User.objects.get_or_create(username="instructor")
    course, _ = Course.objects.get_or_create(owner=user, name="Programming")
    assignment, _ = course.assignments.get_or_create(name=name)
    with zipfile.ZipFile(archive := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as file:
        for number, submission in enumerate(submissions, first):
            for path in sorted(submission.rglob("*")) if submission.is_dir() else [submission]:
                if path.is_file():
                    entry = path.relative_to(submission.parent)
                    file.writestr(f"student{number:04}/{entry}", path.read_bytes())
    return create_batch(assignment, user, [SimpleUploadedFile("class.zip", archive.getvalue())])


def rank_again(assignment: Assignment) -> float:
    """Have an assignment ranked again, as after a change of what is ignored; return the seconds it took."""
    started = time.monotonic()
    with transaction.atomic():
        report = enqueue_rank(assignment)
    while report.state in Report.UNFINISHED:
        time.sleep(POLL_SECONDS)
        report.refresh_from_db()
    return time.monotonic() - started
