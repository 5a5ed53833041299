"""Requests to read a pair with work of another course, as those who ask and those who answer see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import get_object_or_404

from submissions.models import ReadingRequest
from submissions.permissions import Right, require, visible_courses

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import QuerySet

    from submissions.models import Course


def find_request(user: User, pk: int) -> ReadingRequest:
    """Return a request that a user may answer: who may share the work of the old course.

    Raises
    ------
    Http404
        When it does not exist, or `user` has no right in the old course at all.
    PermissionDenied
        When `user` may not share the work of that course.
    """
    rows = ReadingRequest.objects.filter(old__batch__assignment__course__in=visible_courses(user))
    row = get_object_or_404(rows.select_related("old__batch__assignment__course__owner", "asked_by"), pk=pk)
    require(user, Right.SHARE, row.old.batch.assignment.course)
    return row


def requests_of(course: Course) -> QuerySet[ReadingRequest]:
    """Return the requests to read work of a course, newest first, with their changes."""
    rows = ReadingRequest.objects.filter(old__batch__assignment__course=course)
    sides = ("old__batch__assignment__course__roster", "new__batch__assignment__course", "asked_by")
    return rows.select_related(*sides).prefetch_related("changes")


def open_reading_requests(course: Course) -> int:
    """Return the number of requests to read work of a course that nobody has answered."""
    rows = ReadingRequest.objects.filter(old__batch__assignment__course=course)
    return rows.filter(state=ReadingRequest.State.ASKED).count()
