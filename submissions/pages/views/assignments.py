"""The page of an assignment with its report, its settings and its boilerplate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import push_url

from submissions.actions import uploads as upload_actions
from submissions.actions.comparisons import change_language, choose_threshold
from submissions.pages.forms.assignments import SettingsForm, save_settings, take_back_languages
from submissions.pages.forms.filters import ThresholdForm
from submissions.pages.forms.uploads import StatementForm, SubmissionsForm, UploadForm
from submissions.pages.report.exclusions import boilerplate_context
from submissions.pages.report.ignoring import starter_offers
from submissions.pages.report.parts import FILTERED, filtered_part, report_parts, tabs
from submissions.pages.report.report_page import Address, ReportPage
from submissions.pages.views.access import right_for
from submissions.permissions import Right, may
from submissions.pseudonyms.names import names_for
from submissions.queries.access import find_assignment, unfinished_uploads
from submissions.queries.activity import activity_of
from submissions.queries.comparisons import changes_of_language, comparable_assignments, rereading_of
from submissions.queries.flags import unknown_team_members
from submissions.queries.lists import listed_batches
from submissions.queries.reports import report_state
from submissions.queries.withheld import withheld_pairs

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django_htmx.middleware import HtmxDetails

    from submissions.models import Assignment, Report
    from submissions.pages.report.ignoring import StarterOffer
    from submissions.pages.views.access import AuthenticatedRequest
    from submissions.pseudonyms.names import Names

# Names that a message lists, and messages that a page displays about skipped entries.
MAX_LISTED = 10
UPLOADS_A_PAGE = 50
# The tabs that offer to register starter code.
OFFERING = ("cases", "ignored")


@never_cache
@login_required
@require_GET
def assignment(request: AuthenticatedRequest, pk: int, tab: str = "cases") -> HttpResponse:
    """Show a tab of an assignment's report; without a report, the uploads and the boilerplate."""
    assignment = find_assignment(request.user, pk, Right.READ)
    names = names_for(request, assignment)
    return filtered_response(request, assignment, names, tab) or assignment_page(request, assignment, tab)


def filtered_response(
    request: HttpRequest, assignment: Assignment, names: Names, tab: str
) -> HttpResponse | None:
    """Return the part of a report that the threshold and the filter change; None if the whole page is needed.

    Only htmx requests the part.
    """
    htmx: HtmxDetails = request.htmx  # type: ignore[attr-defined]
    if not htmx or htmx.history_restore_request or (htmx.boosted and htmx.target != "findings"):
        return None
    state = report_state(assignment)
    if not state.report or tab not in FILTERED:
        return None
    address = Address.from_request(request, assignment.course)
    part = filtered_part(ReportPage.at(address, assignment, names, state), tab)
    response = HttpResponse(part["html"])
    patch_vary_headers(response, ("HX-Request",))
    return push_url(response, request.path + part["query"])


def assignment_page(
    request: AuthenticatedRequest,
    assignment: Assignment,
    tab: str,
    upload_form: SubmissionsForm | None = None,
    boilerplate_form: UploadForm | None = None,
) -> HttpResponse:
    """Return a tab of the assignment's page, with the errors of an invalid form.

    `boilerplate_form` may be that of the statement.
    """
    names = names_for(request, assignment)
    context = report_page_context(request, assignment, names, tab)
    if not context["report"] and tab != "cases" and request.method == "GET":
        return redirect(assignment)
    report = context["report"]
    statement_form = boilerplate_form if isinstance(boilerplate_form, StatementForm) else None
    context |= {
        **_uploads_context(
            request, assignment, listed=tab == "uploads" or not (report and report.cohort_size)
        ),
        "activity": activity_of(assignment, context["state"]),
        "withheld": withheld_pairs(report) if report else [],
        "starter_offers": _starter_offers(request, assignment, report, tab),
        "upload_form": upload_form or SubmissionsForm(auto_id="upload_%s"),
        "boilerplate_form": (not statement_form and boilerplate_form) or UploadForm(auto_id="boilerplate_%s"),
        "statement_form": statement_form or StatementForm(auto_id="statement_%s"),
    }
    status = _status(upload_form, boilerplate_form)
    response = render(request, "submissions/assignments/assignment.html", context, status=status)
    # The same address answers htmx with a part of the page; a browser must not take that from its cache.
    patch_vary_headers(response, ("HX-Request",))
    return response


