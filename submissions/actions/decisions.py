"""Deciding pairs: every change is kept with who made it and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import transaction

from submissions.models import Change, Decision

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from submissions.models import Assignment
    from submissions.queries.decisions import PairNames

FIELDS = ("state", "assignee", "notes")


class Wanted(NamedTuple):
    """What somebody set a decision to, on a form that knew all changes up to the one with the id `seen`.

    `notes` is None where the form did not offer them.
    """

    state: str
    assignee: User | None
    notes: str | None
    seen: int = 0


class Outcome(NamedTuple):
    """What a decision is now, what was changed, and what others had changed since the form was made."""

    decision: Decision
    made: list[Change]
    meanwhile: list[Change]


@transaction.atomic
def decide(of: Assignment, names: PairNames, who: User, wanted: Wanted) -> Outcome:
    """Change those fields of a decision that somebody changed on their form.

    A field that they left alone keeps what others have made of it meanwhile; one that both changed
    becomes what the later of them wants, and the history keeps the other.
    """
    Decision.objects.get_or_create(assignment=of, left=names.left, right=names.right)
    # Whoever else decides this pair waits here.
    kept = Decision.objects.select_for_update(of=("self",)).select_related("assignee")
    made = kept.get(assignment=of, left=names.left, right=names.right)
    meanwhile = list(made.changes.filter(pk__gt=wanted.seen).order_by("pk"))
    before, after = _shown(made), _shown(wanted)
    seen = before | {change.field: change.before for change in reversed(meanwhile)}
    edited = [name for name in FIELDS if after[name] not in (seen[name], None)]
    for name in edited:
        setattr(made, name, getattr(wanted, name))
    changed = [name for name in edited if after[name] != before[name]]
    if changed:
        made.save()
    changes = [
        Change(decision=made, who=who.get_username(), field=name, before=before[name], after=after[name])
        for name in changed
    ]
    others = [change for change in meanwhile if change.who != who.get_username()]
    return Outcome(made, Change.objects.bulk_create(changes), others)


def _shown(one: Decision | Wanted) -> dict[str, Any]:
    """Write a decision's fields as people read them."""
    return {
        "state": Decision.State(one.state).label,
        "assignee": one.assignee.get_username() if one.assignee else "",
        "notes": one.notes,
    }
