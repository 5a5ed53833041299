"""Pages of decisions: on a pair, and on a case with its matrix, its timeline and its strongest pair.

Statements of students are put on file, downloaded and deleted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _, gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django_htmx.http import retarget

from fingerprint.engine import storable
from submissions.cases.case_list import Case, case_graph, cases, listed_case, listed_cases
from submissions.cases.change import (
    MAX_PDF_BYTES,
    CaseNames,
    DecisionInput,
    StatementRefused,
    add_statement,
    decide,
    decide_case,
)
from submissions.cases.documents import PrintedCase
from submissions.cases.members import (
    CLASS_MEMBERS,
    MATRIX_MEMBERS,
    MEMBERS_A_PAGE,
    TimedMember,
    by_cluster,
    due_place,
    similarity_matrix,
    timeline,
)
from submissions.cases.read import (
    UNDECIDED,
    PairNames,
    all_decisions,
    case_core,
    case_decisions,
    case_history,
    decided_case,
    decision_history,
    find_decision,
    find_statement,
    followed_decision,
    listed_statements,
    next_in_list,
    pair_names,
    possible_assignees,
    report_cases,
    stored_decisions,
)
from submissions.core.access import find_assignment, readable_pairs, readable_submissions
from submissions.core.names import Names, names_for
from submissions.core.rights import Right
from submissions.models import (
    Assignment,
    Batch,
    CaseChange,
    CaseDecision,
    Change,
    Decision,
    Pair,
    Report,
    Submission,
    SubmissionFile,
)
from submissions.pages.filters import percent, state_word
from submissions.pages.requests import (
    AuthenticatedRequest,
    changed_meanwhile,
    redirect_with_query,
    signed_in,
    takes_files,
)
from submissions.pairs.read import displayed_pair, find_pair, partly_read, submission_names
from submissions.pairs.source_view import SourceExcerpt, densest_lines, documents, source_excerpt
from submissions.reports.forms import filter_values, parse_pair_filter, query_string
from submissions.reports.read import (
    PairFilter,
    effective_threshold,
    is_ranking_order,
    listed,
    next_undecided_in,
    report_state,
)
from submissions.uploads.read import find_submission

MAX_NOTES_CHARACTERS = 10_000

ANOTHER_PAIR = gettext_lazy(
    "The decision was sent with another pair than the one that it is stored for, so nothing was saved."
    " Reload the page, see which pair it shows, and decide again."
)

_MEANWHILE = {
    "state": gettext_lazy("Meanwhile {who} changed the state; see the history."),
    "assignee": gettext_lazy("Meanwhile {who} changed the assignee; see the history."),
    "notes": gettext_lazy("Meanwhile {who} changed the notes; see the history."),
}

CHANGED = gettext_lazy(
    "This case has other members now than on the page on which you decided, so nothing was saved."
    " Reload the page, look at its members, and decide again."
)


class DecisionForm(forms.Form):
    """A decision's state, assignee and notes; `seen` is the id of the newest change at rendering, or 0."""

    state = forms.ChoiceField(choices=Decision.State.choices, widget=forms.RadioSelect)
    notes = forms.CharField(
        required=False,
        max_length=MAX_NOTES_CHARACTERS,
        strip=True,
        widget=forms.Textarea(attrs={"rows": 2, "id": "decision-notes"}),
    )
    seen = forms.IntegerField(min_value=0, max_value=2**63 - 1, widget=forms.HiddenInput)

    def __init__(self, assignment: Assignment, decision: Decision | CaseDecision, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["assignee"] = forms.ModelChoiceField(
            possible_assignees(assignment, decision),
            required=False,
            empty_label=gettext_lazy("nobody"),
            widget=forms.Select(attrs={"id": "decision-assignee"}),
        )

    def clean_notes(self) -> str:
        """Convert line ends to LF; browsers send CRLF."""
        return cast("str", self.cleaned_data["notes"]).replace("\r\n", "\n")

    @property
    def error_texts(self) -> list[str]:
        """The messages about all fields that are not valid."""
        return [str(error) for errors in self.errors.values() for error in errors]

    @property
    def decision_input(self) -> DecisionInput:
        """The values of a valid form; `notes` is None if the page had no field for them."""
        data = self.cleaned_data
        has_notes = "notes" in self.data
        return DecisionInput(data["state"], data["assignee"], data["notes"] if has_notes else None, data["seen"])


class PairExcerpt(NamedTuple):
    """One side of the longest passage of a pair."""

    submission: Submission
    path: str
    excerpt: SourceExcerpt


def case_context(report: Report, case: Case, names: Names, query: Mapping[str, Any]) -> dict[str, Any]:
    """Return the context of `_case.html`."""
    strongest = find_pair(report, *case.links[0][:2])
    return {
        "case": case,
        "report": report,
        "graph": case_graph(case),
        "core": case_core(report, [member.submission for member in case.members]),
        "members": Paginator(_best_matches(case), MEMBERS_A_PAGE).get_page(query.get("page")),
        "matrix": by_cluster(similarity_matrix(report, case.members)[:MATRIX_MEMBERS]),
        "matrix_left_out": max(0, len(case.members) - MATRIX_MEMBERS),
        "timeline": timeline(case),
        "due": due_place(case, report.assignment.due),
        "strongest": displayed_pair(strongest, names) if strongest else None,
        "excerpts": pair_excerpts(strongest, names) if strongest else [],
        "identical": identical_members(report, case, names),
        "own_decisions": _decisions_inside(report, case, names),
        "partly_read": partly_read(readable_submissions(report).filter(name__in=case.names)),
    }


def _best_matches(case: Case) -> list[tuple[TimedMember, Submission | None, float]]:
    """Return the members with the most similar one and its similarity, where a pair of theirs is stored."""
    by_id = {one.pk: one for one in case.submissions}
    best: dict[int, tuple[Submission | None, float]] = {}
    for left, right, similarity in case.links:
        best.setdefault(left, (by_id.get(right), similarity))
        best.setdefault(right, (by_id.get(left), similarity))
    return [(member, *best.get(member.submission.pk, (None, 0.0))) for member in case.members]


def pairs_of_case(report: Report, case: Case, threshold: float) -> list[Pair]:
    """Return the stored pairs of a case at or above its threshold, most similar first, without passages."""
    members = [member.submission.pk for member in case.members]
    pairs = readable_pairs(report).filter(left__in=members, right__in=members, similarity__gte=threshold)
    return list(pairs.select_related("left__batch", "right__batch").defer("passages"))


def printed_case(report: Report, case: Case, threshold: float, names: Names) -> PrintedCase:
    """Return a case, of which pairs of a threshold and more are one, as its document has it."""
    identical = identical_members(report, case, names)
    decision = case.decision if case.decision.pk else None
    return PrintedCase(
        case.number,
        threshold,
        case.members,
        [[one.pk for one in group] for group in identical],
        decision,
        case_history(case.decided) if decision else [],
        core=case_core(report, [member.submission for member in case.members]),
    )


def identical_members(report: Report, case: Case, names: Names) -> list[list[Submission]]:
    """Return the members that handed in the same bytes, in groups, each in the order of the members."""
    groups = [group.submissions for group in report.duplicates if group.sameness == "identical"]
    same = [[member.submission for member in case.members if member.submission.pk in group] for group in groups]
    same.sort(key=lambda group: (-len(group), *(names.display_name(one.name) for one in group[:1])))
    return [group for group in same if len(group) > 1]


def pair_excerpts(pair: Pair, names: Names, lines: int = 0) -> list[PairExcerpt]:
    """Return both sides of a pair's longest passage; nothing where a file cannot be read.

    With `lines`, so many of its lines: those that have most code; of a translated pair, nothing.
    """
    if not pair.passages or (lines and pair.translated):
        return []
    passage = next((one for one in pair.passages if not one.common), pair.passages[0])
    sides = [(pair.left, passage.left_file, passage.left_token), (pair.right, passage.right_file, passage.right_token)]
    if not names.in_order(pair.left.name, pair.right.name):
        sides.reverse()
    files = SubmissionFile.objects.in_bulk([file for _, file, _ in sides])
    by_id = documents(file.document_id for file in files.values())
    if len(files) < len(sides) or any(file.document_id not in by_id for file in files.values()):
        return []
    found = [(submission, files[file], by_id[files[file].document_id], token) for submission, file, token in sides]
    begin, end = 0, passage.tokens
    if lines:
        *_, document, token = found[0]
        begin, end = densest_lines(document, token, token + end, lines)
    return [
        PairExcerpt(submission, file.path, source_excerpt(document, token + begin, token + end, names))
        for submission, file, document, token in found
    ]


def _decisions_inside(report: Report, case: Case, names: Names) -> list[Decision]:
    """Return the decisions on single pairs of members, which do not follow the case."""
    members = set(case.names)
    decided: Iterable[Decision] = stored_decisions(report.assignment).values()
    inside = [one for one in decided if one.state != "undecided" and {one.left, one.right} <= members]
    return sorted(inside, key=lambda one: sorted(map(names.display_name, (one.left, one.right))))


def decision_context(
    assignment: Assignment, pair: PairNames, names: Names, query: Mapping[str, Any], ranked: Pair | None
) -> dict[str, Any]:
    """Return the context of `_decision.html` for a pair, decided or not; `query` may set the threshold.

    `ranked` is the pair in the newest report; None where it is not in it.
    """
    decision = find_decision(assignment, pair)
    pair_filter = parse_pair_filter(query)
    displayed = pair.displayed(names)
    return {
        **form_context(assignment, decision, decision_history(decision), names),
        "kept_filter": filter_values(pair_filter),
        "decided_on": decided_on(displayed),
        "followed": _followed(assignment, decision, ranked),
        "place": _place(ranked, pair_filter, names),
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


def _ranked(assignment: Assignment, pair: PairNames) -> Pair | None:
    report = report_state(assignment).report
    return find_pair(report, pair.left_id, pair.right_id) if report else None


def _followed(assignment: Assignment, decision: Decision, ranked: Pair | None) -> CaseDecision | None:
    """Return the decision on the case of a pair; a case of two has that of its pair, if there is one."""
    by_name = case_decisions(assignment)
    followed = followed_decision(by_name, (decision.left, decision.right), ranked.similarity if ranked else 0.0)
    is_of_two = sum(one == followed for one in by_name.values()) == len((decision.left, decision.right))
    return None if decision.state != UNDECIDED and is_of_two else followed


def _place(ranked: Pair | None, pair_filter: PairFilter, names: Names) -> tuple[int, int] | None:
    """Return the number of a pair in the list that is stepped through, and how many the list has."""
    keys = list(listed(ranked.report, pair_filter, names).values_list("pk", flat=True)) if ranked else []
    return (keys.index(ranked.pk) + 1, len(keys)) if ranked and ranked.pk in keys else None


def decided_on(pair: PairNames) -> str:
    """Return what a form sends of the pair that its page shows, whatever the order of the sides."""
    return "-".join(map(str, sorted((pair.left_id, pair.right_id))))


@signed_in("POST")
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
    context |= decision_context(assignment, pair, names, request.POST, _ranked(assignment, pair))
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


@signed_in("GET")
def next_undecided(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Redirect to the next undecided pair of the list that the address describes, or else to the list.

    In the order of the ranking, those at or above the threshold come first, then the rest.
    """
    assignment = find_assignment(request.user, pk, Right.READ)
    report = report_state(assignment).report
    if not report:
        messages.info(request, _("There are no pairs to decide yet."))
        return redirect(assignment)
    pair_filter, names = parse_pair_filter(request.GET), names_for(request, assignment)
    threshold = effective_threshold(report, pair_filter)
    previous = _previous_pair(request, report)
    pair = next_undecided_in(report, pair_filter, names, previous)
    query = query_string(pair_filter, page=1)
    was_below = previous is not None and previous.similarity < threshold
    is_step = pair is not None and pair.similarity < threshold and not was_below
    if not pair or (is_ranking_order(pair_filter) and is_step):
        states = list(listed(report, pair_filter, names).values_list("decision", flat=True))
        of_list = ngettext("{n} pair in the list", "{n} pairs in the list", len(states))
        _say_end(request, of_list, states, is_last=not pair and previous is not None)
    if not pair:
        return redirect(reverse("pairs", args=[assignment.pk]) + query)
    if is_ranking_order(pair_filter) and is_step:
        text = _("Every pair of {threshold} and more is decided. What follows is below that.")
        messages.info(request, text.format(threshold=percent(threshold)))
    return redirect(_pair_address(request, assignment, pair) + query)


def _say_end(request: AuthenticatedRequest, of_list: str, states: Sequence[str], *, is_last: bool) -> None:
    """Say that a list was read to its end, and how many of its pairs or cases have which decision."""
    counts = Counter(states)
    parts = [f"{counts[one]} {state_word(one)}" for one in reversed(Decision.State.values) if counts[one]]
    if is_last or not parts:
        end = _("That was the last of the list.") if is_last else _("Nothing is left to decide.")
        messages.info(request, end)
    if parts:
        text = _("{list}: {states}.")
        messages.info(request, text.format(list=of_list.format(n=len(states)), states=", ".join(parts)))


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


@never_cache
@signed_in("GET")
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
    holds_from = getattr(case.decision, "threshold", None) or at
    context = {"assignment": assignment, "names": names, "query": request.GET, "holds_from": holds_from}
    context |= case_context(report, case, names, request.GET) | case_decision_context(
        assignment, case, names, request.GET
    )
    context["place"] = case.number, len(report_cases(report, at))
    return render(request, "submissions/cases/case.html", context)


@signed_in("GET")
def matrix(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Show the similarities of the submissions of a report, those of the cases first."""
    assignment = find_assignment(request.user, pk, Right.READ)
    if not (report := report_state(assignment).report):
        raise Http404("No report.")
    listed = [member.submission for case in cases(report) for member in case.members]
    others = readable_submissions(report).filter(batch__role=Batch.Role.CLASS)[: CLASS_MEMBERS + 1]
    members = dict.fromkeys([*listed, *others])
    rows = similarity_matrix(report, [(member, None) for member in members][:CLASS_MEMBERS], CLASS_MEMBERS)
    context = {"assignment": assignment, "report": report, "names": names_for(request, assignment)}
    numbered = [row._replace(number=number) for number, row in enumerate(by_cluster(rows), 1)]
    context |= {"matrix": numbered, "are_some_left_out": len(members) > len(rows)}
    return render(request, "submissions/cases/matrix.html", context)


def _no_case(request: AuthenticatedRequest, assignment: Assignment, submission_id: int) -> HttpResponse:
    submitted = submission_names(assignment, submission_id)
    if not submitted:
        raise Http404("No such case.")
    names = names_for(request, assignment)
    context = {"assignment": assignment, "names": names, "name": submitted[submission_id]}
    return render(request, "submissions/cases/gone.html", context, status=404)


def case_decision_context(assignment: Assignment, case: Case, names: Names, query: Mapping[str, Any]) -> dict[str, Any]:
    """Return the context of `_decision.html` for a case."""
    threshold = round(parse_pair_filter(query).threshold * 100)
    suffix = f"?threshold={threshold}" if threshold else ""
    next_url = reverse("next_case", args=[assignment.pk])
    members = {one.submission.name: one.submission.pk for one in case.members}
    return {
        **form_context(assignment, case.decision, case_history(case.decided), names),
        "threshold": threshold,
        "kept_filter": {},
        "decided_on": case.members_key,
        "decide_url": reverse("decide_case", args=[assignment.pk, case.key]) + suffix,
        "next_url": f"{next_url}?after={case.key}" + suffix.replace("?", "&"),
        "next_label": _("Next undecided case"),
        "statements": listed_statements(assignment, members),
    }


@signed_in("POST")
def save_case(request: AuthenticatedRequest, pk: int, submission_id: int) -> HttpResponse:
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
    saved = case._replace(decided=decided_case(case.names, all_decisions(assignment)))
    context |= case_decision_context(assignment, saved, names, request.GET)
    if not context.get("meanwhile"):
        return render(request, "submissions/decisions/_saved.html", context)
    return retarget(render(request, "submissions/decisions/_decision.html", context), "#decision-panel")


@signed_in("GET")
def next_undecided_case(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Redirect to the next undecided case after the one that the address names, or else to the report."""
    assignment = find_assignment(request.user, pk, Right.READ)
    report = report_state(assignment).report
    all_cases = listed_cases(report, request.GET, names_for(request, assignment)) if report else []
    rows = [(case.key, case.decision.state) for case in all_cases]
    after = request.GET.get("after", "")
    threshold = parse_pair_filter(request.GET).threshold
    query = f"?threshold={round(threshold * 100)}" if threshold else ""
    key = next_in_list(rows, next((key for key, _ in rows if str(key) == after), None))
    if key:
        return redirect(reverse("case", args=[pk, key]) + query)
    of_list = ngettext("{n} case", "{n} cases", len(rows))
    _say_end(request, of_list, [state for _key, state in rows], is_last=bool(after))
    return redirect(assignment.get_absolute_url() + query)


@takes_files
@signed_in("POST")
def add(request: AuthenticatedRequest, pk: int, submission_id: int) -> HttpResponse:
    """Put a file on file as the statement of the student of a submission."""
    assignment = find_assignment(request.user, pk, Right.DECIDE)
    submission, file = find_submission(assignment, submission_id), request.FILES.get("file")
    try:
        data = file.read(MAX_PDF_BYTES + 1) if file else b""
        name = storable(file.name or "statement") if file else ""
        add_statement(assignment, submission.name, request.user, name, data)
    except StatementRefused as refused:
        messages.warning(request, _("Nothing was put on file: {error}").format(error=refused))
    else:
        messages.success(request, _("The statement is on file."))
    return redirect("submission", pk, submission_id)


@never_cache
@signed_in("GET")
def download(request: AuthenticatedRequest, pk: int, submission_id: int, statement_id: int) -> HttpResponse:
    """Download a statement; no browser shows it as a page of the service."""
    assignment = find_assignment(request.user, pk, Right.SEE_NAMES)
    if names_for(request, assignment).hidden:
        raise Http404("A statement has names in it.")
    statement = find_statement(assignment, find_submission(assignment, submission_id), statement_id)
    response = HttpResponse(bytes(statement.data), content_type="application/octet-stream")
    header = content_disposition_header(as_attachment=True, filename=statement.file_name)
    response.headers["Content-Disposition"] = header or "attachment"
    response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response


@signed_in("POST")
def delete(request: AuthenticatedRequest, pk: int, submission_id: int, statement_id: int) -> HttpResponse:
    assignment = find_assignment(request.user, pk, Right.DECIDE)
    find_statement(assignment, find_submission(assignment, submission_id), statement_id).delete()
    messages.info(request, _("The statement was deleted."))
    return redirect("submission", pk, submission_id)
