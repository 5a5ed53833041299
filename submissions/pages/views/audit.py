"""The page of the audit log, for administrators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.paginator import Paginator
from django.shortcuts import render
from django.views.decorators.http import require_GET

from submissions.models.audit import AuditAction
from submissions.pages.views.access import staff_only
from submissions.queries.audit import audit_entries, service_may_erase_log

if TYPE_CHECKING:
    from django.http import HttpResponse

    from submissions.pages.views.access import AuthenticatedRequest

ENTRIES_A_PAGE = 100


@staff_only
@require_GET
def log(request: AuthenticatedRequest) -> HttpResponse:
    """List the entries, newest first, with a search."""
    text, action = request.GET.get("q", "").strip()[:200], request.GET.get("action", "")
    entries = audit_entries(text, action if action in AuditAction.values else "")
    page = Paginator(entries, ENTRIES_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "entries": page,
        "q": text,
        "action": action,
        "actions": AuditAction.choices,
        "may_be_erased": service_may_erase_log(),
    }
    return render(request, "submissions/department/audit.html", context)
