"""The rank of a submission in its cohort, and its pairs and decisions from its side."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from submissions.models import Decision, Pair, Report, Submission
    from submissions.pages.report.charts import Histogram


class SubmissionMatch(NamedTuple):
    """A pair from the side of one of its submissions: the other one, its own share and the other's share.

    Both shares also with common code.
    """

    pair: Pair
    other: Submission
    share: float
    other_share: float
    with_common: float
    other_with_common: float


def submission_matches(submission: Submission, pairs: Iterable[Pair]) -> list[SubmissionMatch]:
    return [_match(pair, is_left=pair.left_id == submission.pk) for pair in pairs]


def _match(pair: Pair, *, is_left: bool) -> SubmissionMatch:
    left = pair.left_share, pair.left_with_common
    right = pair.right_share, pair.right_with_common
    (share, with_common), (other_share, other_with_common) = (left, right) if is_left else (right, left)
    other = pair.right if is_left else pair.left
    return SubmissionMatch(pair, other, share, other_share, with_common, other_with_common)


class SubmissionDecision(NamedTuple):
    """The decision on a pair from the side of one of its submissions.

    `other` is the name of the other submission, `pk` its id, or None if the report does not rank it.
    """

    other: str
    pk: int | None
    decision: Decision


def decision_rows(
    submission: Submission, decisions: Mapping[tuple[str, str], Decision], ids: Mapping[str, int]
) -> list[SubmissionDecision]:
    """Return the decisions on pairs of `submission`, newest first.

    `decisions` are by the names of the pair, and `ids` are the ids of the names that the report ranks.
    """
    others = {
        left if right == submission.name else right: decision for (left, right), decision in decisions.items()
    }
    rows = [SubmissionDecision(other, ids.get(other), decision) for other, decision in others.items()]
    return sorted(rows, key=lambda row: row.decision.updated, reverse=True)


class SubmissionRank(NamedTuple):
    """The rank of a submission's best match among those of its cohort.

    Rank 1 is the highest similarity; `ties` other submissions have the same rank, `total` counts the whole
    cohort, and `lower_share` is the share of the other submissions whose best match is lower, in [0, 1].
    """

    similarity: float
    match: int | None
    rank: int
    ties: int
    total: int
    lower_share: float


def submission_rank(report: Report, cohort: Histogram, submission: Submission) -> SubmissionRank | None:
    """Return the rank of a submission, from the best matches of its report; None if it was not ranked."""
    best = report.findings.best if report.findings else []
    nearest = next((match for match in best if match.submission == submission.pk), None)
    if nearest is None:
        return None
    total = len(cohort.values)
    lower, up_to = (
        bisect_left(cohort.values, nearest.similarity),
        bisect_right(cohort.values, nearest.similarity),
    )
    return SubmissionRank(
        nearest.similarity,
        nearest.match,
        rank=total - up_to + 1,
        ties=up_to - lower - 1,
        total=total,
        lower_share=lower / (total - 1) if total > 1 else 0.0,
    )
