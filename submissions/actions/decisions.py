"""Change the decision on a pair. Every change is stored with its user and time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import transaction

from submissions.models import Change, Decision

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from submissions.models import Assignment
    from submissions.queries.decisions import PairNames

FIELDS = ("state", "assignee", "notes")


class DecisionInput(NamedTuple):
    """The values of a submitted decision form.

    `seen` is the primary key of the newest change when the form was rendered, 0 for none. `notes` is None
    when the form had no field for them.
    """

    state: str
    assignee: User | None
    notes: str | None
    seen: int = 0


class DecisionResult(NamedTuple):
    """The result of `decide`.

    `changes`: the changes just made; `meanwhile`: the changes that other users made since the form was
    rendered.
    """

    decision: Decision
    changes: list[Change]
    meanwhile: list[Change]


@transaction.atomic
def decide(assignment: Assignment, names: PairNames, user: User, submitted: DecisionInput) -> DecisionResult:
    """Store the fields of a decision that the user changed on the form.

    A field that the user did not change keeps the value that others set meanwhile. When both changed a field,
    the later value is stored, and the history has the earlier one.
    """
    Decision.objects.get_or_create(assignment=assignment, left=names.left, right=names.right)
    # The lock serialises concurrent decisions on this pair.
    locked = Decision.objects.select_for_update(of=("self",)).select_related("assignee")
    decision = locked.get(assignment=assignment, left=names.left, right=names.right)
    meanwhile = list(decision.changes.filter(pk__gt=submitted.seen).order_by("pk"))
    before, after = _displayed(decision), _displayed(submitted)
    seen = before | {change.field: change.before for change in reversed(meanwhile)}
    edited = [name for name in FIELDS if after[name] not in (seen[name], None)]
    for name in edited:
        setattr(decision, name, getattr(submitted, name))
    changed = [name for name in edited if after[name] != before[name]]
    if changed:
        decision.save()
    username = user.get_username()
    changes = [
        Change(decision=decision, who=username, field=name, before=before[name], after=after[name])
        for name in changed
    ]
    others = [change for change in meanwhile if change.who != username]
    return DecisionResult(decision, Change.objects.bulk_create(changes), others)


def _displayed(values: Decision | DecisionInput) -> dict[str, Any]:
    """Return the fields of a decision as displayed in its history."""
    return {
        "state": Decision.State(values.state).label,
        "assignee": values.assignee.get_username() if values.assignee else "",
        "notes": values.notes,
    }
