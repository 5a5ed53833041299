"""Decisions on pairs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal

from django.http import HttpRequest
from ninja import Field, Router, Schema

from moss.integrations.api.inputs import Body
from moss.integrations.api.objects import LARGEST_ID, Id, names_of, user_of
from moss.integrations.api.problems import Problem, invalid_form
from submissions.cases.change import decide
from submissions.cases.models import ChangeFields
from submissions.cases.read import PairNames, decision_history, find_decision, pair_names, possible_assignees
from submissions.cases.views import MAX_NOTES_CHARACTERS, DecisionForm
from submissions.core.access import find_assignment
from submissions.core.names import Names
from submissions.core.rights import Right
from submissions.models import Assignment, CaseDecision, Decision

router = Router()
PATH = "/assignments/{assignment_id}/pairs/{left_id}/{right_id}/decision"
State = Literal["undecided", "clear", "suspicious", "confirmed"]


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


@router.get(PATH, response=DecisionOut, summary="Get the decision on a pair", url_name="api_decision")
def get_decision(request: HttpRequest, assignment_id: Id, left_id: Id, right_id: Id) -> DecisionOut:
    assignment = find_assignment(user_of(request), assignment_id, Right.READ)
    pair = pair_names(assignment, left_id, right_id)
    return _decision_out(assignment, pair, names_of(request, assignment))


@router.put(PATH, response=DecisionOut, summary="Decide on a pair", url_name="api_decision")
def put_decision(
    request: HttpRequest, assignment_id: Id, left_id: Id, right_id: Id, body: DecisionIn
) -> DecisionOut:
    """Store a decision; 409 where somebody changed it since the version that is sent."""
    user = user_of(request)
    assignment = find_assignment(user, assignment_id, Right.DECIDE)
    pair = pair_names(assignment, left_id, right_id)
    stored = _decision_out(assignment, pair, names_of(request, assignment))
    if body.version not in {None, stored.version}:
        raise Problem(409, "The decision was changed meanwhile. Read it again.", version=stored.version)
    form = DecisionForm(
        assignment, find_decision(assignment, pair), decision_fields(assignment, stored, body)
    )
    if not form.is_valid():
        raise invalid_form(form)
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


def decision_out(
    decision: Decision | CaseDecision, changes: Sequence[ChangeFields], names: Names
) -> DecisionOut:
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
