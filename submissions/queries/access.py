"""Who may see what: everything that a page shows is found through these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import Http404
from django.shortcuts import get_object_or_404

from submissions.models import Assignment, Batch, Boilerplate, Course, DeletedBatch

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import QuerySet


class Gone(Http404):
    """It was there, `user` might have seen it, and it was deleted."""


def courses(user: User) -> QuerySet[Course]:
    """Courses that `user` may open: their own, and every one for staff."""
    return Course.objects.all() if user.is_staff else Course.objects.filter(owner=user)


def course(user: User, pk: int) -> Course:
    """Find it, or raise Http404 where `user` may not know that it exists; so do the three below."""
    return get_object_or_404(courses(user).select_related("owner"), pk=pk)


def assignment(user: User, pk: int) -> Assignment:
    visible = Assignment.objects.filter(course__in=courses(user))
    return get_object_or_404(visible.select_related("course__owner"), pk=pk)


def batch(user: User, pk: int) -> Batch:
    """Find it, or raise Gone where `user` had it before it was deleted."""
    visible = Batch.objects.filter(assignment__course__in=courses(user), pk=pk)
    if found := visible.select_related("assignment__course__owner", "uploaded_by").first():
        return found
    if DeletedBatch.objects.filter(batch=pk, assignment__course__in=courses(user)).exists():
        raise Gone("This upload was deleted with everything that came from it.")
    raise Http404("No such upload.")


def boilerplate(user: User, pk: int) -> Boilerplate:
    visible = Boilerplate.objects.filter(assignment__course__in=courses(user))
    return get_object_or_404(visible.select_related("assignment"), pk=pk)
