"""Decide a pair, and go to the next undecided one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import retarget

from submissions.actions.decisions import decide
from submissions.models import Decision
from submissions.pages.forms.decisions import DecisionForm
from submissions.pages.forms.filters import filter_values, parse_pair_filter, query_string
from submissions.pages.templatetags.pages import percent
from submissions.pages.views.access import changed_meanwhile
from submissions.permissions import Right
from submissions.pseudonyms.names import names_for
from submissions.queries.access import find_assignment
from submissions.queries.cases import case_decisions, followed_decision
from submissions.queries.decisions import PairNames, decision_history, find_decision, pair_names
from submissions.queries.pairs import find_pair
from submissions.queries.reports import effective_threshold, next_undecided_in, report_state
from submissions.queries.statements import listed_statements

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from django.http import HttpResponse

    from submissions.models import Assignment, CaseChange, CaseDecision, Change, Pair, Report
    from submissions.pages.views.access import AuthenticatedRequest
    from submissions.pseudonyms.names import Names

ANOTHER_PAIR = gettext_lazy(
    "The decision was sent with another pair than the one that it is stored for, so nothing was saved."
    " Reload the page, see which pair it shows, and decide again."
)

_MEANWHILE = {
    "state": gettext_lazy("Meanwhile {who} changed the state; see the history."),
    "assignee": gettext_lazy("Meanwhile {who} changed the assignee; see the history."),
    "notes": gettext_lazy("Meanwhile {who} changed the notes; see the history."),
}


def decision_context(
    assignment: Assignment,
    pair: PairNames,
    names: Names,
    query: Mapping[str, Any],
    similarity: float = 0.0,
) -> dict[str, Any]:
    """Return the context of `_decision.html` for a pair, decided or not; `query` may set the threshold.

    `similarity` is that of the pair in the newest report; 0 where it is not in it.
    """
    decision = find_decision(assignment, pair)
    pair_filter = parse_pair_filter(query)
    displayed = pair.displayed(names)
    return {
        **form_context(assignment, decision, decision_history(decision), names),
        "kept_filter": filter_values(pair_filter),
        "decided_on": decided_on(displayed),
        "followed": followed_decision(case_decisions(assignment), pair[:2], similarity),
        "decide_url": reverse("decide", args=[assignment.pk, displayed.left_id, displayed.right_id]),
        "next_url": _next_url(assignment, displayed, query_string(pair_filter, page=1)),
        "next_label": _("Next undecided"),
        "statements": listed_statements(assignment, {pair.left: pair.left_id, pair.right: pair.right_id}),
    }


def form_context(
    assignment: Assignment,
    decision: Decision | CaseDecision,
    changes: Sequence[Change] | Sequence[CaseChange],
    names: Names,
) -> dict[str, Any]:
    """Return what `_decision.html` shows of a decision on a pair or case; `changes` are the newest first."""
    # If names in the notes are replaced, the notes cannot be edited: the aliases would be saved.
    redacted_notes = names.redact_source(decision.notes)
    initial = {
        "state": decision.state,
        "assignee": decision.assignee_id,
        "notes": decision.notes,
        "seen": changes[0].pk if changes else 0,
    }
    return {
        "decision": decision,
        "decision_form": DecisionForm(assignment, decision, initial=initial, auto_id=False),
        "states": Decision.State.choices,
        "redacted_notes": redacted_notes if redacted_notes != decision.notes else "",
        "history": changes,
    }


def _next_url(assignment: Assignment, pair: PairNames, query: str) -> str:
    following = reverse("next_undecided", args=[assignment.pk])
    return f"{following}?after={pair.left_id}-{pair.right_id}{query.replace('?', '&', 1)}"


def _similarity(assignment: Assignment, pair: PairNames) -> float:
    report = report_state(assignment).report
    ranked = find_pair(report, pair.left_id, pair.right_id) if report else None
    return ranked.similarity if ranked else 0.0


def decided_on(pair: PairNames) -> str:
    """Return what a form sends of the pair that its page shows, whatever the order of the sides."""
    return "-".join(map(str, sorted((pair.left_id, pair.right_id))))


@login_required
@require_POST
def save(request: AuthenticatedRequest, pk: int, left_id: int, right_id: int) -> HttpResponse:
    """Store the decision on a pair, even if no report has it; answer htmx with a fragment of the form."""
    assignment = find_assignment(request.user, pk, Right.DECIDE)
    pair = pair_names(assignment, left_id, right_id)
    if request.POST.get("decided_on") != decided_on(pair):
        return changed_meanwhile(request, str(ANOTHER_PAIR), reverse("pair", args=[pk, left_id, right_id]))
    form = DecisionForm(assignment, find_decision(assignment, pair), request.POST)
    names = names_for(request, assignment)
    context = {"assignment": assignment, "names": names}
    if form.is_valid():
        result = decide(assignment, pair, request.user, form.decision_input)
        context |= {"saved": result.changes, "meanwhile": result.meanwhile}
    else:
        context["form_errors"] = form.error_texts
    if not request.htmx:
        add_messages(request, context)
        displayed = pair.displayed(names)
        return redirect("pair", pk, displayed.left_id, displayed.right_id)
    context |= decision_context(assignment, pair, names, request.POST, _similarity(assignment, pair))
    if not context.get("meanwhile"):
        return render(request, "submissions/decisions/_saved.html", context)
    # Replace the whole form, so that it has the values that others have set meanwhile.
    return retarget(render(request, "submissions/decisions/_decision.html", context), "#decision-panel")


def add_messages(request: AuthenticatedRequest, context: dict[str, Any]) -> None:
    """Add messages for the next page, for browsers without htmx."""
    for error in context.get("form_errors", ()):
        messages.warning(request, _("Nothing was changed: {error}").format(error=error))
    for change in context.get("meanwhile", ()):
        messages.warning(request, _MEANWHILE[change.field].format(who=change.who))
    if context.get("saved"):
        messages.success(request, _("Saved."))


@login_required
@require_GET
def next_undecided(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Redirect to the next undecided pair of the list that the address describes.

    In the order of the ranking, those at or above the threshold come first, then the rest.
    """
    assignment = find_assignment(request.user, pk, Right.READ)
    report = report_state(assignment).report
    if not report:
        messages.info(request, _("There are no pairs to decide yet."))
        return redirect(assignment)
    pair_filter = parse_pair_filter(request.GET)
    threshold = effective_threshold(report, pair_filter)
    previous = _previous_pair(request, report)
    pair = next_undecided_in(report, pair_filter, names_for(request, assignment), previous)
    query = query_string(pair_filter, page=1)
    if not pair:
        return _none_left(request, assignment, previous, query)
    in_ranking_order = not {*filter_values(pair_filter)} - {"threshold", "decision"}
    was_below = previous is not None and previous.similarity < threshold
    if in_ranking_order and pair.similarity < threshold and not was_below:
        text = _("Every pair of {threshold} and more is decided. What follows is below that.")
        messages.info(request, text.format(threshold=percent(threshold)))
    return redirect(_pair_address(request, assignment, pair) + query)


