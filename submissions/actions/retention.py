"""Retention: assignments are deleted some months after their last change, if their course says so.

Their people are told NOTICE before, on the page of the course and by mail where mail is set. An assignment
that is held is kept.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from smtplib import SMTPException
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.utils import timezone

from submissions.actions.deletions import delete_assignment
from submissions.models import AuditEntry
from submissions.models.audit import AuditAction
from submissions.queries.retention import NOTICE, retained_assignments

if TYPE_CHECKING:
    from submissions.queries.retention import RetainedAssignment

logger = logging.getLogger(__name__)


def apply_retention() -> None:
    """Tell the owners of assignments that are deleted soon; delete those whose owners were told in time."""
    now = timezone.now()
    for row in retained_assignments():
        if row.ends > now + NOTICE:
            _store_notice(row, told=False)
        elif row.assignment.retention_notice is None:
            _store_notice(row, told=True)
            _send_notice(row)
        elif max(row.ends, row.assignment.retention_notice + NOTICE) <= now:
            _delete(row)


def _store_notice(row: RetainedAssignment, *, told: bool) -> None:
    if told != (row.assignment.retention_notice is not None):
        row.assignment.retention_notice = timezone.now() if told else None
        row.assignment.save(update_fields=["retention_notice"])


def _send_notice(row: RetainedAssignment) -> None:
    owner = row.assignment.course.owner
    logger.info("assignment %d is deleted by retention in %d days", row.assignment.pk, NOTICE.days)
    if not settings.MAIL or not owner.email:
        return
    day = max(row.ends, timezone.now() + timedelta(days=NOTICE.days))
    context = {"assignment": row.assignment, "day": day}
    text = render_to_string("submissions/retention.txt", context)
    try:
        send_mail(f"{row.assignment.name}: {day:%Y-%m-%d}", text, None, [owner.email])
    except (OSError, SMTPException) as error:  # The page of the course says it, too.
        logger.warning("the notice on assignment %d could not be sent: %s", row.assignment.pk, error)


def _delete(row: RetainedAssignment) -> None:
    assignment = row.assignment
    entry = AuditEntry(
        who="retention",
        action=AuditAction.DELETED,
        course=assignment.course.name,
        assignment=assignment.name,
        page="retention",
    )
    delete_assignment(assignment)
    entry.save()
    logger.info("assignment %s was deleted by the retention of its course", entry.assignment)
