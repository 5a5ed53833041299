"""Decisions on cases: which decision holds for a case, also after a new ranking changed its members."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from submissions.models import CaseChange, CaseDecision, CaseMember, Decision

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from submissions.models import Assignment


class DecidedCase(NamedTuple):
    """The decision on a case.

    `decision` was made on an earlier case that had all members of this case; without such a case, it is
    unsaved and undecided. Then `former` has the decisions on earlier cases that had some of the members, and
    `joined` the names of the members that were in none of these cases.
    """

    decision: CaseDecision
    former: list[CaseDecision]
    joined: list[str]


def case_decisions(assignment: Assignment) -> dict[str, CaseDecision]:
    """Return the decisions on cases by the names of their members."""
    members = CaseMember.objects.filter(assignment=assignment).select_related("decision__assignee")
    return {member.name: member.decision for member in members}


def decided_case(names: Collection[str], by_name: Mapping[str, CaseDecision]) -> DecidedCase:
    """Return the decision on the case of these names; `by_name` are all decisions of the assignment."""
    counts = Counter(by_name[name] for name in names if name in by_name)
    former = [decision for decision, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0].pk))]
    if former and counts[former[0]] == len(names):
        return DecidedCase(former[0], [], [])
    undecided = CaseDecision(
        state=Decision.State.UNDECIDED,
        assignee=former[0].assignee if former else None,
        notes="\n\n".join(decision.notes for decision in former if decision.notes),
    )
    joined = sorted(name for name in names if name not in by_name) if former else []
    return DecidedCase(undecided, former, joined)


def case_history(case: DecidedCase) -> list[CaseChange]:
    """Return the changes of all decisions of a case, newest first."""
    saved = [decision.pk for decision in (case.decision, *case.former) if decision.pk]
    return list(CaseChange.objects.filter(decision__in=saved)) if saved else []


def followed_decision(
    by_name: Mapping[str, CaseDecision], pair: tuple[str, str], similarity: float
) -> CaseDecision | None:
    """Return the decision on a case that a pair of names follows if it was not decided itself, or None."""
    left, right = (by_name.get(name) for name in pair)
    follows = left is not None and left == right and similarity >= left.threshold
    return left if follows else None
