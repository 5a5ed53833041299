from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRefresh

from submissions import actions, queries
from submissions.models import Batch
from submissions.pages.forms.uploads import UploadForm
from submissions.pages.views import assignments
from submissions.pages.views.access import tells_what_is_gone
from submissions.pseudonyms.names import names_for

if TYPE_CHECKING:
    from submissions.pages.views.access import SignedIn

ROWS_A_PAGE = 200
STEPS = (
    (Batch.State.QUEUED, "Waiting"),
    (Batch.State.UNPACKING, "Unpacking"),
    (Batch.State.FINGERPRINTING, "Reading"),
    (Batch.State.RANKING, "Ranking"),
    (Batch.State.DONE, "Done"),
)


@login_required
@require_POST
def upload(request: SignedIn, pk: int) -> HttpResponse:
    of = queries.assignment(request.user, pk)
    form = UploadForm(request.POST, request.FILES, auto_id="upload_%s")
    if not form.is_valid():
        return assignments.page(request, of, upload_form=form)
    return redirect(actions.create_batch(of, request.user, form.cleaned_data["files"]))


@login_required
@require_GET
@tells_what_is_gone
def batch(request: SignedIn, pk: int) -> HttpResponse:
    """Show how far an upload has come, what was found in it and what was skipped."""
    found = queries.batch(request.user, pk)
    lists = {
        "skipped": found.entries.filter(accepted=False),
        "failed": queries.failed_files(found),
        "submissions": queries.batch_submissions(found),
        "taken": found.entries.filter(accepted=True),
    }
    pages = {
        name: Paginator(rows, ROWS_A_PAGE).get_page(request.GET.get(f"{name}_page"))
        for name, rows in lists.items()
    }
    return render(request, "submissions/batch.html", {**_progress(request, found), **pages})


@login_required
@require_GET
@tells_what_is_gone
def progress(request: SignedIn, pk: int) -> HttpResponse:
    """Say how far a batch has come: a fragment, asked for every second; `was` is what the page says already.

    Once it has ended, the page has all of itself to show anew.
    """
    found = queries.batch(request.user, pk)
    if request.htmx and not found.is_running:
        return HttpResponseClientRefresh()
    context = _progress(request, found)
    if request.GET.get("was") == context["version"]:
        return HttpResponse(status=204)
    return render(request, "submissions/_progress_now.html", context)


def _progress(request: SignedIn, found: Batch) -> dict[str, object]:
    states = [state for state, _ in STEPS]
    reached = states.index(Batch.State(found.state)) if found.state in states else -1
    ranking = queries.ranking(found.assignment) if found.state == Batch.State.RANKING else None
    told = (found.state, found.message, found.documents_done, found.documents_total, ranking)
    return {
        "batch": found,
        "assignment": found.assignment,
        "names": names_for(request, found.assignment),
        "ranking": ranking,
        "steps": [(label, n, n - reached) for n, (_, label) in enumerate(STEPS)],
        "version": f"{crc32(repr(told).encode()):08x}",
    }


@login_required
@require_POST
@tells_what_is_gone
def cancel(request: SignedIn, pk: int) -> HttpResponse:
    found = queries.batch(request.user, pk)
    actions.cancel_batch(found)
    return redirect(found)


@login_required
@require_http_methods(["GET", "POST"])
@tells_what_is_gone
def delete(request: SignedIn, pk: int) -> HttpResponse:
    """Ask, then delete a batch with everything that came from it."""
    found = queries.batch(request.user, pk)
    name = names_for(request, found.assignment).text(found.name)
    if request.method == "POST":
        actions.delete_batch(found)
        messages.info(request, f"{name} was deleted with everything that came from it.")
        return redirect(found.assignment)
    context = {
        "what": "upload",
        "name": name,
        "assignment": found.assignment,
        "lost": queries.lost_with_batch(found),
        "after": "Every pair they are in goes too, and the remaining submissions are ranked again.",
        "back": found.get_absolute_url(),
    }
    return render(request, "submissions/delete.html", context)
