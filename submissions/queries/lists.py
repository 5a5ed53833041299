"""Rows of the lists, each list in a bounded number of queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from django.db.models import Count, Exists, IntegerField, OuterRef, Subquery
from django.db.models.functions import Coalesce

from submissions.models import (
    Assignment,
    Batch,
    Course,
    Document,
    Entry,
    Report,
    Submission,
    SubmissionFile,
)
from submissions.queries.access import courses

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import QuerySet
    from django_stubs_ext import WithAnnotations

    ListedAssignment = WithAnnotations[Assignment, "AssignmentCounts"]
    ListedSubmission = WithAnnotations[Submission, "SubmissionFacts"]


class AssignmentCounts(TypedDict):
    submission_count: int
    pair_count: int | None


class SubmissionFacts(TypedDict):
    file_count: int
    superseded: bool


def listed_courses(user: User) -> QuerySet[Course]:
    """`courses` with `assignment_count` and the owner."""
    listed = courses(user).select_related("owner").annotate(assignment_count=Count("assignments"))
    return listed.order_by("name", "pk")


def _count(rows: QuerySet[Any], group: str, what: Count | None = None) -> Coalesce:
    """Count `rows` a `group` in a subquery, so that several counts do not multiply each other."""
    counted = rows.order_by().values(group).annotate(n=what or Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def listed_assignments(of: Course) -> QuerySet[ListedAssignment]:
    """List assignments with `submission_count` (the cohort's) and `pair_count` (None without a report)."""
    done = Submission.objects.filter(batch__assignment=OuterRef("pk"), batch__state=Batch.State.DONE)
    newest = Report.objects.filter(assignment=OuterRef("pk"), state=Report.State.DONE).order_by("-pk")
    return of.assignments.annotate(
        submission_count=_count(done, "batch__assignment", Count("name", distinct=True)),
        pair_count=Subquery(newest.annotate(n=Count("pairs")).values("n")[:1], output_field=IntegerField()),
    )


def listed_batches(of: Assignment) -> QuerySet[Batch]:
    """List batches, newest first, with `submission_count` and `skipped_count`."""
    return of.batches.annotate(
        submission_count=_count(Submission.objects.filter(batch=OuterRef("pk")), "batch"),
        skipped_count=_count(Entry.objects.filter(batch=OuterRef("pk"), accepted=False), "batch"),
    )


def batch_submissions(of: Batch) -> QuerySet[ListedSubmission]:
    """List submissions with `file_count` and `superseded`: a later finished upload has the same name."""
    later = Submission.objects.filter(
        batch__assignment=of.assignment_id,
        batch__state=Batch.State.DONE,
        batch__gt=of.pk,
        name=OuterRef("name"),
    )
    counted = of.submissions.annotate(file_count=Count("files"), superseded=Exists(later))
    return counted.order_by("name", "pk")


def failed_files(of: Batch) -> QuerySet[SubmissionFile]:
    """Files of which no front-end could make tokens; `document.reason` says why."""
    failed = SubmissionFile.objects.filter(submission__batch=of, document__state=Document.State.FAILED)
    chosen = failed.select_related("submission", "document").defer("document__tokens")
    return chosen.order_by("submission__name", "path")