def _pair_address(request: AuthenticatedRequest, assignment: Assignment, pair: Pair) -> str:
    """Return the address of a pair's page, with the ids in the order in which the user sees the sides."""
    displayed = PairNames.from_pair(pair).displayed(names_for(request, assignment))
    return reverse("pair", args=[assignment.pk, displayed.left_id, displayed.right_id])


def _previous_pair(request: AuthenticatedRequest, report: Report) -> Pair | None:
    """Return the pair that the address names as viewed last, if the report has it."""
    after = request.GET.get("after", "")
    left, _, right = after.partition("-")
    is_pair = after.isascii() and left.isdecimal() and right.isdecimal()
    if not is_pair or max(len(left), len(right)) >= 19:  # noqa: PLR2004 - bigint
        return None
    return find_pair(report, int(left), int(right))


def _none_left(
    request: AuthenticatedRequest, assignment: Assignment, previous: Pair | None, query: str
) -> HttpResponse:
    if previous and find_decision(assignment, PairNames.from_pair(previous)).state == "undecided":
        messages.info(request, _("Every other pair is decided: this is the last one."))
        return redirect(_pair_address(request, assignment, previous) + query)
    messages.info(request, _("No undecided pair is left."))
    return redirect(reverse("pairs", args=[assignment.pk]) + query)
