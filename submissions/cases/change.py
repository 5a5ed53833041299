"""Change the decision on a pair or on a case, and put statements of students on file.

Every change is stored with its user and time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils.translation import gettext as _

from submissions.cases.read import PairNames, all_decisions, decided_case
from submissions.models import Assignment, CaseChange, CaseDecision, CaseMember, Decision, Statement
from submissions.work.jobs import decided

if TYPE_CHECKING:
    from submissions.cases.models import ChangeFields

FIELDS = ("state", "assignee", "notes")

# Bytes of a PDF, bytes of a text, which is printed whole, and statements of one submission.
MAX_PDF_BYTES, MAX_TEXT_BYTES, MAX_STATEMENTS = 5_000_000, 100_000, 10
PDF = b"%PDF-"


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
    """The result of `decide` and `decide_case`.

    `changes`: the changes just made; `meanwhile`: the changes that other users made since the form was rendered.
    """

    decision: Decision | CaseDecision
    changes: Sequence[ChangeFields]
    meanwhile: Sequence[ChangeFields]


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
    return _store(decision, user, submitted)


class CaseNames(NamedTuple):
    """The names of a case's members, those of the report's other cases, and the threshold of the cases."""

    members: Collection[str]
    others: Collection[str]
    threshold: float


@transaction.atomic
def decide_case(assignment: Assignment, case: CaseNames, user: User, submitted: DecisionInput) -> DecisionResult:
    """Store the fields of a decision on a case that the user changed, for the case's present members.

    A decision that was made on other members is taken over, unless members of it are in another case now:
    then it stays theirs. A case of two whose pair was decided itself has that decision.
    """
    _lock_case_decisions(assignment)
    known = all_decisions(assignment)
    by_name, stored = known.by_name, decided_case(case.members, known)
    if isinstance(stored.decision, Decision):
        return decide(assignment, PairNames(min(case.members), max(case.members), 0, 0), user, submitted)
    taken_over = [
        decision
        for decision in ([stored.decision] if stored.decision.pk else stored.former)
        if not any(name in case.others and by_name[name] == decision for name in by_name)
    ]
    decision = taken_over[0] if taken_over else CaseDecision()
    decision.assignment, decision.threshold = assignment, case.threshold
    for field in FIELDS:
        setattr(decision, field, getattr(stored.decision, field))
    decision.save()
    _set_members(decision, case.members, taken_over)
    return _store(decision, user, submitted)


def _lock_case_decisions(assignment: Assignment) -> None:
    """Let no other transaction decide a case of the assignment until this one ends.

    Not a lock of the assignment's row: a ranking holds that while it runs.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('case decisions'), %s)", [assignment.pk])


def _set_members(decision: CaseDecision, names: Collection[str], taken_over: Sequence[CaseDecision]) -> None:
    """Make `names` the members of a decision; it gets the history of the decisions that it takes over."""
    replaced = [former.pk for former in taken_over if former.pk != decision.pk]
    CaseChange.objects.filter(decision__in=replaced).update(decision=decision)
    CaseDecision.objects.filter(pk__in=replaced).delete()
    assignment = decision.assignment
    CaseMember.objects.filter(assignment=assignment, name__in=names).delete()
    decision.members.all().delete()
    CaseMember.objects.bulk_create(
        CaseMember(decision=decision, assignment=assignment, name=name) for name in sorted(names)
    )


def _store(decision: Decision | CaseDecision, user: User, submitted: DecisionInput) -> DecisionResult:
    """Store the fields of a locked decision that the user changed on the form, and the changes."""
    meanwhile = list(decision.changes.filter(pk__gt=submitted.seen).order_by("pk"))
    before, after = _displayed(decision), _displayed(submitted)
    seen = before | {one.field: one.before for one in reversed(meanwhile)}
    edited = [name for name in FIELDS if after[name] not in (seen[name], None)]
    for name in edited:
        setattr(decision, name, getattr(submitted, name))
    changed = [name for name in edited if after[name] != before[name]]
    if changed:
        decision.save()
    username = user.get_username()
    changes = [
        decision.changes.create(who=username, field=name, before=before[name], after=after[name]) for name in changed
    ]
    if "state" in changed:
        decided.send(type(decision), decision=decision)
    others = [one for one in meanwhile if one.who != username]
    return DecisionResult(decision, changes, others)


def _displayed(values: Decision | CaseDecision | DecisionInput) -> dict[str, Any]:
    return {
        "state": values.state.capitalize(),
        "assignee": values.assignee.get_username() if values.assignee else "",
        "notes": values.notes,
    }


class StatementRefused(ValueError):
    """A file cannot be put on file; the message says why, and what to do."""


@transaction.atomic
def add_statement(assignment: Assignment, name: str, user: User, file_name: str, data: bytes) -> Statement:
    """Put a file on file for the submission `name`.

    Raises StatementRefused when it is neither a text in UTF-8 nor a PDF, is empty or too large, or when there
    are many already.
    """
    is_text = _is_text(data)
    # Two at once are counted one after the other.
    type(assignment).objects.select_for_update(no_key=True).get(pk=assignment.pk)
    if assignment.statements.filter(name=name).count() >= MAX_STATEMENTS:
        raise StatementRefused(_("There are {n} already: delete one first.").format(n=MAX_STATEMENTS))
    return Statement.objects.create(
        assignment=assignment,
        name=name,
        file_name=file_name[-255:],
        is_text=is_text,
        data=data,
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        added_by=user.get_username(),
    )


def _is_text(data: bytes) -> bool:
    """Return whether a file is a text, not a PDF; refuse any other."""
    is_pdf = data.startswith(PDF)
    limit = MAX_PDF_BYTES if is_pdf else MAX_TEXT_BYTES
    if len(data) > limit:
        text = _("It is larger than {n} kB: a text may have {text}, a PDF {pdf}.")
        sizes = {"n": limit // 1000, "text": MAX_TEXT_BYTES // 1000, "pdf": MAX_PDF_BYTES // 1000}
        raise StatementRefused(text.format(**sizes))
    if is_pdf:
        return False
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        reason = _("It is neither a PDF nor a text in UTF-8: save it as one of these.")
        raise StatementRefused(reason) from error
    if "\0" in text or not text.strip():
        raise StatementRefused(_("There is no text in it."))
    return True
