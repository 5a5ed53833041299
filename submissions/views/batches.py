from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from submissions import actions, queries
from submissions.forms import UploadForm
from submissions.models import Batch
from submissions.views import assignments

if TYPE_CHECKING:
    from django.http import HttpResponse

    from submissions.views.access import SignedIn

ENTRIES_A_PAGE = 200
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
def batch(request: SignedIn, pk: int) -> HttpResponse:
    """Show how far an upload has come, what was found in it and what was skipped."""
    found = queries.batch(request.user, pk)
    taken = Paginator(found.entries.filter(accepted=True), ENTRIES_A_PAGE)
    context = {
        **_progress(found),
        "skipped": list(found.entries.filter(accepted=False)),
        "failed": list(queries.failed_files(found)),
        "submissions": list(queries.batch_submissions(found)),
        "taken": taken.get_page(request.GET.get("page")),
    }
    return render(request, "submissions/batch.html", context)


@login_required
@require_GET
def progress(request: SignedIn, pk: int) -> HttpResponse:
    """Say how far a batch has come: a fragment, asked for every second."""
    return render(request, "submissions/_progress.html", _progress(queries.batch(request.user, pk)))


def _progress(found: Batch) -> dict[str, object]:
    states = [state for state, _ in STEPS]
    reached = states.index(Batch.State(found.state)) if found.state in states else -1
    return {"batch": found, "steps": [(label, n, n - reached) for n, (_, label) in enumerate(STEPS)]}


@login_required
@require_POST
def cancel(request: SignedIn, pk: int) -> HttpResponse:
    found = queries.batch(request.user, pk)
    actions.cancel_batch(found)
    return redirect(found)


@login_required
@require_http_methods(["GET", "POST"])
def delete(request: SignedIn, pk: int) -> HttpResponse:
    """Ask, then delete a batch with everything that came from it."""
    found = queries.batch(request.user, pk)
    if request.method == "POST":
        actions.delete_batch(found)
        messages.info(request, f"{found.name} was deleted with everything that came from it.")
        return redirect(found.assignment)
    context = {"batch": found, "submission_count": found.submissions.count()}
    return render(request, "submissions/batch_delete.html", context)
