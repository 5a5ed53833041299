"""Entries in the audit log for what MOSS clients upload, and for who opens the old result pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings

from moss.proxies import client_address
from submissions.audit.models import AuditAction
from submissions.models import AuditEntry

if TYPE_CHECKING:
    from django.http import HttpRequest

    from moss.integrations.moss_protocol.models import ClientResult
    from submissions.models import Assignment, Batch


def record_upload(batch: Batch, who: str, address: str) -> None:
    """Write that an account uploaded a batch from an IP address."""
    entry = AuditEntry(who=who, address=address or None, action=AuditAction.UPLOADED, subject=batch.name)
    _record(batch.assignment, entry)


def record_reading(request: HttpRequest, result: ClientResult, names: str = "") -> None:
    """Write that somebody who has the address of the old pages opened them; `names` are those of a pair."""
    who = request.user.get_username() if settings.RESULTS_SIGN_IN else f"results {result.pk}"
    entry = AuditEntry(who=who, address=client_address(request), action=AuditAction.SAW)
    entry.subject = names
    _record(result.assignment, entry)


def _record(assignment: Assignment, entry: AuditEntry) -> None:
    entry.course, entry.assignment, entry.page = assignment.course.name, assignment.name, "moss_client"
    entry.save()
