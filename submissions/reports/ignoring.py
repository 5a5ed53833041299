"""Pages of lines that may be ignored: proposing them, what that changes, and registering them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from submissions.core.access import find_assignment, find_proposal, readable_submissions
from submissions.core.names import Names, names_for
from submissions.core.rights import Right
from submissions.intake.packed_readings import unpack_with_lines
from submissions.matches.ranked_pairs import whole_percent
from submissions.matches.source_html import LINE_END
from submissions.pages.requests import AuthenticatedRequest, signed_in
from submissions.pairs.read import find_pair
from submissions.pairs.source_view import SourceExcerpt, documents, source_excerpt
from submissions.pairs.views import PASSAGE_GONE, not_ranked
from submissions.reports.change import choose_lines, ignore_lines, propose_common, propose_passage
from submissions.reports.forms import LinesForm
from submissions.reports.identical import SAMENESS
from submissions.reports.read import report_state
from submissions.uploads.stored_documents import document_text

if TYPE_CHECKING:
    from submissions.models import IgnoringProposal, Report, Submission

# Starter code is in at least this part of a class of at least so many.
STARTER_SHARE, LEAST_CLASS = 0.75, 5
# Lines that fewer submissions have may have been copied.
FEW = 4
# Fewer tokens are an idiom that everybody writes.
LEAST_TOKENS = 30
# Offers, and lines of a proposal, that a page shows, and characters of a line.
MAX_OFFERS, MAX_LINES, MAX_CHARACTERS = 3, 500, 200


class StarterOffer(NamedTuple):
    """Common code of a document from its token `first` on, which most of a class have."""

    document: int
    first: int
    submissions: int
    excerpt: SourceExcerpt


class ProposedLine(NamedTuple):
    """A line of a proposal; `submissions` have it, 0 if it has no code; it is `chosen` to be ignored."""

    number: int
    text: str
    submissions: int
    chosen: bool


class LoweredRow(NamedTuple):
    """A pair that would fall below the threshold; `same`: both stay listed as identical submissions."""

    left: Submission
    right: Submission
    similarity: float
    similarity_before: float
    same: bool


def starter_offers(report: Report, names: Names) -> list[StarterOffer]:
    """Return the common code of a report that most of the class have: it looks handed out."""
    size = report.parameters.get("submissions", 0)
    common = report.findings.common if report.findings else []
    most = [
        one
        for one in common
        if size >= LEAST_CLASS and one.submissions >= STARTER_SHARE * size and one.after - one.first >= LEAST_TOKENS
    ][:MAX_OFFERS]
    by_id = documents(one.document for one in most)
    return [
        StarterOffer(one.document, one.first, one.submissions, source_excerpt(document, one.first, one.after, names))
        for one in most
        if (document := by_id.get(one.document))
    ]


def proposal_context(proposal: IgnoringProposal, report: Report | None, names: Names) -> dict[str, Any]:
    """Return the lines of a proposal and what ignoring them would change in the newest report."""
    context: dict[str, Any] = {"proposal": proposal, "effect": proposal.effect}
    if proposal.chosen_first is None or proposal.chosen_after is None:
        return context
    _, lines = unpack_with_lines(bytes(proposal.document.tokens))
    first, last = int(lines[proposal.chosen_first]), int(lines[proposal.chosen_after - 1])
    part = int(lines[proposal.first]), int(lines[proposal.after - 1])
    rows = _lines(proposal, part, (first, last), names)
    fewest = min((row.submissions for row in rows if row.chosen and row.submissions), default=0)
    context |= {
        "lines": rows[:MAX_LINES],
        "more_lines": max(0, len(rows) - MAX_LINES),
        "first_line": first,
        "last_line": last,
        "fewest": fewest if fewest < FEW else 0,
        "withheld": bool(proposal.assignment.withheld.batches),
    }
    return context | {"lowered": _lowered(proposal, report) if report else []}


def _lines(
    proposal: IgnoringProposal, part: tuple[int, int], chosen: tuple[int, int], names: Names
) -> list[ProposedLine]:
    """Return the lines `part` of a proposal's document, first and last, of which some are chosen.

    Their text is empty where the source was deleted meanwhile.
    """
    text = dict(enumerate(LINE_END.split(names.redact_source(document_text(proposal.document))), 1))
    counts = proposal.counts
    known = {} if counts is None else dict(enumerate(counts.counts, counts.first))
    return [
        ProposedLine(
            number, text.get(number, "")[:MAX_CHARACTERS], known.get(number, 0), chosen[0] <= number <= chosen[1]
        )
        for number in range(part[0], part[1] + 1)
    ]


def _lowered(proposal: IgnoringProposal, report: Report) -> list[LoweredRow]:
    """Return the pairs that would fall below the threshold and that the reader may see."""
    pairs = proposal.effect.lowered if proposal.effect else []
    readable = readable_submissions(report).in_bulk({pk for pair in pairs for pk in (pair.left, pair.right)})
    groups = [set(one.submissions) for one in report.duplicates if one.sameness in SAMENESS]
    return [
        LoweredRow(
            readable[pair.left],
            readable[pair.right],
            pair.similarity,
            pair.similarity_before,
            any({pair.left, pair.right} <= group for group in groups),
        )
        for pair in pairs
        if {pair.left, pair.right} <= readable.keys()
    ]


@signed_in("POST")
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


@signed_in("POST")
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


@signed_in("GET")
def show(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Show the lines of a proposal and what ignoring them changes; it reloads until that is measured."""
    proposal = find_proposal(request.user, pk)
    return _page(request, proposal)


def _page(request: AuthenticatedRequest, proposal: IgnoringProposal, form: LinesForm | None = None) -> HttpResponse:
    assignment = proposal.assignment
    names = names_for(request, assignment)
    report = report_state(assignment).report
    context = proposal_context(proposal, report, names)
    context |= {"assignment": assignment, "report": report, "names": names, "form": form}
    status = 422 if form else 200
    return render(request, "submissions/report/ignoring.html", context, status=status)


@signed_in("POST")
def choose(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Choose other lines of a proposal, and have their effect measured."""
    proposal = find_proposal(request.user, pk)
    form = LinesForm(request.POST)
    if form.is_valid() and choose_lines(proposal, form.cleaned_data["first"], form.cleaned_data["last"]):
        return redirect("ignoring", pk)
    if form.is_valid():
        form.add_error(None, _("No code is on these lines. Choose lines among those shown."))
    return _page(request, proposal, form)


@signed_in("POST")
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
