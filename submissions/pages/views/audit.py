"""The page of the audit log, for administrators, and its entries as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from django import forms
from django.core.paginator import Paginator
from django.http import Http404, StreamingHttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET

from submissions.comparison.export_formats import write_csv, write_json_lines
from submissions.models.audit import AuditAction
from submissions.pages.views.access import staff_only
from submissions.queries.audit import AuditFilter, audit_entries, audit_table, service_may_erase_log

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from submissions.pages.views.access import AuthenticatedRequest

ENTRIES_A_PAGE = 100
FILES = {"csv": ("text/csv; charset=utf-8", write_csv), "jsonl": ("application/jsonl", write_json_lines)}


class AuditFilterForm(forms.Form):
    """The filter of the log; a field with a bad value filters nothing."""

    q = forms.CharField(
        label=_("Name, course, assignment or address"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    action = forms.ChoiceField(
        label=_("Action"), required=False, choices=[("", _("All")), *AuditAction.choices]
    )
    since = forms.DateField(
        label=_("From"), required=False, widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    until = forms.DateField(
        label=_("To"), required=False, widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )


def _filter(request: HttpRequest) -> tuple[AuditFilterForm, AuditFilter]:
    form = AuditFilterForm(request.GET)
    form.is_valid()
    chosen = form.cleaned_data
    return form, AuditFilter(
        chosen.get("q", ""), chosen.get("action", ""), chosen.get("since"), chosen.get("until")
    )


@staff_only
@require_GET
def log(request: AuthenticatedRequest) -> HttpResponse:
    """List the entries, newest first, with a search."""
    form, chosen = _filter(request)
    page = Paginator(audit_entries(chosen), ENTRIES_A_PAGE).get_page(request.GET.get("page"))
    context = {"entries": page, "form": form, "may_be_erased": service_may_erase_log()}
    return render(request, "submissions/department/audit.html", context)


@staff_only
@require_GET
def file(request: AuthenticatedRequest, suffix: str) -> HttpResponse:
    """Download the entries that pass the filter, the oldest first."""
    if suffix not in FILES:
        raise Http404("No such file.")
    content_type, write = FILES[suffix]
    request.audit_subject = "audit log"
    response = StreamingHttpResponse(write(audit_table(_filter(request)[1])), content_type=content_type)
    response.headers["Content-Disposition"] = f'attachment; filename="audit-log.{suffix}"'
    return cast("HttpResponse", response)  # as every view says
