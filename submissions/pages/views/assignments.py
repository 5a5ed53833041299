from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import push_url

from submissions import actions, queries
from submissions.pages.forms.assignments import SettingsForm
from submissions.pages.forms.filters import query_string
from submissions.pages.forms.uploads import UploadForm
from submissions.pages.report.overview import findings_context, report_context
from submissions.pseudonyms.names import names_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest, HttpResponse
    from django_htmx.middleware import HtmxDetails

    from submissions.models import Assignment
    from submissions.pages.views.access import SignedIn
    from submissions.pseudonyms.names import Names

# As many names as one reads in a message, and messages on a page.
NAMED = 10


@never_cache
@login_required
@require_GET
def assignment(request: SignedIn, pk: int) -> HttpResponse:
    """Show the report, what was left out of it and the uploads of one assignment."""
    of = queries.assignment(request.user, pk)
    return filtered(request, of, names_for(request, of)) or page(request, of)


def filtered(
    request: HttpRequest, of: Assignment, names: Names, more: Mapping[str, Any] = MappingProxyType({})
) -> HttpResponse | None:
    """Answer htmx with what the line and the filters change; None where a whole page is wanted.

    `more` goes into the context: a shared page's `token` and `readonly`.
    """
    htmx: HtmxDetails = request.htmx  # type: ignore[attr-defined]
    if not htmx or htmx.history_restore_request or (htmx.boosted and htmx.target != "findings"):
        return None
    context = findings_context(request.GET, of, names)
    if not context["report"]:
        return None
    answer = render(request, "submissions/_filtered.html", context | {**more})
    patch_vary_headers(answer, ("HX-Request",))
    return push_url(answer, request.path + query_string(context["chosen"], context["pairs"].number))


def page(
    request: SignedIn,
    of: Assignment,
    upload_form: UploadForm | None = None,
    boilerplate_form: UploadForm | None = None,
) -> HttpResponse:
    """Render the assignment page, with the errors of a form that was refused."""
    context = report_context(request.GET, of, names_for(request, of))
    context |= {
        "batches": list(queries.listed_batches(of)),
        "activity": queries.activity(of, context["state"]),
        "upload_form": upload_form or UploadForm(auto_id="upload_%s"),
        "boilerplate_form": boilerplate_form or UploadForm(auto_id="boilerplate_%s"),
    }
    status = _status(upload_form, boilerplate_form)
    answer = render(request, "submissions/assignment.html", context, status=status)
    # Under the same address htmx gets a part of it, which a browser may not show in its place.
    patch_vary_headers(answer, ("HX-Request",))
    return answer


def _status(*forms: UploadForm | None) -> int:
    return 422 if any(form and form.errors for form in forms) else 200


@login_required
@require_http_methods(["GET", "POST"])
def change(request: SignedIn, pk: int) -> HttpResponse:
    """Change an assignment's name, due date, teams or common limit; the limit ranks it again."""
    of = queries.assignment(request.user, pk)
    names = names_for(request, of)
    form = SettingsForm(of.course, request.POST or None, instance=of)
    if names.hidden:
        form.hide_names()
    if form.is_valid():
        form.save()
        if "common_limit" in form.changed_data and of.batches.exists():
            actions.rerank(of)
        if not names.hidden and (nobody := queries.unknown_members(of)):
            messages.warning(request, f"In the teams, but no submission's name: {_listed(nobody)}.")
        return redirect(of)
    status = 422 if form.errors else 200
    context = {"assignment": of, "form": form, "names": names}
    return render(request, "submissions/assignment_settings.html", context, status=status)


def _listed(names: list[str]) -> str:
    few = ", ".join(name[:100] for name in names[:NAMED])
    return few if len(names) <= NAMED else f"{few} and {len(names) - NAMED} more"


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
    refused = actions.add_boilerplate(of, form.cleaned_data["files"])
    for refusal in refused[:NAMED]:
        messages.warning(request, f"{refusal.name} was skipped: {refusal.reason}")
    if len(refused) > NAMED:
        messages.warning(request, f"{len(refused) - NAMED:,} more entries were skipped.")
    return redirect(of)


@login_required
@require_POST
def remove_boilerplate(request: SignedIn, pk: int) -> HttpResponse:
    found = queries.boilerplate(request.user, pk)
    actions.remove_boilerplate(found)
    messages.info(
        request,
        f"{names_for(request, found.assignment).text(found.name)} counts again; the pairs are being ranked"
        " without it as boilerplate.",
    )
    return redirect(found.assignment)
