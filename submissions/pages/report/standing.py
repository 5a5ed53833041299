"""How one submission stands in its cohort, and its pairs as seen from it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from submissions.models import Decision, Pair, Report, Submission
    from submissions.pages.report.charts import Histogram


class Match(NamedTuple):
    """A pair from one submission's side: how much of it the other has, and how much of the other it has."""

    pair: Pair
    other: Submission
    share: float
    other_share: float


def matches(of: Submission, pairs: Iterable[Pair]) -> list[Match]:
    return [
        Match(pair, pair.right, pair.left_share, pair.right_share)
        if pair.left_id == of.pk
        else Match(pair, pair.left, pair.right_share, pair.left_share)
        for pair in pairs
    ]


class Verdict(NamedTuple):
    """What was decided of this submission and another; `pk` is None where the report does not rank that."""

    other: str
    pk: int | None
    decision: Decision


def verdicts(
    of: Submission, decided: Mapping[tuple[str, str], Decision], cohort: Mapping[str, int]
) -> list[Verdict]:
    """Give `decided` as seen from `of`, newest first; `cohort` has the ids of a report's names."""
    others = {left if right == of.name else right: made for (left, right), made in decided.items()}
    made = [Verdict(other, cohort.get(other), one) for other, one in others.items()]
    return sorted(made, key=lambda one: one.decision.updated, reverse=True)


class Standing(NamedTuple):
    """Where a best match stands among everybody's: `rank` 1 is the highest, `level` others have the same."""

    value: float
    match: int | None
    rank: int
    level: int
    total: int
    # Of the others, those with a lower best match.
    lower: float


def standing(report: Report, cohort: Histogram, of: Submission) -> Standing | None:
    """Tell it from what the report keeps; None for a submission that it did not rank."""
    best = report.findings.best if report.findings else []
    own = next((match for match in best if match.submission == of.pk), None)
    if own is None:
        return None
    match, value = own.match, own.similarity
    total = len(cohort.values)
    lower, up_to = bisect_left(cohort.values, value), bisect_right(cohort.values, value)
    return Standing(
        value, match, total - up_to + 1, up_to - lower - 1, total, lower / (total - 1) if total > 1 else 0.0
    )
