"""Uploads: creating a batch, its page, its progress, cancelling and deleting it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zlib import crc32

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRefresh

from submissions import lifecycle
from submissions.actions import uploads
from submissions.actions.accounts import QuotaExceeded
from submissions.actions.deletions import Held, delete_batch
from submissions.actions.uploads import create_batch, list_again
from submissions.ingest.uploads import delete_resumable
from submissions.intake.archives.read_files import languages_read, reading_warnings
from submissions.intake.left_out.rules import REASONS
from submissions.lifecycle import cancel_batch
from submissions.models import Batch
from submissions.pages.fixed_texts import fixed_text
from submissions.pages.forms.uploads import SubmissionsForm
from submissions.pages.request_bodies import takes_files
from submissions.pages.views import assignments
from submissions.pages.views.access import changed_meanwhile, gone_as_410, shown_holds
from submissions.pages.views.previews import preview_context
from submissions.permissions import Right
from submissions.pseudonyms.names import names_for
from submissions.queries.access import find_assignment, find_batch, find_resumable
from submissions.queries.activity import activity_of, ranking_progress, uploads_before
from submissions.queries.flags import partly_read
from submissions.queries.lists import (
    batch_submissions,
    displayed_entries,
    failed_files,
    left_out_kinds,
    read_files,
    taken_entries,
)
from submissions.queries.reports import report_state
from submissions.queries.retention_rules import lost_with_batch

if TYPE_CHECKING:
    from submissions.pages.views.access import AuthenticatedRequest

ROWS_A_PAGE = 200
STEPS = (
    (Batch.State.QUEUED, gettext_lazy("Waiting")),
    (Batch.State.UNPACKING, gettext_lazy("Unpacking")),
    (Batch.State.LISTED, gettext_lazy("Check")),
    (Batch.State.FINGERPRINTING, gettext_lazy("Reading")),
    (Batch.State.RANKING, gettext_lazy("Ranking")),
    (Batch.State.DONE, gettext_lazy("Done")),
)


@takes_files
@login_required
@require_POST
def upload(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    assignment = find_assignment(request.user, pk, Right.CHANGE)
    form = SubmissionsForm(request.POST, request.FILES, auto_id="upload_%s")
    if not form.is_valid():
        return assignments.assignment_page(request, assignment, "uploads", upload_form=form)
    try:
        data, preview = form.cleaned_data, "preview" in request.POST
        batch = create_batch(assignment, request.user, data["files"], preview=preview, role=data["role"])
        request.audit_subject = batch.name
        return redirect(batch)
    except QuotaExceeded as refusal:
        form.add_error("files", str(refusal))
        return assignments.assignment_page(request, assignment, "uploads", upload_form=form)


@login_required
@require_POST
def delete_unfinished(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Delete what arrived of an upload whose rest was not sent."""
    upload = find_resumable(request.user, pk)
    delete_resumable(upload)
    messages.info(request, _("What had arrived of {name} was deleted.").format(name=upload.name))
    return redirect("uploads", upload.assignment_id)


