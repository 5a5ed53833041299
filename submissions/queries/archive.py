"""The department's archive, what of it an assignment is compared with, and requests to read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Count
from django.shortcuts import get_object_or_404

from submissions.comparisons import archived_assignments, newest_submissions
from submissions.models import Assignment, Course, Document, ReadingRequest, SubmissionFile
from submissions.permissions import Right, require, visible_courses

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.contrib.auth.models import User
    from django.db.models import QuerySet


class ArchiveSize(NamedTuple):
    """Numbers of the archive; an assignment counts if it has submissions. `terms` are sorted."""

    courses: int
    assignments: int
    submissions: int
    terms: list[str]


class LanguageCount(NamedTuple):
    """The submissions that have a file in a language, by the name of its front-end."""

    language: str
    submissions: int


def archive_size() -> ArchiveSize:
    """Return how much the department's archive holds, for administrators."""
    archived = Assignment.objects.filter(course__in_archive=True)
    with_work = list(newest_submissions(archived).values_list("batch__assignment_id", flat=True))
    assignments = Assignment.objects.in_bulk(set(with_work))
    courses = Course.objects.filter(in_archive=True).count()
    return ArchiveSize(courses, len(assignments), len(with_work), _terms(assignments.values()))


def _terms(assignments: Iterable[Assignment]) -> list[str]:
    return sorted({one.shown_term for one in assignments})


def archive_languages(assignment: Assignment) -> list[LanguageCount]:
    """Return the submissions of other courses that the archive has for an assignment, most frequent first.

    A submission in several languages counts for each of them.
    """
    newest = newest_submissions(archived_assignments(assignment))
    ready = SubmissionFile.objects.filter(submission__in=newest, document__state=Document.State.READY)
    languages = ready.order_by().values_list("document__language")
    rows = [LanguageCount(*row) for row in languages.annotate(n=Count("submission", distinct=True))]
    return sorted(rows, key=lambda row: (-row.submissions, row.language))


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
