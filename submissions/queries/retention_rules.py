"""Rules of retention: when assignments, or only their sources, are deleted, and what is deleted with them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from dateutil.relativedelta import relativedelta
from django.conf import settings
from django.db.models import Exists, F, Max, OuterRef, Q, Subquery
from django.db.models.functions import Greatest
from django.utils.translation import ngettext

from submissions.models import Assignment, Batch, Decision, EnrolledStudent, Report, Share, Submission

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from django.db.models import QuerySet

    from submissions.models import Course

# How long before the deletion the people of a course are told, and before that of sources only.
NOTICE, SOURCES_NOTICE = timedelta(days=30), timedelta(days=7)


class RetainedAssignment(NamedTuple):
    """An assignment, and when the retention of its course ends for it."""

    assignment: Assignment
    ends: datetime


def months_kept(course: Course) -> int | None:
    """Return how many months assignments are kept: by the course or the default, within the most."""
    months: int | None = course.keep_months or settings.KEEP_MONTHS or settings.KEEP_MONTHS_MOST or None
    return min(months, settings.KEEP_MONTHS_MOST or months) if months else None


def source_days_kept(course: Course) -> int | None:
    """Return how many days sources are kept: by the course or the default, within the most."""
    most: int = settings.KEEP_SOURCES_DAYS_MOST
    days: int | None = course.keep_sources_days or settings.KEEP_SOURCES_DAYS or most or None
    return min(days, most or days) if days else None


def retained_assignments(course: Course | None = None) -> Iterator[RetainedAssignment]:
    """Yield the assignments that the retention of their course ends for, of all courses or of one.

    It counts from the last upload or decision. An assignment that is held, or has work in the report of one
    that is held, has no end.
    """
    rows = Assignment.objects.filter(hold="").select_related("course__owner")
    rows = rows.exclude(Exists(_copies_under_a_hold()))
    if course:
        rows = rows.filter(course=course)
    # Greatest ignores NULL in Postgres.
    last = Greatest(
        "created", Max("batches__created"), Max("decisions__updated"), Max("case_decisions__updated")
    )
    for assignment in rows.annotate(last_change=last).order_by("pk"):
        if months := months_kept(assignment.course):
            yield RetainedAssignment(assignment, assignment.last_change + relativedelta(months=months))


def _copies_under_a_hold() -> QuerySet[Submission]:
    held = Submission.objects.exclude(batch__assignment__hold="")
    return held.filter(origin__batch__assignment=OuterRef("pk"))


def holds_on(assignments: Q) -> list[Assignment]:
    """Return the assignments under a hold that a deletion would take something from.

    `assignments` is the condition for those to delete: a copy of their work in the report of another one
    would leave with them.
    """
    rows = Assignment.objects.filter(assignments)
    copies = Submission.objects.filter(origin__batch__assignment__in=rows).order_by()
    kept = Q(pk__in=rows.order_by().values("pk")) | Q(pk__in=copies.values("batch__assignment"))
    return list(Assignment.objects.filter(kept).exclude(hold="").select_related("course"))


def deletions_ahead(course: Course) -> dict[int, datetime]:
    """Return when assignments of a course are deleted, by primary key: of those whose people were told."""
    return {
        row.assignment.pk: max(row.ends, row.assignment.retention_notice + NOTICE)
        for row in retained_assignments(course)
        if row.assignment.retention_notice
    }


def assignments_with_sources(course: Course | None = None) -> Iterator[RetainedAssignment]:
    """Yield the assignments whose sources go before the rest, with the time, of all courses or of one.

    It counts from the newest report. One that is held, or ranked or read just now, has no such time, nor has
    one whose sources were deleted after its newest report.
    """
    reports = Report.objects.filter(assignment=OuterRef("pk"))
    newest = reports.filter(state=Report.State.DONE).order_by("-pk").values("finished")[:1]
    rows = Assignment.objects.filter(hold="")
    if course:
        rows = rows.filter(course=course)
    rows = rows.annotate(last_report=Subquery(newest)).exclude(last_report=None)
    rows = rows.filter(Q(sources_deleted=None) | Q(sources_deleted__lt=F("last_report")))
    rows = rows.exclude(Exists(reports.filter(state__in=Report.UNFINISHED)))
    for assignment in rows.select_related("course__owner").order_by("pk"):
        if days := source_days_kept(assignment.course):
            yield RetainedAssignment(assignment, assignment.last_report + timedelta(days=days))


def source_deletions_ahead(course: Course) -> dict[int, datetime]:
    """Return when sources of assignments of a course are deleted, of those whose people were told."""
    return {
        row.assignment.pk: max(row.ends, row.assignment.sources_notice + SOURCES_NOTICE)
        for row in assignments_with_sources(course)
        if row.assignment.sources_notice
    }


class LostRecords(NamedTuple):
    """A number of records of one kind; `text` says it in words, with {n} for the number."""

    number: int
    text: str

    def __str__(self) -> str:
        return self.text.format(n=f"{self.number:,}")


def lost_with_batch(batch: Batch) -> list[LostRecords]:
    return _not_empty(_submissions(batch.submissions.count()))


def lost_with_assignment(assignment: Assignment) -> list[LostRecords]:
    return _lost_with_assignments(Assignment.objects.filter(pk=assignment.pk).values_list("pk", flat=True))


def lost_with_course(course: Course) -> list[LostRecords]:
    assignments = course.assignments.values_list("pk", flat=True)
    count = len(assignments)
    whole_assignments = LostRecords(count, ngettext("{n} assignment", "{n} assignments", count))
    students = EnrolledStudent.objects.filter(roster__course=course).count()
    enrolled = LostRecords(
        students, ngettext("{n} student in the roster", "{n} students in the roster", students)
    )
    return _not_empty(whole_assignments, enrolled) + _lost_with_assignments(assignments)


def _lost_with_assignments(assignments: QuerySet[Assignment, int]) -> list[LostRecords]:
    uploads = Batch.objects.filter(assignment__in=assignments).exclude(role=Batch.Role.OTHER)
    count = uploads.count()
    reports = Report.objects.filter(assignment__in=assignments, state=Report.State.DONE).count()
    decisions = Decision.objects.filter(assignment__in=assignments).count()
    shares = Share.objects.filter(assignment__in=assignments).count()
    return _not_empty(
        LostRecords(count, ngettext("{n} upload", "{n} uploads", count)),
        _submissions(Submission.objects.filter(batch__in=uploads).count()),
        _copies(Submission.objects.filter(origin__batch__in=uploads).count()),
        LostRecords(reports, ngettext("{n} report with its pairs", "{n} reports with their pairs", reports)),
        LostRecords(decisions, ngettext("{n} decision", "{n} decisions", decisions)),
        LostRecords(shares, ngettext("{n} shared link", "{n} shared links", shares)),
    )


def _submissions(count: int) -> LostRecords:
    text = ngettext("{n} submission with its sources", "{n} submissions with their sources", count)
    return LostRecords(count, text)


def _copies(count: int) -> LostRecords:
    text = ngettext(
        "{n} submission in the report of another assignment, with its pairs",
        "{n} submissions in the reports of other assignments, with their pairs",
        count,
    )
    return LostRecords(count, text)


def _not_empty(*records: LostRecords) -> list[LostRecords]:
    return [record for record in records if record.number]
