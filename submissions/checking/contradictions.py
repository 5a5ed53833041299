"""All checks of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from submissions.checking import decisions, findings, pairs
from submissions.checking.facts import Facts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from submissions.models import Report

CHECKS = (
    pairs.sides,
    pairs.evidence,
    pairs.passages,
    pairs.figures,
    findings.counts,
    findings.best_matches,
    findings.cases,
    findings.identical,
    findings.identical_pairs,
    decisions.shown_decisions,
    decisions.cases_by_hand,
    decisions.statements,
)


def contradictions(report: Report) -> Iterator[str]:
    """Yield in a sentence each what a finished report states against its own sources and decisions."""
    facts = Facts(report)
    for check in CHECKS:
        yield from check(facts)
