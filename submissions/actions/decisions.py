"""Decide pairs. Every change is stored with who made it and when."""

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
    """What somebody set on a form that showed all changes up to the one with the id `seen`.

    `notes` is None where the form did not offer them.
    """

    state: str
    assignee: User | None
    notes: str | None
    seen: int = 0


class DecisionResult(NamedTuple):
    """A decision, what was changed now, and what others had changed since the form was rendered."""

    decision: Decision
    changes: list[Change]
    meanwhile: list[Change]


@transaction.atomic
def decide(assignment: Assignment, names: PairNames, user: User, given: DecisionInput) -> DecisionResult:
    """Change those fields of a decision that the user changed on their form.

    A field that they left alone keeps what others have set meanwhile. A field that both changed gets the
    later value, and the history has the other one.
    """
    Decision.objects.get_or_create(assignment=assignment, left=names.left, right=names.right)
    # Others who decide this pair wait for the lock.
    locked = Decision.objects.select_for_update(of=("self",)).select_related("assignee")
    decision = locked.get(assignment=assignment, left=names.left, right=names.right)
    meanwhile = list(decision.changes.filter(pk__gt=given.seen).order_by("pk"))
    before, after = _displayed(decision), _displayed(given)
    seen = before | {change.field: change.before for change in reversed(meanwhile)}
    edited = [name for name in FIELDS if after[name] not in (seen[name], None)]
    for name in edited:
        setattr(decision, name, getattr(given, name))
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
    """Return a decision's fields as people read them."""
    return {
        "state": Decision.State(values.state).label,
        "assignee": values.assignee.get_username() if values.assignee else "",
        "notes": values.notes,
    }
