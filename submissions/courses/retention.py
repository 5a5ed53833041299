"""Retention: when assignments, or only their sources, are deleted, and deleting all dependent records."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from typing import NamedTuple

from dateutil.relativedelta import relativedelta
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Greatest
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext

from submissions import models
from submissions.audit.models import AuditAction
from submissions.cases.models import State
from submissions.core.database import done_again
from submissions.core.mails import Mail
from submissions.core.names import hides_names
from submissions.uploads import lifecycle
from submissions.uploads.files import discard_uploads
from submissions.uploads.fingerprinting import delete_unused, delete_unused_sources
from submissions.work import jobs
from submissions.work.kinds import HEAVY

# How long before a deletion the people of a course are told, and before a deletion of sources only.
NOTICE, SOURCES_NOTICE = timedelta(days=30), timedelta(days=7)

logger = logging.getLogger(__name__)

# What was decided like this is evidence, or may become some.
EVIDENCE = (State.SUSPICIOUS, State.CONFIRMED)
# Sources that are emptied in one round of maintenance.
A_ROUND = 500


class RetainedAssignment(NamedTuple):
    """An assignment, and when the retention of its course ends for it."""

    assignment: models.Assignment
    ends: datetime


def months_kept(course: models.Course) -> int | None:
    """Return how many months assignments are kept: by the course or the default, within the most."""
    months: int | None = course.keep_months or settings.KEEP_MONTHS or settings.KEEP_MONTHS_MOST or None
    return min(months, settings.KEEP_MONTHS_MOST or months) if months else None


def source_days_kept(course: models.Course) -> int | None:
    """Return how many days sources are kept: by the course or the default, within the most."""
    most: int = settings.KEEP_SOURCES_DAYS_MOST
    days: int | None = course.keep_sources_days or settings.KEEP_SOURCES_DAYS or most or None
    return min(days, most or days) if days else None


def retained_assignments(course: models.Course | None = None) -> Iterator[RetainedAssignment]:
    """Yield the assignments whose retention ends, with the time, of all courses or of one course.

    The retention counts from the last upload or decision. It has no end for an assignment under a hold, or
    with work in the report of an assignment under a hold.
    """
    rows = models.Assignment.objects.filter(hold="").select_related("course__owner")
    held = models.Submission.objects.exclude(batch__assignment__hold="")
    rows = rows.exclude(Exists(held.filter(origin__batch__assignment=OuterRef("pk"))))
    if course:
        rows = rows.filter(course=course)
    # Greatest ignores NULL in Postgres.
    last = Greatest("created", Max("batches__created"), Max("decisions__updated"), Max("case_decisions__updated"))
    for assignment in rows.annotate(last_change=last).order_by("pk"):
        if months := months_kept(assignment.course):
            yield RetainedAssignment(assignment, assignment.last_change + relativedelta(months=months))


def holds_on(assignments: Q) -> list[models.Assignment]:
    """Return the assignments under a hold that would lose something by a deletion.

    `assignments` is the condition for the assignments to delete: copies of their work in reports of other
    assignments would be deleted too.
    """
    rows = models.Assignment.objects.filter(assignments)
    copies = models.Submission.objects.filter(origin__batch__assignment__in=rows).order_by()
    kept = Q(pk__in=rows.order_by().values("pk")) | Q(pk__in=copies.values("batch__assignment"))
    return list(models.Assignment.objects.filter(kept).exclude(hold="").select_related("course"))


def deletions_ahead(course: models.Course) -> dict[int, datetime]:
    """Return when assignments of a course are deleted, by primary key: of those whose people were told."""
    return {
        row.assignment.pk: max(row.ends, row.assignment.retention_notice + NOTICE)
        for row in retained_assignments(course)
        if row.assignment.retention_notice
    }


def assignments_with_sources(course: models.Course | None = None) -> Iterator[RetainedAssignment]:
    """Yield the assignments whose sources are deleted before the rest, with the time, of all courses or one.

    The time counts from the newest report. An assignment that is under a hold, is ranked or read just now, or
    lost its sources after its newest report has no such time.
    """
    reports = models.Report.objects.filter(assignment=OuterRef("pk"))
    newest = reports.filter(state=models.Report.State.DONE).order_by("-pk").values("finished")[:1]
    rows = models.Assignment.objects.filter(hold="")
    if course:
        rows = rows.filter(course=course)
    rows = rows.annotate(last_report=Subquery(newest)).exclude(last_report=None)
    rows = rows.filter(Q(sources_deleted=None) | Q(sources_deleted__lt=F("last_report")))
    rows = rows.exclude(Exists(reports.filter(state__in=models.Report.UNFINISHED)))
    for assignment in rows.select_related("course__owner").order_by("pk"):
        if days := source_days_kept(assignment.course):
            yield RetainedAssignment(assignment, assignment.last_report + timedelta(days=days))


def source_deletions_ahead(course: models.Course) -> dict[int, datetime]:
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


def lost_with_batch(batch: models.Batch) -> list[LostRecords]:
    return _not_empty(_submissions(batch.submissions.count()))


def lost_with_assignment(assignment: models.Assignment) -> list[LostRecords]:
    return _lost_with_assignments(models.Assignment.objects.filter(pk=assignment.pk).values_list("pk", flat=True))


def lost_with_course(course: models.Course) -> list[LostRecords]:
    assignments = course.assignments.values_list("pk", flat=True)
    count = len(assignments)
    whole_assignments = LostRecords(count, ngettext("{n} assignment", "{n} assignments", count))
    students = models.EnrolledStudent.objects.filter(roster__course=course).count()
    enrolled = LostRecords(students, ngettext("{n} student in the roster", "{n} students in the roster", students))
    return _not_empty(whole_assignments, enrolled) + _lost_with_assignments(assignments)


def _lost_with_assignments(assignments: QuerySet[models.Assignment, int]) -> list[LostRecords]:
    uploads = models.Batch.objects.filter(assignment__in=assignments).exclude(role=models.Batch.Role.OTHER)
    count = uploads.count()
    reports = models.Report.objects.filter(assignment__in=assignments, state=models.Report.State.DONE).count()
    decisions = models.Decision.objects.filter(assignment__in=assignments).count()
    shares = models.Share.objects.filter(assignment__in=assignments).count()
    return _not_empty(
        LostRecords(count, ngettext("{n} upload", "{n} uploads", count)),
        _submissions(models.Submission.objects.filter(batch__in=uploads).count()),
        _copies(models.Submission.objects.filter(origin__batch__in=uploads).count()),
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


class Held(ValueError):
    """A hold keeps what was to be deleted; the message names the assignment, not the reason."""


def _refuse_held(assignments: Q) -> None:
    for held in holds_on(assignments):
        text = _("A hold protects {assignment}, so nothing was deleted. Its settings have the reason.")
        raise Held(text.format(assignment=held.name))


def delete_batch(batch: models.Batch) -> None:
    """Delete a batch with all dependent records, and rank the remaining submissions.

    Raises Held when the assignment, or another assignment that has copies of its work, is under a hold;
    `delete_assignment` and `delete_course` raise it too.
    """
    pk = batch.pk
    _refuse_held(Q(pk=batch.assignment_id))
    done_again(lambda: _delete_batch(pk))


def _delete_batch(pk: int) -> None:
    batch = models.Batch.objects.select_related("assignment").filter(pk=pk).first()
    if not batch:
        return
    # Commit this before locking: a running ranking holds the lock until it sees that it was cancelled.
    lifecycle.cancel_reports(batch.assignment)
    with transaction.atomic():
        assignment = lifecycle.lock_assignment(batch.assignment_id)
        if not assignment:
            return
        record = {"name": batch.name, "uploaded_by": batch.uploaded_by, "uploaded": batch.created}
        models.DeletedBatch.objects.get_or_create(batch=batch.pk, defaults={"assignment": assignment, **record})
        documents, listed = _documents_in([batch]), _listed_sources([batch])
        discard_uploads(batch.uploads.all())
        for kind in ("unpack", "read_documents"):
            jobs.cancel(kind, [batch.pk])
        batch.delete()
        transaction.on_commit(partial(delete_unused, documents))
        jobs.enqueue("merge_postings", queue=HEAVY)
        transaction.on_commit(partial(delete_unused_sources, listed))
        uploaded = assignment.batches.exclude(role=models.Batch.Role.OTHER)
        if uploaded.filter(state__in=models.Batch.FULLY_READ).exists():
            lifecycle.enqueue_rank(assignment)
        else:
            assignment.reports.all().delete()


def delete_assignment(assignment: models.Assignment) -> None:
    """Cancel the work on an assignment, and delete it with its uploads, reports and decisions."""
    _refuse_held(Q(pk=assignment.pk))
    pk = assignment.pk
    done_again(lambda: _delete_assignment(pk))


def _delete_assignment(pk: int) -> None:
    assignment = models.Assignment.objects.filter(pk=pk).first()
    if not assignment:
        return
    _cancel_work(assignment)
    with transaction.atomic():
        if lifecycle.lock_assignment(pk):
            _delete_locked(assignment)


def delete_course(course: models.Course) -> None:
    """Cancel the work on a course's assignments, and delete the course and all of them in one transaction."""
    _refuse_held(Q(course=course))
    pk = course.pk
    done_again(lambda: _delete_course(pk))


