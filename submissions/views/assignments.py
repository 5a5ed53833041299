from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from submissions import actions, queries
from submissions.forms import FilterForm, SettingsForm, UploadForm, pair_filter
from submissions.naming import names_for

if TYPE_CHECKING:
    from django.http import HttpResponse

    from submissions.models import Assignment
    from submissions.views.access import SignedIn

PAIRS_A_PAGE = 50
COLUMNS = (
    ("left", "Left"),
    ("right", "Right"),
    ("similarity", "Similarity"),
    ("left_share", "Left share"),
    ("right_share", "Right share"),
    ("tokens", "Tokens"),
    ("lines", "Lines"),
    ("longest", "Longest"),
)


@login_required
@require_GET
def assignment(request: SignedIn, pk: int) -> HttpResponse:
    """Show the report, the uploads and the boilerplate of one assignment."""
    return page(request, queries.assignment(request.user, pk))


def page(
    request: SignedIn,
    of: Assignment,
    upload_form: UploadForm | None = None,
    boilerplate_form: UploadForm | None = None,
) -> HttpResponse:
    """Render the assignment page, with the errors of a form that was refused."""
    state = queries.report_state(of)
    context = {
        "assignment": of,
        "names": names_for(request, of),
        "state": state,
        "batches": list(queries.listed_batches(of)),
        "running": list(queries.running_batches(of)),
        "boilerplate": list(of.boilerplate.select_related("source").defer("source__data")),
        "upload_form": upload_form or UploadForm(auto_id="upload_%s"),
        "boilerplate_form": boilerplate_form or UploadForm(auto_id="boilerplate_%s"),
    }
    if state.shown:
        chosen = pair_filter(request.GET)
        same, clusters = queries.shown_groups(state.shown)
        pages = Paginator(queries.ranked_pairs(state.shown, chosen), PAIRS_A_PAGE)
        context |= {
            "pairs": pages.get_page(request.GET.get("page")),
            "filter": FilterForm(request.GET or None, initial={"sort": chosen.sort}),
            "chosen": chosen,
            "columns": COLUMNS,
            "same": same,
            "clusters": clusters,
        }
    return render(
        request, "submissions/assignment.html", context, status=_status(upload_form, boilerplate_form)
    )


def _status(*forms: UploadForm | None) -> int:
    return 422 if any(form and form.errors for form in forms) else 200


@login_required
@require_GET
def activity(request: SignedIn, pk: int) -> HttpResponse:
    """Say what is being done for this assignment right now: a fragment, asked for every second."""
    of = queries.assignment(request.user, pk)
    context = {
        "assignment": of,
        "state": queries.report_state(of),
        "running": list(queries.running_batches(of)),
    }
    return render(request, "submissions/_activity.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def change(request: SignedIn, pk: int) -> HttpResponse:
    """Rename an assignment or move its common limit, which ranks it again."""
    of = queries.assignment(request.user, pk)
    form = SettingsForm(of.course, request.POST or None, instance=of)
    if form.is_valid():
        form.save()
        if "common_limit" in form.changed_data and of.batches.exists():
            actions.rerank(of)
        return redirect(of)
    status = 422 if form.errors else 200
    return render(
        request, "submissions/assignment_settings.html", {"assignment": of, "form": form}, status=status
    )


@login_required
@require_POST
def rerank(request: SignedIn, pk: int) -> HttpResponse:
    of = queries.assignment(request.user, pk)
    actions.rerank(of)
    return redirect(of)


@login_required
@require_POST
def add_boilerplate(request: SignedIn, pk: int) -> HttpResponse:
    of = queries.assignment(request.user, pk)
    form = UploadForm(request.POST, request.FILES, auto_id="boilerplate_%s")
    if not form.is_valid():
        return page(request, of, boilerplate_form=form)
    for refusal in actions.add_boilerplate(of, form.cleaned_data["files"]):
        messages.warning(request, f"{refusal.name} was skipped: {refusal.reason}")
    return redirect(of)


@login_required
@require_POST
def remove_boilerplate(request: SignedIn, pk: int) -> HttpResponse:
    found = queries.boilerplate(request.user, pk)
    actions.remove_boilerplate(found)
    messages.info(
        request, f"{found.name} counts again; the pairs are being ranked without it as boilerplate."
    )
    return redirect(found.assignment)
