"""Ignoring lines: proposing them, the page of what it changes, and registering them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from submissions.actions.ignoring import choose_lines, ignore_lines, propose_common, propose_passage
from submissions.comparison.pair_rows import whole_percent
from submissions.pages.forms.filters import LinesForm
from submissions.pages.report.ignoring import proposal_context
from submissions.pages.views.pairs import PASSAGE_GONE, not_ranked
from submissions.permissions import Right
from submissions.pseudonyms.names import names_for
from submissions.queries.access import find_assignment, find_proposal
from submissions.queries.pairs import find_pair
from submissions.queries.reports import report_state

if TYPE_CHECKING:
    from django.http import HttpResponse

    from submissions.models import IgnoringProposal
    from submissions.pages.views.access import AuthenticatedRequest


@login_required
@require_POST
def propose(request: AuthenticatedRequest, pk: int, left_id: int, right_id: int) -> HttpResponse:
    """Propose a passage of a pair, and go to the page of what ignoring it changes."""
    assignment = find_assignment(request.user, pk, Right.CHANGE)
    report = report_state(assignment).report
    pair = find_pair(report, left_id, right_id) if report else None
    if not pair:
        return not_ranked(request, assignment, left_id, right_id)
    proposal = propose_passage(assignment, pair, request.POST.get("passage", ""))
    if not proposal:
        messages.warning(request, PASSAGE_GONE)
        return redirect("pair", pk, left_id, right_id)
    return redirect("ignoring", proposal.pk)


@login_required
@require_POST
def propose_starter(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Propose common code of the newest report, and go to the page of what ignoring it changes."""
    assignment = find_assignment(request.user, pk, Right.CHANGE)
    report = report_state(assignment).report
    document, first = (request.POST.get(name, "") for name in ("document", "first"))
    proposal = propose_common(report, document, first) if report else None
    if not proposal:
        messages.warning(request, _("That code is not common code of the newest report any more."))
        return redirect("ignored", pk)
    return redirect("ignoring", proposal.pk)


@login_required
@require_GET
def show(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Show the lines of a proposal and what ignoring them changes; it reloads until that is measured."""
    proposal = find_proposal(request.user, pk)
    return _page(request, proposal)


def _page(
    request: AuthenticatedRequest, proposal: IgnoringProposal, form: LinesForm | None = None
) -> HttpResponse:
    assignment = proposal.assignment
    names = names_for(request, assignment)
    context = proposal_context(proposal, report_state(assignment).report, names)
    context |= {"assignment": assignment, "names": names, "form": form}
    status = 422 if form else 200
    return render(request, "submissions/report/ignoring.html", context, status=status)


@login_required
@require_POST
def choose(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Choose other lines of a proposal, and have their effect measured."""
    proposal = find_proposal(request.user, pk)
    form = LinesForm(request.POST)
    if form.is_valid() and choose_lines(proposal, form.cleaned_data["first"], form.cleaned_data["last"]):
        return redirect("ignoring", pk)
    if form.is_valid():
        form.add_error(None, _("No code is on these lines. Choose lines among those shown."))
    return _page(request, proposal, form)


@login_required
@require_POST
def ignore(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Register the chosen lines, and go back to where they were proposed while a new ranking runs."""
    proposal = find_proposal(request.user, pk)
    if proposal.chosen_first is None:
        return redirect("ignoring", pk)
    report, sides = report_state(proposal.assignment).report, proposal.pair
    pair = find_pair(report, *sides) if report and sides else None
    boilerplate = ignore_lines(proposal)
    if pair is None:
        messages.info(request, _("The lines are ignored, and all pairs are ranked again."))
        return redirect(f"{reverse('ignored', args=[proposal.assignment_id])}#boilerplate-heading")
    address = reverse("pair", args=[proposal.assignment_id, pair.left_id, pair.right_id])
    return redirect(f"{address}?before={whole_percent(pair.similarity)}&ignored={boilerplate.pk}")
