"""Pages of fetched repositories, and their addresses."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from moss.integrations.repositories import change as actions
from moss.integrations.repositories.change import RepositoriesForm, TokenForm
from moss.integrations.repositories.git import WITH_FIGURES
from moss.integrations.repositories.models import Repository, RepositoryFetch
from submissions.core.access import find_assignment
from submissions.core.names import hides_names
from submissions.core.rights import Right
from submissions.pages.language import in_language
from submissions.pages.requests import AuthenticatedRequest, signed_in

FETCHES_SHOWN, ROWS_A_PAGE = 20, 200

ALL = "assignments/<int:pk>/repositories/"
ONE = f"{ALL}<int:fetch_id>/"


@never_cache
@login_required
@sensitive_post_parameters("token")
@require_http_methods(["GET", "POST"])
def repositories(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Show the form for a list of repositories and what was fetched before; start a fetch."""
    assignment = find_assignment(request.user, pk, Right.CHANGE)
    form = RepositoriesForm(assignment, request.POST or None)
    if request.method == "POST" and form.is_valid():
        data = dict(form.cleaned_data)
        fetch = actions.start_fetch(assignment, request.user, data.pop("repositories"), **data)
        return redirect("repository_fetch", pk, fetch.pk)
    fetches = assignment.repository_fetches.select_related("batch")
    context = {"assignment": assignment, "form": form, "fetches": fetches[:FETCHES_SHOWN], "planned": fetches.planned()}
    return render(request, "repositories/repositories.html", context, status=422 if form.errors else 200)


@never_cache
@signed_in("GET")
def one_fetch(request: AuthenticatedRequest, pk: int, fetch_id: int) -> HttpResponse:
    """Show the repositories of a list: what failed first, with the reason, then the others."""
    fetch = _fetch(request, pk, fetch_id)
    rows = fetch.repositories.defer("data")
    waiting, failed = rows.filter(state=Repository.State.WAITING), rows.filter(state=Repository.State.FAILED)
    fetched = rows.filter(state=Repository.State.FETCHED)
    total = rows.count()
    failed_page = Paginator(failed, ROWS_A_PAGE).get_page(request.GET.get("failed"))
    context = {
        "assignment": fetch.assignment,
        "fetch": fetch,
        "hidden": hides_names(request, fetch.assignment.course),
        "done": total - waiting.count(),
        "total": total,
        "token_form": TokenForm(),
        "failed": failed_page,
        "failures": [(row, reason_text(row.reason)) for row in failed_page],
        "fetched": Paginator(fetched, ROWS_A_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "repositories/fetch.html", context)


def reason_text(reason: str) -> str:
    """Return why a repository was not fetched, in the language of the page."""
    text = in_language(reason, WITH_FIGURES)
    return _(text) if text else ""


@signed_in("POST")
def cancel(request: AuthenticatedRequest, pk: int, fetch_id: int) -> HttpResponse:
    fetch = _fetch(request, pk, fetch_id)
    actions.cancel(fetch)
    return redirect("repository_fetch", pk, fetch.pk)


@login_required
@sensitive_post_parameters("token")
@require_POST
def retry(request: AuthenticatedRequest, pk: int, fetch_id: int) -> HttpResponse:
    fetch, form = _fetch(request, pk, fetch_id), TokenForm(request.POST)
    token = form.cleaned_data["token"] if form.is_valid() else ""
    new = actions.retry_failed(fetch, request.user, token)
    if new is None:
        messages.info(request, _("No repository of this list failed."))
    return redirect("repository_fetch", pk, (new or fetch).pk)


@signed_in("POST")
def not_again(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Have nothing fetched again at the due date."""
    assignment = find_assignment(request.user, pk, Right.CHANGE)
    if actions.take_off(assignment):
        messages.info(request, _("Nothing is fetched again when the due date has passed."))
    return redirect("repositories", pk)


def _fetch(request: AuthenticatedRequest, pk: int, fetch_id: int) -> RepositoryFetch:
    assignment = find_assignment(request.user, pk, Right.CHANGE)
    return get_object_or_404(RepositoryFetch, pk=fetch_id, assignment=assignment)


urlpatterns = [
    path(ALL, repositories, name="repositories"),
    path(f"{ALL}not-again/", not_again, name="repositories_not_again"),
    path(ONE, one_fetch, name="repository_fetch"),
    path(f"{ONE}cancel/", cancel, name="cancel_repository_fetch"),
    path(f"{ONE}retry/", retry, name="retry_repository_fetch"),
]
