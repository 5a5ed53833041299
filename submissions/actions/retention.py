"""Carry out retention: `queries.retention_rules` says which assignments and sources are due, and when.

Assignments are deleted some months after their last change, if their course says so.

Sources that are no evidence can go some days after the report. Their people are told before, on the page of
the course and by mail where mail is set. An assignment that is held is kept whole.

The audit log is shortened by a command only, as the owner of its table.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from submissions.actions.deletions import delete_assignment
from submissions.ingest.releasing import empty_sources, releasable, release
from submissions.mails import Mail
from submissions.models import Assignment, AuditEntry
from submissions.models.audit import AuditAction, cut_text
from submissions.queries.retention_rules import (
    NOTICE,
    SOURCES_NOTICE,
    assignments_with_sources,
    retained_assignments,
)
from submissions.work.locks import Work, transaction_lock

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from submissions.queries.retention_rules import RetainedAssignment

logger = logging.getLogger(__name__)

# Only the owner of the audit log may, so that no page and no task of the service can.
UNPROTECT = "ALTER TABLE submissions_auditentry DISABLE TRIGGER append_only"
PROTECT = "ALTER TABLE submissions_auditentry ENABLE TRIGGER append_only"


def apply_retention() -> None:
    """Tell the owners of assignments that are deleted soon; delete those whose owners were told in time."""
    now = timezone.now()
    for row in retained_assignments():
        if row.ends > now + NOTICE:
            _store_notice(row, is_notified=False)
        elif row.assignment.retention_notice is None:
            _store_notice(row, is_notified=True)
            _send_notice(row)
        elif max(row.ends, row.assignment.retention_notice + NOTICE) <= now:
            _delete(row)


def _store_notice(row: RetainedAssignment, *, is_notified: bool) -> None:
    if is_notified != (row.assignment.retention_notice is not None):
        row.assignment.retention_notice = timezone.now() if is_notified else None
        row.assignment.save(update_fields=["retention_notice"])


def apply_source_retention() -> None:
    """Tell the owners of assignments whose sources go soon; release those whose owners were told in time."""
    now = timezone.now()
    for row in assignments_with_sources():
        assignment, notice = row.assignment, row.assignment.sources_notice
        if row.ends > now + SOURCES_NOTICE:
            if notice:
                Assignment.objects.filter(pk=assignment.pk).update(sources_notice=None)
        elif notice is None:
            if releasable(assignment).exists():
                Assignment.objects.filter(pk=assignment.pk).update(sources_notice=now)
                _send_mail(row, "submissions/department/sources_retention.txt", SOURCES_NOTICE)
        elif max(row.ends, notice + SOURCES_NOTICE) <= now:
            _release(assignment)
    if emptied := empty_sources():
        logger.info("%d sources were deleted by the retention of courses", emptied)


def _release(assignment: Assignment) -> None:
    released = release(assignment)
    now = timezone.now()
    Assignment.objects.filter(pk=assignment.pk).update(sources_deleted=now, sources_notice=None)
    _log_deletion(assignment, "sources").save()
    logger.info("the sources of %d submissions of assignment %d were given up", released, assignment.pk)


def _send_notice(row: RetainedAssignment) -> None:
    logger.info("assignment %d is deleted by retention in %d days", row.assignment.pk, NOTICE.days)
    _send_mail(row, "submissions/department/retention.txt", NOTICE)


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


def _log_deletion(assignment: Assignment, subject: str = "") -> AuditEntry:
    return AuditEntry(
        who="retention",
        action=AuditAction.DELETED,
        course=assignment.course.name,
        assignment=assignment.name,
        subject=subject,
        page="retention",
    )


@transaction.atomic
def shorten_log(before: datetime, who: str) -> int:
    """Delete the entries of the audit log from before a time; return how many.

    A new entry says so, and joins the chain.

    Raises
    ------
    ProgrammingError
        When the role of the database does not own the table.
    """
    transaction_lock(Work.AUDIT, wait=True)
    last = AuditEntry.objects.filter(created__lt=before).order_by("-number").first()
    if last is None:
        return 0
    page, cut = "shorten_log", cut_text(last.number, last.digest)
    # Written first: it follows the newest entry, which may be among those that go.
    AuditEntry.objects.create(who=who, action=AuditAction.SHORTENED, assignment=cut, page=page)
    with connection.cursor() as cursor:
        cursor.execute(UNPROTECT)
        cursor.execute("DELETE FROM submissions_auditentry WHERE number <= %s", [last.number])
        number: int = cursor.rowcount
        cursor.execute(PROTECT)
    return number
