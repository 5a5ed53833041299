"""A course of somebody's with the bundled sample class, which the start page offers with one click."""

from __future__ import annotations

from itertools import chain, count
from typing import TYPE_CHECKING

from django.contrib import messages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from moss.sample import SAMPLE, sample_zip
from submissions.core.accounts import QuotaExceeded
from submissions.courses.retention import delete_batch
from submissions.models import Assignment, Batch, Course
from submissions.pages.requests import signed_in
from submissions.uploads.change import add_boilerplate, create_batch

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.http import HttpResponse

    from submissions.pages.requests import AuthenticatedRequest

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


@signed_in("POST")
def add_sample(request: AuthenticatedRequest) -> HttpResponse:
    """Create a course of the user's with the sample class, and open its assignment."""
    try:
        assignment = sample_assignment(request.user)
        upload_sample(assignment, request.user)
    except QuotaExceeded as refusal:
        messages.warning(request, str(refusal))
        return redirect("courses")
    messages.info(request, _("The sample class is being read. Delete it on the page of its course at any time."))
    return redirect(assignment)
