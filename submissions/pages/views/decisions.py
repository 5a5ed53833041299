"""Decide a pair, and go on to the next one that nobody has decided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import reswap, retarget

from submissions import queries
from submissions.actions.decisions import decide
from submissions.models import Decision
from submissions.pages.forms.decisions import DecisionForm
from submissions.pages.forms.filters import pair_filter
from submissions.pages.templatetags.pages import percent
from submissions.pseudonyms.names import names_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpResponse

    from submissions.models import Assignment, Change, Pair, Report
    from submissions.pages.views.access import SignedIn
    from submissions.pseudonyms.names import Names


def decision_context(
    of: Assignment, pair: queries.PairNames, names: Names, query: Mapping[str, Any]
) -> dict[str, Any]:
    """Give all that `_decision.html` needs of a pair, decided or not; `query` has the line, if one is set."""
    made = queries.decision(of, pair)
    changes = queries.history(made)
    # Notes with a name in them could only be saved with the made-up one, so they are not offered.
    covered = names.source(made.notes)
    initial = {"state": made.state, "assignee": made.assignee_id, "notes": made.notes}
    form = DecisionForm(of, made, initial=initial | {"seen": _last(changes)}, auto_id=False)
    return {
        "decided": pair,
        "decision": made,
        "decision_form": form,
        "states": Decision.State.choices,
        "covered_notes": covered if covered != made.notes else "",
        "history": changes,
        "minimum": round(pair_filter(query).minimum * 100),
    }


def _last(changes: list[Change]) -> int:
    return changes[0].pk if changes else 0


@login_required
@require_POST
def save(request: SignedIn, pk: int, left_id: int, right_id: int) -> HttpResponse:
    """Decide a pair, whether or not it is in the newest report; htmx gets the form's answer alone."""
    of = queries.assignment(request.user, pk)
    pair = queries.pair_names(of, left_id, right_id)
    form = DecisionForm(of, queries.decision(of, pair), request.POST)
    names = names_for(request, of)
    context = {"assignment": of, "names": names}
    if form.is_valid():
        outcome = decide(of, pair, request.user, form.given)
        context |= {"saved": outcome.changes, "meanwhile": outcome.meanwhile}
    else:
        context["refused"] = [error for errors in form.errors.values() for error in errors]
    if not request.htmx:
        _tell(request, context)
        return redirect("pair", pk, pair.left_id, pair.right_id)
    context |= decision_context(of, pair, names, request.POST)
    if not context.get("meanwhile"):
        return render(request, "submissions/_decision_saved.html", context)
    # The form itself shows what others have set.
    whole = render(request, "submissions/_decision.html", context)
    return retarget(reswap(whole, "outerHTML"), "#decision-panel")


def _tell(request: SignedIn, context: dict[str, Any]) -> None:
    """Say on the next page what htmx would have shown at once."""
    for refusal in context.get("refused", ()):
        messages.warning(request, f"Nothing was changed: {refusal}")
    for change in context.get("meanwhile", ()):
        messages.warning(request, f"Meanwhile {change.who} changed the {change.field}; see the history.")
    if context.get("saved"):
        messages.success(request, "Saved.")


@login_required
@require_GET
def next_undecided(request: SignedIn, pk: int) -> HttpResponse:
    """Lead to the undecided pair that ranks next: from the line on first, then the rest."""
    of = queries.assignment(request.user, pk)
    shown = queries.report_state(of).shown
    if not shown:
        messages.info(request, "There are no pairs to decide yet.")
        return redirect(of)
    chosen = pair_filter(request.GET)
    line = queries.line_of(shown, chosen)
    after = _looked_at(request, shown)
    found = queries.next_undecided(shown, line, after)
    query = f"?minimum={round(chosen.minimum * 100)}" if chosen.minimum else ""
    if not found:
        return _none_left(request, of, after, query)
    if found.similarity < line and not (after and after.similarity < line):
        messages.info(
            request, f"Every pair of {percent(line)} and more is decided. What follows is below that."
        )
    return redirect(reverse("pair", args=[pk, found.left_id, found.right_id]) + query)


def _looked_at(request: SignedIn, shown: Report) -> Pair | None:
    """Give the pair that the address says was looked at last, if the report has it."""
    left, _, right = request.GET.get("after", "").partition("-")
    if not (left.isdecimal() and right.isdecimal() and max(len(left), len(right)) < 19):  # noqa: PLR2004 - bigint
        return None
    return queries.pair(shown, int(left), int(right))


def _none_left(request: SignedIn, of: Assignment, after: Pair | None, query: str) -> HttpResponse:
    if after and queries.decision(of, queries.PairNames.of(after)).state == "undecided":
        messages.info(request, "Every other pair is decided: this is the last one.")
        return redirect(reverse("pair", args=[of.pk, after.left_id, after.right_id]) + query)
    messages.info(request, "No undecided pair is left.")
    return redirect(of.get_absolute_url() + query)
