"""The cases of a report, and the decisions on them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.http import HttpRequest
from ninja import Router, Schema

from moss.integrations.api.decisions import DecisionIn, DecisionOut, decision_fields, decision_out
from moss.integrations.api.objects import Id, Threshold, names_of, report_of, user_of
from moss.integrations.api.problems import Problem, invalid_form
from submissions.cases.case_list import Case, cases, find_case
from submissions.cases.change import CaseNames, decide_case
from submissions.cases.read import Suspicion, case_decisions, case_history, decided_case, suspicions
from submissions.cases.views import DecisionForm
from submissions.core.access import find_assignment
from submissions.core.names import Names
from submissions.core.rights import Right
from submissions.models import Report, Submission
from submissions.pairs.read import threshold_of

router = Router()
PATH = "/assignments/{assignment_id}/cases/{submission_id}/decision"


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


@router.get("/assignments/{assignment_id}/cases", response=Cases, summary="List the cases")
def list_cases(request: HttpRequest, assignment_id: Id, threshold: Threshold = 0) -> Cases:
    """List the cases of the newest report, the largest first, then those that were entered by hand."""
    assignment = find_assignment(user_of(request), assignment_id, Right.READ)
    names, report = names_of(request, assignment), report_of(assignment)
    ranked = cases(report, threshold / 100 or None, names)
    by_hand = [_by_hand_out(one, names) for one in suspicions(report, names, len(ranked))]
    return Cases(items=[*(_case_out(one, names) for one in ranked), *by_hand])


@router.get(PATH, response=DecisionOut, summary="Get the decision on a case", url_name="api_case_decision")
def get_case_decision(
    request: HttpRequest, assignment_id: Id, submission_id: Id, threshold: Threshold = 0
) -> DecisionOut:
    """Get the decision on the case of a submission."""
    stored_case = find_stored_case(request, (assignment_id, submission_id), threshold, Right.READ)
    return _decision_out(stored_case)


@router.put(PATH, response=DecisionOut, summary="Decide on a case", url_name="api_case_decision")
def put_case_decision(
    request: HttpRequest, assignment_id: Id, submission_id: Id, body: DecisionIn, threshold: Threshold = 0
) -> DecisionOut:
    """Store a decision on the case of a submission; 409 where somebody changed it since that version."""
    stored_case = find_stored_case(request, (assignment_id, submission_id), threshold, Right.DECIDE)
    assignment, stored = stored_case.report.assignment, _decision_out(stored_case)
    if body.version not in {None, stored.version}:
        raise Problem(409, "The decision was changed meanwhile. Read it again.", version=stored.version)
    form = DecisionForm(assignment, stored_case.case.decision, decision_fields(assignment, stored, body))
    if not form.is_valid():
        raise invalid_form(form)
    every = cases(stored_case.report, threshold / 100 or None, stored_case.names)
    others = {name for other in every if other.key != stored_case.case.key for name in other.names}
    at = threshold / 100 or threshold_of(stored_case.report)
    members = CaseNames(stored_case.case.names, others, at)
    decide_case(assignment, members, user_of(request), form.decision_input)
    decided = decided_case(stored_case.case.names, case_decisions(assignment))
    return _decision_out(stored_case._replace(case=stored_case.case._replace(decided=decided)))


def find_stored_case(request: HttpRequest, ids: tuple[int, int], threshold: int, right: Right) -> StoredCase:
    """Return the case of a submission; both are named by their primary keys, the assignment first."""
    assignment_id, submission_id = ids
    assignment = find_assignment(user_of(request), assignment_id, right)
    report, names = report_of(assignment), names_of(request, assignment)
    case = find_case(report, submission_id, threshold / 100 or None, names)
    if not case:
        raise Problem(404, "This submission is in no case at this threshold.")
    return StoredCase(case, report, names)


def _decision_out(stored_case: StoredCase) -> DecisionOut:
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
