"""The API of decisions on pairs and cases, and of documents about them, as PDF or HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple

from django.http import HttpRequest, HttpResponse
from ninja import Field, Query, Router, Schema

from submissions.cases.case_list import Case, cases, find_case
from submissions.cases.change import CaseNames, decide, decide_case
from submissions.cases.documents import ALIASES, REAL_NAMES, Subject
from submissions.cases.models import ChangeFields
from submissions.cases.read import (
    PairNames,
    Suspicion,
    all_decisions,
    case_history,
    decided_case,
    decision_history,
    find_decision,
    find_suspicion,
    pair_names,
    possible_assignees,
    suspicions,
)
from submissions.cases.views import MAX_NOTES_CHARACTERS, DecisionForm
from submissions.core.access import find_assignment
from submissions.core.api import LARGEST_ID, Body, Id, Input, Problem, Threshold, names_of, require_valid, user_of
from submissions.core.names import Names
from submissions.core.rights import Right
from submissions.matches.file_formats import PrintingFailed
from submissions.models import Assignment, CaseDecision, Decision, Report, Submission
from submissions.pages.paper import DocumentTooLong
from submissions.pairs.read import find_pair, threshold_of
from submissions.reports.api import report_of
from submissions.reports.exports import case_subject, confirmed_pairs, document_file, suspicion_subject
from submissions.reports.forms import ExportForm

decisions_router = Router()
PAIR_PATH = "/assignments/{assignment_id}/pairs/{left_id}/{right_id}/decision"
State = Literal["undecided", "clear", "suspicious", "confirmed"]

cases_router = Router()
CASE_PATH = "/assignments/{assignment_id}/cases/{submission_id}/decision"

documents_router = Router()
FILE = {"schema": {"type": "string", "format": "binary"}}
FILES = {"responses": {200: {"content": {"application/pdf": FILE, "text/html": FILE}}}}


class ChangeOut(Schema):
    who: str
    when: datetime
    field: str
    before: str
    after: str


class DecisionOut(Schema):
    """A decision; `version` is what to send with a change. `history` begins with the newest change."""

    state: str
    assignee: str | None
    notes: str
    version: int
    history: list[ChangeOut]


class DecisionIn(Body):
    """A decision to store. What is left out stays; `version` is that of the decision that was read."""

    state: State = "undecided"
    assignee: str | None = None
    notes: Annotated[str, Field(max_length=MAX_NOTES_CHARACTERS)] = ""
    version: Annotated[int, Field(ge=0, le=LARGEST_ID)] | None = None


@decisions_router.get(PAIR_PATH, response=DecisionOut, summary="Get the decision on a pair", url_name="api_decision")
def get_decision(request: HttpRequest, assignment_id: Id, left_id: Id, right_id: Id) -> DecisionOut:
    assignment = find_assignment(user_of(request), assignment_id, Right.READ)
    pair = pair_names(assignment, left_id, right_id)
    return _decision_out(assignment, pair, names_of(request, assignment))


@decisions_router.put(PAIR_PATH, response=DecisionOut, summary="Decide on a pair", url_name="api_decision")
def put_decision(request: HttpRequest, assignment_id: Id, left_id: Id, right_id: Id, body: DecisionIn) -> DecisionOut:
    """Store a decision; 409 where somebody changed it since the version that is sent."""
    user = user_of(request)
    assignment = find_assignment(user, assignment_id, Right.DECIDE)
    pair = pair_names(assignment, left_id, right_id)
    stored = _decision_out(assignment, pair, names_of(request, assignment))
    if body.version not in {None, stored.version}:
        raise Problem(409, "The decision was changed meanwhile. Read it again.", version=stored.version)
    form = DecisionForm(assignment, find_decision(assignment, pair), decision_fields(assignment, stored, body))
    require_valid(form)
    decide(assignment, pair, user, form.decision_input)
    return _decision_out(assignment, pair, names_of(request, assignment))


def decision_fields(assignment: Assignment, stored: DecisionOut, body: DecisionIn) -> dict[str, object]:
    """Return the fields of the form: those that were sent, and the stored ones."""
    fields = stored.dict(include={"state", "assignee", "notes"})
    fields |= body.dict(exclude_unset=True, exclude={"version"})
    name = fields["assignee"]
    assignee = possible_assignees(assignment).filter(username=name).first() if name else None
    if name and not assignee and name != stored.assignee:
        raise Problem(422, "The assignee has to be the user name of somebody who may decide in this course.")
    return fields | {"assignee": assignee and assignee.pk, "seen": stored.version}


def _decision_out(assignment: Assignment, pair: PairNames, names: Names) -> DecisionOut:
    decision = find_decision(assignment, pair)
    return decision_out(decision, decision_history(decision), names)


def decision_out(decision: Decision | CaseDecision, changes: Sequence[ChangeFields], names: Names) -> DecisionOut:
    """Return a decision with its changes, newest first, as a reader of these names may see them."""
    return DecisionOut(
        state=decision.state,
        assignee=decision.assignee.get_username() if decision.assignee else None,
        notes=names.redact_source(decision.notes),
        version=changes[0].pk if changes else 0,
        history=[_change_out(one, names) for one in changes],
    )


def _change_out(change: ChangeFields, names: Names) -> ChangeOut:
    before, after = (names.redact_source(text) for text in (change.before, change.after))
    return ChangeOut(who=change.who, when=change.changed_at, field=change.field, before=before, after=after)


class Member(Schema):
    id: int
    name: str


class CaseOut(Schema):
    """Submissions that pairs at or above the threshold connect; `id` is the submission that stands for it.

    A case `by_hand` is two submissions that somebody suspects and that the report does not list as a pair: it
    has no `id` and no figures.
    """

    id: int | None
    number: int
    members: list[Member]
    by_hand: bool
    similarity: float | None
    mean: float | None
    decision: str
    assignee: str | None
    notes: str


class Cases(Schema):
    items: list[CaseOut]


class StoredCase(NamedTuple):
    """A case, with the report that it is of, and the names that the user may see."""

    case: Case
    report: Report
    names: Names


@cases_router.get("/assignments/{assignment_id}/cases", response=Cases, summary="List the cases")
def list_cases(request: HttpRequest, assignment_id: Id, threshold: Threshold = 0) -> Cases:
    """List the cases of the newest report, the strongest pair first, then those that were entered by hand."""
    assignment = find_assignment(user_of(request), assignment_id, Right.READ)
    names, report = names_of(request, assignment), report_of(assignment)
    ranked = cases(report, threshold / 100 or None, names)
    by_hand = [_by_hand_out(one, names) for one in suspicions(report, names, len(ranked))]
    return Cases(items=[*(_case_out(one, names) for one in ranked), *by_hand])


@cases_router.get(CASE_PATH, response=DecisionOut, summary="Get the decision on a case", url_name="api_case_decision")
def get_case_decision(
    request: HttpRequest, assignment_id: Id, submission_id: Id, threshold: Threshold = 0
) -> DecisionOut:
    """Get the decision on the case of a submission."""
    stored_case = find_stored_case(request, (assignment_id, submission_id), threshold, Right.READ)
    return _case_decision_out(stored_case)


@cases_router.put(CASE_PATH, response=DecisionOut, summary="Decide on a case", url_name="api_case_decision")
def put_case_decision(
    request: HttpRequest, assignment_id: Id, submission_id: Id, body: DecisionIn, threshold: Threshold = 0
) -> DecisionOut:
    """Store a decision on the case of a submission; 409 where somebody changed it since that version."""
    stored_case = find_stored_case(request, (assignment_id, submission_id), threshold, Right.DECIDE)
    assignment, stored = stored_case.report.assignment, _case_decision_out(stored_case)
    if body.version not in {None, stored.version}:
        raise Problem(409, "The decision was changed meanwhile. Read it again.", version=stored.version)
    form = DecisionForm(assignment, stored_case.case.decision, decision_fields(assignment, stored, body))
    require_valid(form)
    every = cases(stored_case.report, threshold / 100 or None, stored_case.names)
    others = {name for other in every if other.key != stored_case.case.key for name in other.names}
    at = threshold / 100 or threshold_of(stored_case.report)
    members = CaseNames(stored_case.case.names, others, at)
    decide_case(assignment, members, user_of(request), form.decision_input)
    decided = decided_case(stored_case.case.names, all_decisions(assignment))
    return _case_decision_out(stored_case._replace(case=stored_case.case._replace(decided=decided)))


def find_stored_case(request: HttpRequest, ids: tuple[int, int], threshold: int, right: Right) -> StoredCase:
    """Return the case of a submission; both are named by their primary keys, the assignment first."""
    assignment_id, submission_id = ids
    assignment = find_assignment(user_of(request), assignment_id, right)
    report, names = report_of(assignment), names_of(request, assignment)
    case = find_case(report, submission_id, threshold / 100 or None, names)
    if not case:
        raise Problem(404, "This submission is in no case at this threshold.")
    return StoredCase(case, report, names)


def _case_decision_out(stored_case: StoredCase) -> DecisionOut:
    return decision_out(stored_case.case.decision, case_history(stored_case.case.decided), stored_case.names)


def _case_out(case: Case, names: Names) -> CaseOut:
    members = [member.submission for member in case.members]
    return CaseOut(
        id=case.key,
        by_hand=False,
        similarity=round(case.similarity, 6),
        mean=round(case.mean, 6),
        **_common_fields(case, members, names),
    )


def _by_hand_out(case: Suspicion, names: Names) -> CaseOut:
    fields = _common_fields(case, case.members, names)
    return CaseOut(id=None, by_hand=True, similarity=None, mean=None, **fields)


def _common_fields(case: Case | Suspicion, members: Iterable[Submission], names: Names) -> dict[str, Any]:
    decision = case.decision
    return {
        "number": case.number,
        "members": [Member(id=one.pk, name=names.display_name(one.name)) for one in members],
        "decision": decision.state,
        "assignee": decision.assignee.get_username() if decision.assignee else None,
        "notes": names.redact_source(decision.notes),
    }


class Options(Input):
    """Options of a document; `names` is also the id of a submission, for the copy of its student.

    The copy of a student has only the pairs of that student, and hides all other names.
    """

    format: Literal["pdf", "html"] = "pdf"
    names: str = ""
    decision: bool = True
    sources: bool = False


@documents_router.get(
    "/assignments/{assignment_id}/document",
    summary="Download the confirmed pairs",
    openapi_extra=FILES,
    url_name="api_document",
)
def get_document(request: HttpRequest, assignment_id: Id, options: Annotated[Options, Query()]) -> HttpResponse:
    assignment = find_assignment(user_of(request), assignment_id, Right.READ)
    report = report_of(assignment)
    return _document(request, Subject(report, list(confirmed_pairs(report))), options)


@documents_router.get(
    "/assignments/{assignment_id}/pairs/{left_id}/{right_id}/document",
    summary="Download a pair",
    openapi_extra=FILES,
    url_name="api_pair_document",
)
def get_pair_document(
    request: HttpRequest, assignment_id: Id, left_id: Id, right_id: Id, options: Annotated[Options, Query()]
) -> HttpResponse:
    """Download a pair, or the case by hand of two submissions that the report does not list as one."""
    assignment = find_assignment(user_of(request), assignment_id, Right.READ)
    report, ids = report_of(assignment), (left_id, right_id)
    if pair := find_pair(report, *ids):
        return _document(request, Subject(report, [pair], single=True), options)
    if suspicion := find_suspicion(report, names_of(request, assignment), ids):
        return _document(request, suspicion_subject(report, suspicion), options)
    raise Problem(404, "There is no such pair in the newest report.")


@documents_router.get(
    "/assignments/{assignment_id}/cases/{submission_id}/document",
    summary="Download a case",
    openapi_extra=FILES,
    url_name="api_case_document",
)
def get_case_document(
    request: HttpRequest,
    assignment_id: Id,
    submission_id: Id,
    options: Annotated[Options, Query()],
    threshold: Threshold = 0,
) -> HttpResponse:
    """Download the case of a submission."""
    case, report, names = find_stored_case(request, (assignment_id, submission_id), threshold, Right.READ)
    at = threshold / 100 or threshold_of(report)
    return _document(request, case_subject(report, case, at, names), options)


def _document(request: HttpRequest, subject: Subject, options: Options) -> HttpResponse:
    if subject.is_empty:
        raise Problem(404, "No pair of the newest report is confirmed.")
    assignment = subject.report.assignment
    names = names_of(request, assignment)
    chosen = options.dict() | {"names": options.names or (ALIASES if names.aliases else REAL_NAMES)}
    form = ExportForm(subject.pairs, names, chosen)
    require_valid(form)
    try:
        return document_file(form.cleaned_data, subject, names)
    except DocumentTooLong as error:
        raise Problem(422, str(error)) from error
    except PrintingFailed as error:
        raise Problem(503, str(error)) from error
