"""A course of somebody's with the bundled sample class."""

from __future__ import annotations

from itertools import chain, count
from typing import TYPE_CHECKING

from django.core.files.uploadedfile import SimpleUploadedFile

from moss.sample import SAMPLE, sample_zip
from submissions.actions.boilerplate import add_boilerplate
from submissions.actions.deletions import delete_batch
from submissions.actions.uploads import create_batch
from submissions.models import Course

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from submissions.models import Assignment, Batch

COURSE, ASSIGNMENT, ARCHIVE = "Sample course", "Library fines", "sample-class.zip"


def sample_assignment(user: User) -> Assignment:
    """Return the sample assignment with its boilerplate, without earlier uploads of the sample class.

    The course is created if necessary; a course of that name that is no sample is left as it is.
    """
    course = Course.objects.filter(owner=user, is_sample=True).first()
    if course is None:
        course = Course.objects.create(owner=user, name=_free_name(user), is_sample=True)
    assignment, _ = course.assignments.get_or_create(name=ASSIGNMENT)
    for batch in assignment.batches.filter(name=ARCHIVE):
        delete_batch(batch)
    starter_files = sorted((SAMPLE / "starter").iterdir())
    add_boilerplate(assignment, [SimpleUploadedFile(file.name, file.read_bytes()) for file in starter_files])
    return assignment


def _free_name(user: User) -> str:
    taken = set(Course.objects.filter(owner=user, name__startswith=COURSE).values_list("name", flat=True))
    names = chain([COURSE, f"{COURSE} (moss)"], (f"{COURSE} {number}" for number in count(2)))
    return next(name for name in names if name not in taken)


def upload_sample(assignment: Assignment, user: User) -> Batch:
    """Upload the sample class, as somebody does on the page of an assignment."""
    return create_batch(assignment, user, [SimpleUploadedFile(ARCHIVE, sample_zip(), "application/zip")])
