"""Access control: the objects that a user may see. Pages fetch what they display through these functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from submissions.models import (
    Assignment,
    Batch,
    Boilerplate,
    BoilerplateUpload,
    DeletedBatch,
    IgnoringProposal,
    ResumableUpload,
    Share,
)
from submissions.permissions import Right, require, visible_courses
from submissions.queries.withheld import all_submissions, for_reader, has_other_courses

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import QuerySet

    from submissions.models import Course


class Gone(Http404):
    """The object was deleted; the user could see it before."""


def find_course(user: User, pk: int, right: Right) -> Course:
    """Return a course.

    Raises
    ------
    Http404
        When it does not exist, or `user` has no right in it at all.
    PermissionDenied
        When `user` has rights in it, but not this one. The other functions of this module raise the same.
    """
    row = get_object_or_404(visible_courses(user).select_related("owner"), pk=pk)
    require(user, right, row)
    return row


def find_assignment(user: User, pk: int, right: Right) -> Assignment:
    """Return an assignment."""
    rows = Assignment.objects.filter(course__in=visible_courses(user)).annotate(
        has_others=has_other_courses()
    )
    row = get_object_or_404(rows.select_related("course__owner", "course__roster"), pk=pk)
    require(user, right, row.course)
    return for_reader(row, user) if row.has_others else row  # type: ignore[attr-defined] # annotated


def find_resumable(user: User, pk: int) -> ResumableUpload:
    """Return an upload in parts that `user` began and may add to, or raise Http404."""
    rows = ResumableUpload.objects.filter(uploaded_by=user, assignment__course__in=visible_courses(user))
    upload = get_object_or_404(rows.select_related("assignment__course__owner", "uploaded_by"), pk=pk)
    require(user, Right.CHANGE, upload.assignment.course)
    return upload


def unfinished_uploads(user: User, assignment: Assignment) -> QuerySet[ResumableUpload]:
    """Return the uploads of an assignment that `user` began and whose rest did not arrive."""
    rows = ResumableUpload.objects.filter(uploaded_by=user, assignment=assignment, ended=None)
    return rows.order_by("pk")


def find_batch(user: User, pk: int, right: Right) -> Batch:
    """Return a batch.

    Raises
    ------
    Gone
        When the batch was deleted and `user` could see it before.
    """
    uploads = Batch.objects.exclude(role=Batch.Role.OTHER)
    rows = uploads.filter(assignment__course__in=visible_courses(user), pk=pk)
    if existing := rows.select_related(
        "assignment__course__owner", "assignment__course__roster", "uploaded_by"
    ).first():
        require(user, right, existing.assignment.course)
        for_reader(existing.assignment, user)
        return existing
    if DeletedBatch.objects.filter(batch=pk, assignment__course__in=visible_courses(user)).exists():
        raise Gone(_("This upload was deleted with everything that came from it."))
    raise Http404("No such upload.")


def find_boilerplate(user: User, pk: int, right: Right) -> Boilerplate:
    """Return boilerplate."""
    rows = Boilerplate.objects.filter(assignment__course__in=visible_courses(user))
    row = get_object_or_404(
        rows.select_related("assignment__course__owner", "assignment__course__roster"), pk=pk
    )
    require(user, right, row.assignment.course)
    for_reader(row.assignment, user)
    return row


def find_boilerplate_upload(user: User, pk: int, right: Right) -> BoilerplateUpload:
    """Return uploaded boilerplate."""
    rows = BoilerplateUpload.objects.filter(assignment__course__in=visible_courses(user))
    row = get_object_or_404(rows.select_related("assignment__course__owner"), pk=pk)
    require(user, right, row.assignment.course)
    for_reader(row.assignment, user)
    return row


def find_proposal(user: User, pk: int) -> IgnoringProposal:
    """Return lines that may be ignored; this takes the right to change the assignment."""
    rows = IgnoringProposal.objects.filter(assignment__course__in=visible_courses(user))
    related = ("assignment__course__owner", "assignment__course__roster", "document__source")
    row = get_object_or_404(rows.select_related(*related), pk=pk)
    require(user, Right.CHANGE, row.assignment.course)
    for_reader(row.assignment, user)
    if not all_submissions(row.assignment).filter(files__document=row.document_id).exists():
        raise Http404("No submission that may be read has these lines.")
    return row


def find_share(user: User, pk: int) -> Share:
    """Return a share link; this takes the right to share."""
    rows = Share.objects.filter(assignment__course__in=visible_courses(user))
    row = get_object_or_404(rows.select_related("assignment__course__owner"), pk=pk)
    require(user, Right.SHARE, row.assignment.course)
    for_reader(row.assignment, user)
    return row
