"""The department's archive: what it holds, and what of it an assignment would be compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Count

from submissions.comparisons import archived_assignments, newest_submissions
from submissions.models import Assignment, Course, Document, SubmissionFile

if TYPE_CHECKING:
    from collections.abc import Iterable


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
