"""The page for staff about the service: queues, workers, failed work; the tokens of all accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zlib import crc32

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from submissions.actions import uploads
from submissions.actions.accounts import note_tokens, revoke_tokens
from submissions.models import Batch, Report
from submissions.pages.views.access import staff_only
from submissions.queries.accounts import all_tokens
from submissions.queries.service import (
    batches_under_way,
    failed_batches,
    failed_reports,
    reports_under_way,
    service_state,
)

if TYPE_CHECKING:
    from submissions.pages.views.access import AuthenticatedRequest

ROWS_A_PAGE = 25


@staff_only
@require_GET
def service(request: AuthenticatedRequest) -> HttpResponse:
    failed = _pages(request, {"failed_uploads": failed_batches(), "failed_rankings": failed_reports()})
    return render(request, "submissions/service/service.html", {**_now(request), **failed})


@staff_only
@require_GET
def now(request: AuthenticatedRequest) -> HttpResponse:
    """Return the fragment with the current state, which the page polls every five seconds.

    In the query, `was` is the version of the fragment that the page has: the answer is 204 if that is still
    the current one.
    """
    context = _now(request)
    if request.GET.get("was") == context["version"]:
        return HttpResponse(status=204)
    return render(request, "submissions/service/_service_now.html", context)


def _now(request: AuthenticatedRequest) -> dict[str, Any]:
    lists = {"uploads": batches_under_way(), "rankings": reports_under_way()}
    context: dict[str, Any] = {"state": service_state(), **_pages(request, lists)}
    displayed = render_to_string("submissions/service/_service_now.html", context, request)
    return context | {"version": f"{crc32(displayed.encode()):08x}"}


def _pages(request: AuthenticatedRequest, lists: dict[str, Any]) -> dict[str, Any]:
    return {
        name: Paginator(rows, ROWS_A_PAGE).get_page(request.GET.get(f"{name}_page"))
        for name, rows in lists.items()
    }


@staff_only
@require_POST
def retry_batch(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    if uploads.retry_batch(get_object_or_404(Batch, pk=pk)):
        messages.info(request, _("Upload {number} is tried again.").format(number=pk))
    else:
        messages.warning(
            request, _("Upload {number} cannot be tried again: it must be uploaded again.").format(number=pk)
        )
    return redirect("service")


@staff_only
@require_POST
def retry_report(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    if uploads.retry_report(get_object_or_404(Report, pk=pk)):
        messages.info(request, _("Ranking {number} is tried again.").format(number=pk))
    else:
        messages.warning(
            request, _("Ranking {number} is not the newest of its assignment any more.").format(number=pk)
        )
    return redirect("service")


@staff_only
@require_http_methods(["GET", "POST"])
def tokens(request: AuthenticatedRequest) -> HttpResponse:
    """List the tokens that were not revoked, by account, and revoke those chosen."""
    rows = all_tokens()
    if request.method != "POST":
        return render(request, "submissions/department/tokens.html", {"tokens": rows})
    keys = set(request.POST.getlist("token"))
    chosen = [one for one in rows if str(one.pk) in keys]
    for one in chosen:
        revoke_tokens(one.user, [one.pk])
    note_tokens(request.user.get_username(), request.audit_address, "revoked", chosen)
    number = len(chosen)
    text = ngettext("%(n)d token was revoked.", "%(n)d tokens were revoked.", number)
    messages.success(request, text % {"n": number})
    return redirect("all_tokens")
