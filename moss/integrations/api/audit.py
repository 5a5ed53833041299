"""The audit log, for administrators."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from ninja import Field, Query, Router, Schema

from moss.integrations.api.cursors import A_PART, Cursor, Limit, cursor_of, numbers_of
from moss.integrations.api.inputs import Input
from moss.integrations.api.objects import user_of
from submissions.audit.log import AuditFilter, audit_entries
from submissions.audit.models import AuditAction
from submissions.core.rights import limits_of

router = Router()
REFUSED = "Reading the audit log takes an administrator's token for all courses."


class AuditEntryOut(Schema):
    """An act: who did it, where, and what it was about; `digest` continues the chain of the log."""

    id: int
    number: int | None
    created: datetime
    who: str
    address: str | None
    action: str
    course: str
    assignment: str
    subject: str
    page: str
    digest: str


class AuditLog(Schema):
    items: list[AuditEntryOut]
    next: str | None


class AuditFilterIn(Input):
    """Entries with a text in a name, a subject or an address, of an act, from a day to a day."""

    q: Annotated[str, Field(max_length=200)] = ""
    action: AuditAction | None = None
    since: date | None = None
    until: date | None = None


@router.get("/audit", response=AuditLog, summary="List the audit log", url_name="api_audit")
def list_audit_entries(
    request: HttpRequest, asked: Query[AuditFilterIn], limit: Limit = A_PART, cursor: Cursor = ""
) -> AuditLog:
    """List entries, the newest first; it takes a token of an administrator for all courses."""
    user = user_of(request)
    if not user.is_staff or limits_of(user).courses is not None:
        raise PermissionDenied(REFUSED)
    request.audit_subject = "audit log"  # type: ignore[attr-defined] # read by moss.audit
    (last,) = numbers_of(cursor, 1)
    rows = audit_entries(AuditFilter(asked.q, asked.action or "", asked.since, asked.until))
    rows = rows.filter(pk__lt=last) if last else rows
    entries = list(rows.order_by("-pk")[: limit + 1])
    following = cursor_of(entries[limit - 1].pk) if len(entries) > limit else None
    return AuditLog(items=[AuditEntryOut.from_orm(row) for row in entries[:limit]], next=following)
