"""Check the decision that each pair of a report shows, and the cases that decisions make."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from submissions.cases.read import report_cases, suspicions
from submissions.core.names import Names
from submissions.models import Decision, Pair, Submission
from submissions.reports.read import PairFilter, ranked_pairs
from tests.support.checking.facts import Facts, title

UNDECIDED = Decision.State.UNDECIDED.value


def shown_decisions(facts: Facts) -> Iterator[str]:
    """Check that a pair shows its own decision, or else that on the case of both, or else none."""
    state_by_pair = {pair.pk: pair.decision for pair in ranked_pairs(facts.report, PairFilter())}
    for pair in facts.pairs:
        if pair.pk in state_by_pair and state_by_pair[pair.pk] not in (on_record := _on_record(facts, pair)):
            yield f"{title(pair)}: shown as {state_by_pair[pair.pk]}, and {' or '.join(on_record)} on record"


def cases_by_hand(facts: Facts) -> Iterator[str]:
    """Check that every suspected pair of two ranked submissions that is not listed is a case of its own."""
    listed = {(pair.left.name, pair.right.name) for pair in facts.pairs}
    ranked = {one.name for one in facts.submissions.values()}
    counted = {
        names
        for names, state in facts.decisions.items()
        if state in {"suspicious", "confirmed"} and ranked.issuperset(names) and names not in listed
    }
    case_count = len(report_cases(facts.report))
    case_by_sides = {
        (one.decision.left, one.decision.right): one for one in suspicions(facts.report, Names(), case_count)
    }
    for left, right in sorted(case_by_sides.keys() ^ counted):
        where = "shown" if (left, right) in case_by_sides else "found by counting"
        yield f"the case by hand of {left} and {right} is {where} only"
    numbers = sorted(one.number for one in case_by_sides.values())
    if numbers != [*range(case_count + 1, case_count + 1 + len(case_by_sides))]:
        yield f"cases by hand have the numbers {numbers}, after {case_count} other cases"
    for case in case_by_sides.values():
        if {case.left.name, case.right.name} != {case.decision.left, case.decision.right}:
            yield f"case {case.number}: its members are not those of its decision"


def statements(facts: Facts) -> Iterator[str]:
    """Check that statements on file are as they were added: their size, and their SHA-256."""
    for one in facts.report.assignment.statements.all():
        data = bytes(one.data)
        if (len(data), hashlib.sha256(data).hexdigest()) != (one.size, one.sha256):
            yield f"statement {one.pk} of {one.name}: its bytes are not those that were added"


def commits(facts: Facts) -> Iterator[str]:
    """Check that the first commit is not after the last, and that copies have the commits of their origin."""
    for one in facts.submissions.values():
        if (times := one.commits) and not (times.first <= times.last and times.number >= 1):
            yield f"{one.name}: {times.number} commits from {times.first_time} to {times.last_time}"
    origins = Submission.objects.in_bulk([pk for one in facts.submissions.values() if (pk := one.origin_id)])
    for one in facts.submissions.values():
        if one.origin_id in origins and origins[one.origin_id].commits != one.commits:
            yield f"{one.name}: its commits are not those of the submission that it is a copy of"


def _on_record(facts: Facts, pair: Pair) -> set[str]:
    names = pair.left.name, pair.right.name
    decision = facts.decisions.get(names, UNDECIDED)
    if decision != UNDECIDED:
        return {decision}
    return {
        case.state
        for case in facts.case_decisions
        if case.names.issuperset(names) and case.threshold <= pair.similarity
    } or {UNDECIDED}
