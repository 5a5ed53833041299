"""Check the decision that each pair of a report shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from submissions.checking.facts import title
from submissions.models import Decision
from submissions.queries.reports import PairFilter, ranked_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from submissions.checking.facts import Facts
    from submissions.models import Pair

UNDECIDED = Decision.State.UNDECIDED.value


def shown_decisions(facts: Facts) -> Iterator[str]:
    """Check that a pair shows its own decision, or else that on the case of both, or else none."""
    state_by_pair = {pair.pk: pair.decision for pair in ranked_pairs(facts.report, PairFilter())}
    for pair in facts.pairs:
        if pair.pk in state_by_pair and state_by_pair[pair.pk] not in (on_record := _on_record(facts, pair)):
            yield f"{title(pair)}: shown as {state_by_pair[pair.pk]}, and {' or '.join(on_record)} on record"


def _on_record(facts: Facts, pair: Pair) -> set[str]:
    names = pair.left.name, pair.right.name
    own = facts.decisions.get(names, UNDECIDED)
    if own != UNDECIDED:
        return {own}
    return {
        case.state
        for case in facts.case_decisions
        if case.names.issuperset(names) and case.threshold <= pair.similarity
    } or {UNDECIDED}
