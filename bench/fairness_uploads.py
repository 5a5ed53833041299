"""Uploads for `bench.fairness`, straight into the database and the queue of a running installation."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

from django.core.files.uploadedfile import SimpleUploadedFile

from moss.installation import start_django
from tests.support.programs import program

start_django()

from django.contrib.auth.models import User  # noqa: E402 - models, after Django's start

from submissions.models import Course  # noqa: E402
from submissions.uploads.change import create_batch  # noqa: E402

if TYPE_CHECKING:
    import random

    from submissions.models import Batch


def upload(rng: random.Random, instructor: str, programs: int) -> Batch:
    """Upload a class of random programs to a new assignment of an instructor."""
    user, _ = User.objects.get_or_create(username=instructor)
    course, _ = Course.objects.get_or_create(owner=user, name="Programming")
    assignment = course.assignments.create(name=f"Class {course.assignments.count()}")
    with zipfile.ZipFile(archive := io.BytesIO(), "w") as file:
        for number in range(programs):
            file.writestr(f"student{number:04}/main.py", program(rng))
    return create_batch(assignment, user, [SimpleUploadedFile("class.zip", archive.getvalue())])