@login_required
@require_GET
@gone_as_410
def batch(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Show the progress of an upload, its submissions, and its skipped and unreadable files.

    Of an upload that waits for its uploader it shows the preview.
    """
    batch = find_batch(request.user, pk, Right.READ)
    names = names_for(request, batch.assignment)
    lists: dict[str, Any] = {
        "skipped": displayed_entries(batch.entries.filter(accepted=False), names),
        "failed": failed_files(batch, names),
        "submissions": batch_submissions(batch, names),
        "taken": taken_entries(batch, names),
    }
    pages = {
        name: Paginator(rows, ROWS_A_PAGE).get_page(request.GET.get(f"{name}_page"))
        for name, rows in lists.items()
    }
    context = {**_progress_context(request, batch), **pages, "left_out": left_out_kinds(batch)}
    read = read_files(batch)
    context |= {
        "names": names,
        "languages": languages_read(file.language for file in read),
        "reading_warnings": list(reading_warnings(read)),
        "partly_read": partly_read(batch.submissions.all()),
    }
    if batch.is_listed:
        context |= preview_context(request, batch)
    return render(request, "submissions/uploads/batch.html", context)


@login_required
@require_GET
@gone_as_410
def progress(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Return the fragment with a batch's progress, which the page polls every second.

    In the query, `was` is the version of the fragment that the page has: the answer is 204 if that is still
    the current one. When the batch has ended, the answer leads to the report; where something of the upload
    is to be read on its page, or there is no report, it makes the page reload.
    """
    batch = find_batch(request.user, pk, Right.READ)
    leads_to_report = _leads_to_report(batch)
    if request.htmx and not batch.is_running and not leads_to_report:
        return HttpResponseClientRefresh()
    context = {**_progress_context(request, batch), "leads_to_report": leads_to_report}
    if request.GET.get("was") == context["version"]:
        return HttpResponse(status=204)
    return render(request, "submissions/uploads/_progress_now.html", context)


def _leads_to_report(batch: Batch) -> bool:
    """Return whether an upload has ended with a report and without a message."""
    is_done = batch.state == Batch.State.DONE and not batch.message
    return is_done and report_state(batch.assignment).report is not None


def _progress_context(request: AuthenticatedRequest, batch: Batch) -> dict[str, object]:
    states = [state for state, _ in STEPS]
    step = states.index(Batch.State(batch.state)) if batch.state in states else -1
    ranking = ranking_progress(batch.assignment) if batch.state == Batch.State.RANKING else None
    before = uploads_before(batch)
    displayed = (batch.state, batch.message, batch.documents_done, batch.documents_total, ranking, before)
    return {
        "batch": batch,
        "assignment": batch.assignment,
        "names": names_for(request, batch.assignment),
        "ranking": ranking,
        "before": before,
        "steps": [(label, index - step) for index, (_, label) in enumerate(STEPS)],
        "version": f"{crc32(repr(displayed).encode()):08x}",
    }


@login_required
@require_POST
@gone_as_410
def cancel(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    batch = find_batch(request.user, pk, Right.CHANGE)
    cancel_batch(batch)
    return redirect(batch)


@login_required
@require_POST
@gone_as_410
def count_rule(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Let the files count that a rule leaves out: of this upload if it is not read yet, or of later ones."""
    batch = find_batch(request.user, pk, Right.CHANGE)
    rule = request.POST.get("rule", "")
    if rule in REASONS:
        uploads.count_rule(batch.assignment, rule)
        if not list_again(batch):
            text = _("Counts from the next upload on: {rule}. To count it here, upload these files again.")
            messages.info(request, text.format(rule=fixed_text(REASONS[rule])))
    return redirect(batch)


@login_required
@require_http_methods(["GET", "POST"])
@gone_as_410
def delete(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Ask for confirmation, then delete a batch with everything that came from it."""
    batch = find_batch(request.user, pk, Right.DELETE)
    name = names_for(request, batch.assignment).redact_text(batch.name)
    if request.method == "POST":
        try:
            delete_batch(batch)
        except Held as held:
            return changed_meanwhile(request, str(held), batch.assignment.get_absolute_url())
        messages.info(request, _("{name} was deleted with everything that came from it.").format(name=name))
        return redirect(batch.assignment)
    context = {
        "kind": "upload",
        "name": name,
        "assignment": batch.assignment,
        "losses": lost_with_batch(batch),
        "held": shown_holds(request, Q(pk=batch.assignment_id)),
        "consequence": _("Every pair they are in goes too, and the remaining submissions are ranked again."),
        "cancel_url": batch.get_absolute_url(),
    }
    return render(request, "submissions/courses/delete.html", context)


# Primary keys have fewer digits.
MAX_DIGITS = 20


@login_required
@require_GET
def activity(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Return the fragment with an assignment's activity; the page polls it every second while work goes on.

    In the query, `seen` is the id of the report that the page displays, and `was` the version of the fragment
    that it has: the answer is 204 if that is still the current one.
    """
    assignment = find_assignment(request.user, pk, Right.READ)
    current = activity_of(assignment, report_state(assignment))
    if request.GET.get("was") == current.version:
        return HttpResponse(status=204)
    seen = request.GET.get("seen", "")
    context = {
        "assignment": assignment,
        "names": names_for(request, assignment),
        "activity": current,
        "seen": int(seen) if seen.isdecimal() and len(seen) < MAX_DIGITS else 0,
        "report_url": request.htmx.current_url_abs_path or assignment.get_absolute_url(),
    }
    return render(request, "submissions/activity/_activity_now.html", context)


@login_required
@require_POST
def cancel_ranking(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    assignment = find_assignment(request.user, pk, Right.CHANGE)
    if not lifecycle.cancel_ranking(assignment):
        messages.info(request, _("The ranking had ended already."))
    return redirect(assignment)