def _delete_course(pk: int) -> None:
    course = models.Course.objects.filter(pk=pk).first()
    if not course:
        return
    for assignment in course.assignments.all():
        _cancel_work(assignment)
    with transaction.atomic():
        for assignment in course.assignments.order_by("pk"):
            lifecycle.lock_assignment(assignment.pk)
            _delete_locked(assignment)
        course.delete()


def _cancel_work(assignment: models.Assignment) -> None:
    for batch in assignment.batches.filter(state__in=models.Batch.CANCELLABLE):
        lifecycle.cancel_batch(batch)
    lifecycle.cancel_ranking(assignment)


def _delete_locked(assignment: models.Assignment) -> None:
    boilerplate = models.Boilerplate.objects.filter(assignment=assignment)
    documents = [*_documents_in(assignment.batches.all()), *_all_documents(boilerplate)]
    listed = _listed_sources(assignment.batches.all())
    discard_uploads(models.Upload.objects.filter(batch__assignment=assignment))
    discard_uploads(models.Upload.objects.filter(boilerplate_upload__assignment=assignment))
    assignment.delete()
    transaction.on_commit(partial(delete_unused, documents))
    jobs.enqueue("merge_postings", queue=HEAVY)
    transaction.on_commit(partial(delete_unused_sources, listed))


