"""The page of the audit log, for administrators, its entries as a file, and its part of the API.

Entries are stored in English and never changed; pages show them in their language.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, cast

from django import forms, template
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, gettext_lazy as _, ngettext
from django.views.decorators.http import require_GET
from ninja import Field, Query, Router, Schema

from submissions.audit.log import HIDDEN, WHOLE_LOG, AuditFilter, audit_entries, audit_table, service_may_erase_log
from submissions.audit.models import REPLACEMENT, AuditAction
from submissions.core.api import A_PART, Cursor, Input, Limit, numbers_of, part_of, user_of
from submissions.core.rights import limits_of
from submissions.matches.file_formats import write_csv, write_json_lines
from submissions.models import ApiToken, Membership
from submissions.pages.requests import AuthenticatedRequest, staff_only

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    Label = _StrPromise | str


# Whole parts of a subject, or what stands before a colon.
LABELS: dict[str, Label] = {
    HIDDEN: _("Names: state a reason under People of the course"), "roster": _("Roster"), WHOLE_LOG: _("Audit log"),
    "sources": _("sources"), "retention": _("retention"), "as an administrator": _("as an administrator"),
    "owner": _("Owner"), "created": _("created"), "revoked": _("revoked"),
    "keep_months": _("Keep assignments for (months)"), "keep_sources_days": _("Keep sources for (days)"),
    "in_archive": _("Department's archive"), "hold": _("Hold"), "compare_archive": _("The department's archive"),
    "threshold": _("Threshold"), "True": _("switched on"), "False": _("switched off"),
    **{role.value: role.label for role in Membership.Role},
}  # fmt: skip
INVITED = re.compile(r"invited by (.*?)( as an administrator)?")
SCOPES: dict[str, Label] = {scope.value: scope.label for scope in ApiToken.Scope}
NUMBERED = re.compile(r"(link|receipt) (\d+)")

register = template.Library()

ENTRIES_A_PAGE = 100
FILES = {"csv": ("text/csv; charset=utf-8", write_csv), "jsonl": ("application/jsonl", write_json_lines)}

router = Router()
REFUSED = "Reading the audit log takes an administrator's token for all courses."


def entry_text(text: str) -> str:
    """Return who did something, or the subject of an entry, with its words in the language of the page."""
    parts = text.split("; ")
    if number := sum(1 for part in parts if REPLACEMENT.fullmatch(part)):
        replaced = ngettext("name replaced in {number} entry", "name replaced in {number} entries", number)
        parts = [parts[0], replaced.format(number=number)]
    return "; ".join(map(_part_text, parts))


def _part_text(part: str) -> str:
    if match := INVITED.fullmatch(part):
        invited = gettext("invited by {name}").format(name=match[1])
        return f"{invited} {LABELS['as an administrator']}" if match[2] else invited
    if match := NUMBERED.fullmatch(part):
        number = match[2]
        link, receipt = gettext("link {number}"), gettext("receipt {number}")
        return (link if match[1] == "link" else receipt).format(number=number)
    label, colon, value = part.partition(": ")
    if label in {"created", "revoked"} and ", until " in value:
        return f"{LABELS[label]}: {_token_text(value)}"
    # A name before a colon is somebody's, and the role behind it; or it is a setting and its value.
    return f"{LABELS.get(label, label)}{colon}{LABELS.get(value, value)}"


def _token_text(text: str) -> str:
    """Return a token and what it may do: `laptop (moss_ab…) of ada, read, until 2026-12-24`."""
    owned, _until, day = text.rpartition(", until ")
    owned, _comma, scope = owned.rpartition(", ")
    token, _of, name = owned.rpartition(" of ")
    translated = gettext("{token} of {name}, {scope}, until {day}")
    return translated.format(token=token, name=name, scope=SCOPES.get(scope, scope), day=day)


register.filter(entry_text)


class AuditFilterForm(forms.Form):
    """The filter of the log; a field with a bad value filters nothing."""

    q = forms.CharField(
        label=_("Name, course, assignment or address"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    action = forms.ChoiceField(label=_("Action"), required=False, choices=[("", _("All")), *AuditAction.choices])
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
    return form, AuditFilter(chosen.get("q", ""), chosen.get("action", ""), chosen.get("since"), chosen.get("until"))


@staff_only
@require_GET
def log(request: AuthenticatedRequest) -> HttpResponse:
    """List the entries, newest first, with a search."""
    form, chosen = _filter(request)
    page = Paginator(audit_entries(chosen, request.user), ENTRIES_A_PAGE).get_page(request.GET.get("page"))
    context = {"entries": page, "form": form, "may_be_erased": service_may_erase_log()}
    return render(request, "submissions/department/audit.html", context)


@staff_only
@require_GET
def file(request: AuthenticatedRequest, suffix: str) -> HttpResponse:
    """Download the entries that pass the filter, the oldest first."""
    if suffix not in FILES:
        raise Http404("No such file.")
    content_type, write = FILES[suffix]
    request.audit_subject = WHOLE_LOG
    response = StreamingHttpResponse(write(audit_table(_filter(request)[1], request.user)), content_type=content_type)
    response.headers["Content-Disposition"] = f'attachment; filename="audit-log.{suffix}"'
    return cast("HttpResponse", response)  # as every view says


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
    request.audit_subject = WHOLE_LOG  # type: ignore[attr-defined] # read by submissions.audit.log
    (last,) = numbers_of(cursor, 1)
    rows = audit_entries(AuditFilter(asked.q, asked.action or "", asked.since, asked.until), user)
    rows = rows.filter(pk__lt=last) if last else rows
    entries, following = part_of(rows.order_by("-pk"), limit)
    for entry in entries:
        entry.subject = entry.shown  # type: ignore[attr-defined] # annotated
    return AuditLog(items=[AuditEntryOut.from_orm(row) for row in entries], next=following)