def _starter_offers(
    request: AuthenticatedRequest, assignment: Assignment, report: Report | None, tab: str
) -> list[StarterOffer]:
    """Return the code that a reader who may register it is asked about."""
    if report is None or tab not in OFFERING or not may(request.user, Right.CHANGE, assignment.course):
        return []
    return starter_offers(report, names_for(request, assignment))


def _uploads_context(
    request: AuthenticatedRequest, assignment: Assignment, *, listed: bool
) -> dict[str, Any]:
    """Return the uploads of an assignment; if not `listed`, a report says that there are some."""
    if not listed:
        return {"has_uploads": True}
    uploads = Paginator(listed_batches(assignment), UPLOADS_A_PAGE).get_page(request.GET.get("uploads"))
    unfinished = unfinished_uploads(request.user, assignment)
    return {"has_uploads": bool(uploads), "batches": uploads, "unfinished": unfinished}


def report_page_context(
    request: HttpRequest, assignment: Assignment, names: Names, tab: str
) -> dict[str, Any]:
    """Return the context that a tab of a report has for everybody, its `parts` among it."""
    state = report_state(assignment)
    address = Address.from_request(request, assignment.course)
    return {
        "tab": tab,
        "tabs": tabs(address, assignment),
        "assignment": assignment,
        "names": names,
        "state": state,
        "report": state.report,
        "parts": report_parts(ReportPage.at(address, assignment, names, state), tab) if state.report else {},
        **(boilerplate_context(assignment, names) if tab == "ignored" or not state.report else {}),
    }


def _status(*forms: UploadForm | None) -> int:
    return 422 if any(form and form.errors for form in forms) else 200


@login_required
@require_http_methods(["GET", "POST"])
def change(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Change the settings of an assignment; what decides which pairs are ranked starts a new ranking."""
    assignment = find_assignment(request.user, pk, right_for(request, Right.CHANGE))
    names = names_for(request, assignment)
    stored = assignment.chosen_languages
    form = SettingsForm(assignment.course, request.POST or None, instance=assignment)
    form.offer_assignments(comparable_assignments(assignment, request.user), assignment)
    form.offer_archive(assignment)
    if names.hidden:
        form.hide_names()
    if not may(request.user, Right.CHANGE, assignment.course):
        form.only_show()
    if form.is_valid():
        chosen = take_back_languages(assignment, stored)
        rereading = rereading_of(assignment, chosen) if chosen != stored else None
        confirmed = request.POST.get("confirmed") == chosen.key
        if rereading and not rereading.changes_nothing and not confirmed:
            context = {"assignment": assignment, "form": form, "names": names, "rereading": rereading}
            context |= {"chosen": chosen}
            return render(request, "submissions/assignments/language.html", context)
        save_settings(form, request.user, chosen if rereading else None)
        if {"include_patterns", "exclude_patterns"} & {*form.changed_data} and assignment.batches.exists():
            messages.info(
                request, _("The file patterns apply to the next upload. Upload the affected files again.")
            )
        if not names.hidden and (unknown := unknown_team_members(assignment)):
            warning = _("In the teams, but no submission's name: {names}.")
            messages.warning(request, warning.format(names=_shortened_list(unknown)))
        return redirect(assignment)
    status = 422 if form.errors else 200
    context = {"assignment": assignment, "form": form, "names": names} | {
        "language_changes": changes_of_language(assignment)[:MAX_LISTED]
    }
    return render(request, "submissions/assignments/settings.html", context, status=status)


def _shortened_list(names: list[str]) -> str:
    text = ", ".join(name[:100] for name in names[:MAX_LISTED])
    if len(names) <= MAX_LISTED:
        return text
    return _("{names} and {n} more").format(names=text, n=len(names) - MAX_LISTED)


@login_required
@require_POST
def read_again(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Try again to have the files read in the language of an assignment, after that failed."""
    assignment = find_assignment(request.user, pk, Right.CHANGE)
    change_language(assignment, request.user, assignment.language)
    return redirect(assignment)


@login_required
@require_POST
def choose(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Store the threshold of an assignment, or go back to the suggested one."""
    assignment = find_assignment(request.user, pk, Right.CHANGE)
    form = ThresholdForm(request.POST)
    if not form.is_valid():
        return HttpResponseBadRequest(
            "The threshold is a whole number from 1 to 100.", content_type="text/plain"
        )
    choose_threshold(assignment, request.user, form.cleaned_data["percent"])
    return redirect("pairs" if form.cleaned_data["tab"] == "pairs" else "assignment", pk)


@login_required
@require_POST
def rerank(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    assignment = find_assignment(request.user, pk, Right.CHANGE)
    upload_actions.rerank(assignment)
    return redirect(assignment)