def _listed_sources(batches: Iterable[models.Batch]) -> list[int]:
    listed = models.ListedEntry.objects.filter(batch__in=list(batches)).exclude(source=None)
    return list(listed.values_list("source_id", flat=True).distinct())


def _documents_in(batches: Iterable[models.Batch]) -> list[int]:
    """Return the documents of the submissions in batches, and of copies of these submissions."""
    keys = list(batches)
    in_batches = Q(submission__batch__in=keys) | Q(submission__origin__batch__in=keys)
    return _all_documents(models.SubmissionFile.objects.filter(in_batches))


def _all_documents(rows: QuerySet[models.SubmissionFile] | QuerySet[models.Boilerplate]) -> list[int]:
    """Return the documents of rows, and the documents that are to replace them."""
    keys = chain.from_iterable(rows.values_list("document_id", "next_document_id"))
    return list({key for key in keys if key})


def apply_retention() -> None:
    """Mail the owners of assignments that end soon; delete the assignments whose notice has ended."""
    now = timezone.now()
    for row in retained_assignments():
        if row.ends > now + NOTICE:
            _store_notice(row, is_notified=False)
        elif row.assignment.retention_notice is None:
            _store_notice(row, is_notified=True)
            logger.info("assignment %d is deleted by retention in %d days", row.assignment.pk, NOTICE.days)
            _send_mail(row, "submissions/department/retention.txt", NOTICE)
        elif max(row.ends, row.assignment.retention_notice + NOTICE) <= now:
            _delete(row)


def _store_notice(row: RetainedAssignment, *, is_notified: bool) -> None:
    if is_notified != (row.assignment.retention_notice is not None):
        row.assignment.retention_notice = timezone.now() if is_notified else None
        row.assignment.save(update_fields=["retention_notice"])


def apply_source_retention() -> None:
    """Mail the owners of assignments whose sources end soon; release the sources whose notice has ended."""
    now = timezone.now()
    for row in assignments_with_sources():
        assignment, notice = row.assignment, row.assignment.sources_notice
        if row.ends > now + SOURCES_NOTICE:
            if notice:
                models.Assignment.objects.filter(pk=assignment.pk).update(sources_notice=None)
        elif notice is None:
            if releasable(assignment).exists():
                models.Assignment.objects.filter(pk=assignment.pk).update(sources_notice=now)
                _send_mail(row, "submissions/department/sources_retention.txt", SOURCES_NOTICE)
        elif max(row.ends, notice + SOURCES_NOTICE) <= now:
            _release(assignment)
    if emptied := empty_sources():
        logger.info("%d sources were deleted by the retention of courses", emptied)


