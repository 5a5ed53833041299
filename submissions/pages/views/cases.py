"""The page of a case, and the decision on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import retarget

from submissions.actions.decisions import CaseNames, decide_case
from submissions.models import Decision
from submissions.pages.forms.decisions import DecisionForm
from submissions.pages.forms.filters import parse_pair_filter
from submissions.pages.report.case_page import case_context
from submissions.pages.report.cases import listed_case, listed_cases
from submissions.pages.views.access import changed_meanwhile, redirect_with_query
from submissions.pages.views.decisions import add_messages, form_context
from submissions.permissions import Right
from submissions.pseudonyms.names import names_for
from submissions.queries.access import find_assignment
from submissions.queries.cases import case_decisions, case_history, decided_case
from submissions.queries.pairs import submission_names
from submissions.queries.reports import effective_threshold, report_state
from submissions.queries.statements import listed_statements

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpResponse

    from submissions.models import Assignment
    from submissions.pages.report.cases import Case
    from submissions.pages.views.access import AuthenticatedRequest
    from submissions.pseudonyms.names import Names

CHANGED = gettext_lazy(
    "This case has other members now than on the page on which you decided, so nothing was saved."
    " Reload the page, look at its members, and decide again."
)


@never_cache
@login_required
@require_GET
def case(request: AuthenticatedRequest, pk: int, submission_id: int) -> HttpResponse:
    """Show the case of a submission. The address stays valid after a new ranking."""
    assignment = find_assignment(request.user, pk, Right.READ)
    names = names_for(request, assignment)
    report = report_state(assignment).report
    case = listed_case(report, request.GET, names, submission_id) if report else None
    if not report or not case:
        return _no_case(request, assignment, submission_id)
    if case.key != submission_id:
        return redirect_with_query(request, "case", pk, case.key)
    at = effective_threshold(report, parse_pair_filter(request.GET))
    # A decision that is made now holds from the threshold of the page on.
    holds_from = case.decision.threshold if case.decision.pk else at
    context = {"assignment": assignment, "names": names, "query": request.GET, "holds_from": holds_from}
    context |= case_context(report, case, names) | case_decision_context(assignment, case, names, request.GET)
    return render(request, "submissions/cases/case.html", context)


def _no_case(request: AuthenticatedRequest, assignment: Assignment, submission_id: int) -> HttpResponse:
    submitted = submission_names(assignment, submission_id)
    if not submitted:
        raise Http404("No such case.")
    names = names_for(request, assignment)
    context = {"assignment": assignment, "names": names, "name": submitted[submission_id]}
    return render(request, "submissions/cases/gone.html", context, status=404)


def case_decision_context(
    assignment: Assignment, case: Case, names: Names, query: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the context of `_decision.html` for a case."""
    threshold = round(parse_pair_filter(query).threshold * 100)
    suffix = f"?threshold={threshold}" if threshold else ""
    next_url = reverse("next_case", args=[assignment.pk])
    return {
        **form_context(assignment, case.decision, case_history(case.decided), names),
        "threshold": threshold,
        "kept_filter": {},
        "decided_on": case.members_key,
        "decide_url": reverse("decide_case", args=[assignment.pk, case.key]) + suffix,
        "next_url": f"{next_url}?after={case.key}" + suffix.replace("?", "&"),
        "next_label": _("Next undecided case"),
        "statements": listed_statements(
            assignment, {one.submission.name: one.submission.pk for one in case.members}
        ),
    }


@login_required
@require_POST
def decide(request: AuthenticatedRequest, pk: int, submission_id: int) -> HttpResponse:
    """Store the decision on a case; refuse it if the case has other members now than on the page."""
    assignment = find_assignment(request.user, pk, Right.DECIDE)
    names = names_for(request, assignment)
    report = report_state(assignment).report
    case = listed_case(report, request.GET, names, submission_id) if report else None
    if not report or not case or request.POST.get("decided_on") != case.members_key:
        return changed_meanwhile(request, str(CHANGED), reverse("case", args=[pk, submission_id]))
    form = DecisionForm(assignment, case.decision, request.POST)
    context: dict[str, Any] = {"assignment": assignment, "names": names}
    if form.is_valid():
        all_cases = listed_cases(report, request.GET, names)
        others = {name for other in all_cases if other.key != case.key for name in other.names}
        at = effective_threshold(report, parse_pair_filter(request.GET))
        members = CaseNames(case.names, others, at)
        result = decide_case(assignment, members, request.user, form.decision_input)
        context |= {"saved": result.changes, "meanwhile": result.meanwhile}
    else:
        context["form_errors"] = form.error_texts
    if not request.htmx:
        add_messages(request, context)
        return redirect_with_query(request, "case", pk, case.key)
    decided = decided_case(case.names, case_decisions(assignment))
    saved = case._replace(decided=decided)
    context |= case_decision_context(assignment, saved, names, request.GET)
    if not context.get("meanwhile"):
        return render(request, "submissions/decisions/_saved.html", context)
    return retarget(render(request, "submissions/decisions/_decision.html", context), "#decision-panel")


@login_required
@require_GET
def next_undecided(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Redirect to the next undecided case after the one that the address names, or else to the first."""
    assignment = find_assignment(request.user, pk, Right.READ)
    report = report_state(assignment).report
    all_cases = listed_cases(report, request.GET, names_for(request, assignment)) if report else []
    keys = [case.key for case in all_cases]
    after = request.GET.get("after", "")
    start = keys.index(int(after)) + 1 if after.isdecimal() and int(after) in keys else 0
    in_order = all_cases[start:] + all_cases[:start]
    undecided = [case.key for case in in_order if case.decision.state == Decision.State.UNDECIDED]
    threshold = parse_pair_filter(request.GET).threshold
    query = f"?threshold={round(threshold * 100)}" if threshold else ""
    if not undecided:
        messages.info(request, _("No undecided case is left."))
        return redirect(assignment.get_absolute_url() + query)
    if undecided == [keys[start - 1]] and start:
        messages.info(request, _("Every other case is decided: this is the last one."))
    return redirect(reverse("case", args=[pk, undecided[0]]) + query)
