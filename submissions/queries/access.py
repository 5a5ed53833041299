"""Access control: the objects that a user may see. Pages fetch what they display through these functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from submissions.models import Assignment, Batch, Boilerplate, BoilerplateUpload, Course, DeletedBatch

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import QuerySet


class Gone(Http404):
    """The object was deleted; the user could see it before."""


def courses(user: User) -> QuerySet[Course]:
    """Return the courses that `user` may open: their own, or all of them for staff."""
    return Course.objects.all() if user.is_staff else Course.objects.filter(owner=user)


def course(user: User, pk: int) -> Course:
    """Return a course, or raise Http404 when it does not exist or `user` may not see it."""
    return get_object_or_404(courses(user).select_related("owner"), pk=pk)


def assignment(user: User, pk: int) -> Assignment:
    """Return an assignment, or raise Http404 when it does not exist or `user` may not see it."""
    visible = Assignment.objects.filter(course__in=courses(user))
    return get_object_or_404(visible.select_related("course__owner", "course__roster"), pk=pk)


def batch(user: User, pk: int) -> Batch:
    """Return a batch.

    Raises
    ------
    Gone
        When the batch was deleted and `user` could see it before.
    Http404
        When it does not exist or `user` may not see it.
    """
    uploads = Batch.objects.exclude(role=Batch.Role.OTHER)
    visible = uploads.filter(assignment__course__in=courses(user), pk=pk)
    if existing := visible.select_related(
        "assignment__course__owner", "assignment__course__roster", "uploaded_by"
    ).first():
        return existing
    if DeletedBatch.objects.filter(batch=pk, assignment__course__in=courses(user)).exists():
        raise Gone(_("This upload was deleted with everything that came from it."))
    raise Http404("No such upload.")


def boilerplate(user: User, pk: int) -> Boilerplate:
    """Return boilerplate, or raise Http404 when it does not exist or `user` may not see it."""
    visible = Boilerplate.objects.filter(assignment__course__in=courses(user))
    return get_object_or_404(visible.select_related("assignment__course__roster"), pk=pk)


def boilerplate_upload(user: User, pk: int) -> BoilerplateUpload:
    """Return uploaded boilerplate, or raise Http404 when it does not exist or `user` may not see it."""
    visible = BoilerplateUpload.objects.filter(assignment__course__in=courses(user))
    return get_object_or_404(visible.select_related("assignment"), pk=pk)