def _release(assignment: models.Assignment) -> None:
    released = release(assignment)
    now = timezone.now()
    models.Assignment.objects.filter(pk=assignment.pk).update(sources_deleted=now, sources_notice=None)
    _log_deletion(assignment, "sources").save()
    logger.info("the sources of %d submissions of assignment %d were given up", released, assignment.pk)


def _send_mail(row: RetainedAssignment, template: str, notice: timedelta) -> None:
    """Tell the owner of a course what is deleted when; without mail, the page of the course alone says it."""
    if not settings.MAIL:
        return
    day = max(row.ends, timezone.now() + notice)
    context = {"name": row.assignment.name, "course": row.assignment.course.name, "day": day}
    names = {"assignment": row.assignment.name, "day": f"{day:%Y-%m-%d}"}
    Mail("{assignment}: {day}", template, context, names).send_to(row.assignment.course.owner)


def _delete(row: RetainedAssignment) -> None:
    entry = _log_deletion(row.assignment)
    delete_assignment(row.assignment)
    entry.save()
    logger.info("assignment %s was deleted by the retention of its course", entry.assignment)


def _log_deletion(assignment: models.Assignment, subject: str = "") -> models.AuditEntry:
    return models.AuditEntry(
        who="retention",
        action=AuditAction.DELETED,
        course=assignment.course.name,
        assignment=assignment.name,
        subject=subject,
        page="retention",
    )


class ShownHold(NamedTuple):
    """A hold on an assignment; `reason` is "" for a reader from whom names are hidden: it can have some."""

    assignment: models.Assignment
    reason: str


def shown_holds(request: HttpRequest, assignments: Q) -> list[ShownHold]:
    """Return the holds that keep work of these assignments, also holds of courses that compare with them."""
    return [ShownHold(one, "" if hides_names(request, one.course) else one.hold) for one in holds_on(assignments)]


def releasable(assignment: models.Assignment) -> QuerySet[models.Submission]:
    """Return the submissions of an assignment that were read, that have sources, and that are no evidence.

    Evidence is a submission of the newest report in a pair or a case whose decision is one of `EVIDENCE`.
    """
    report = assignment.reports.filter(state=models.Report.State.DONE).first()
    pairs = models.Decision.objects.filter(assignment=assignment, state__in=EVIDENCE)
    cases = models.CaseMember.objects.filter(assignment=assignment, decision__state__in=EVIDENCE)
    names = {
        *pairs.values_list("left", flat=True),
        *pairs.values_list("right", flat=True),
        *cases.values_list("name", flat=True),
    }
    evidence = report.submissions.filter(name__in=names).values("pk") if report else []
    read = models.Submission.objects.filter(batch__assignment=assignment, batch__state=models.Batch.State.DONE)
    return read.filter(released=None).exclude(pk__in=evidence)


@transaction.atomic
def release(assignment: models.Assignment) -> int:
    """Release the submissions of an assignment that are no evidence; return how many."""
    lifecycle.lock_assignment(assignment.pk)
    # The keys first: an UPDATE would look at the decisions again for each row.
    keys = list(releasable(assignment).values_list("pk", flat=True))
    now = timezone.now()
    files = models.SubmissionFile.objects.filter(submission__in=keys)
    models.Source.objects.filter(pk__in=files.values("source")).update(given_up=now)
    return models.Submission.objects.filter(pk__in=keys).update(released=now)


def empty_sources() -> int:
    """Delete the bytes of sources that were given up and that nothing needs; return of how many."""
    files = models.SubmissionFile.objects.filter(source=OuterRef("pk"))
    needed = files.filter(submission__released=None)
    handed_out = models.Boilerplate.objects.filter(source=OuterRef("pk"))
    listed = models.ListedEntry.objects.filter(source=OuterRef("pk"))
    given_up = models.Source.objects.filter(given_up__isnull=False, emptied=None)
    unneeded = given_up.exclude(Exists(needed)).exclude(Exists(handed_out)).exclude(Exists(listed))
    with transaction.atomic():
        keys = list(unneeded.order_by("pk").values_list("pk", flat=True)[:A_ROUND])
        # What is being unpacked has sources before rows that refer to them: then the next round does it.
        reading = models.BoilerplateUpload.objects.filter(state=models.BoilerplateUpload.State.READING)
        unpacking = models.Batch.objects.filter(state=models.Batch.State.UNPACKING)
        if not keys or reading.exists() or unpacking.exists():
            return 0
        return models.Source.objects.filter(pk__in=keys).update(data=b"", emptied=timezone.now())
