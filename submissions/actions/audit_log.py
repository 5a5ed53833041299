"""Shorten the audit log, as the owner of its table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import connection, transaction

from submissions.models import AuditEntry
from submissions.models.audit import AuditAction, cut_text
from submissions.work.locks import Work, transaction_lock

if TYPE_CHECKING:
    from datetime import datetime

# Only the owner of the table may, so that no page and no task of the service can.
UNPROTECT = "ALTER TABLE submissions_auditentry DISABLE TRIGGER append_only"
PROTECT = "ALTER TABLE submissions_auditentry ENABLE TRIGGER append_only"


@transaction.atomic
def shorten_log(before: datetime, who: str) -> int:
    """Delete the entries from before a time; return how many. A new entry says so, and joins the chain.

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
