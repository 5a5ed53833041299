"""Compare files at once: the course and the assignment that they need are created on the way."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from django.db import transaction

from submissions.actions.stored_files import upload_name
from submissions.actions.uploads import create_batch
from submissions.models import Course

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.contrib.auth.models import User
    from django.core.files import File

    from submissions.models import Batch

NAME_CHARACTERS = 190


@transaction.atomic
def compare_files(user: User, files: Sequence[File[bytes]], course: str) -> Batch:
    """Upload files to a new assignment that is named after them, in the user's course of a name.

    The course is created if necessary. The upload waits until the user has checked how it is grouped.

    Raises
    ------
    QuotaExceeded
        When the files are more than may be stored; then nothing is created.
    """
    owned, _ = Course.objects.get_or_create(owner=user, name=course)
    stem = PurePosixPath(upload_name(files)).name.partition(".")[0][:NAME_CHARACTERS] or "upload"
    taken = set(owned.assignments.values_list("name", flat=True))
    names = (stem if number == 1 else f"{stem} {number}" for number in range(1, len(taken) + 2))
    assignment = owned.assignments.create(name=next(name for name in names if name not in taken))
    return create_batch(assignment, user, files, preview=True)
