"""Cases of a ranking: submissions that pairs at or above the threshold connect."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from submissions.comparison.components import connected_components
from submissions.mates import are_mates, compared_mates

if TYPE_CHECKING:
    from fingerprint.engine import Ranking
    from submissions.models import Assignment
    from submissions.ranking.load import LoadedCohort


class RankedCases(NamedTuple):
    """Number of pairs at or above the threshold, and the cases, by primary keys, the largest first."""

    above: int
    cases: list[list[int]]


def find_cases(assignment: Assignment, cohort: LoadedCohort, ranking: Ranking) -> RankedCases:
    """Return the cases of all scored pairs; pairs of one student or one team connect nothing."""
    above = np.flatnonzero(ranking.scores.similarity >= ranking.threshold.value)
    rows = np.array([row for row in above.tolist() if _connects(cohort, ranking, row)], dtype=np.intp)
    ids = np.array([submission.pk for submission in cohort.submissions], dtype=np.int64)
    left, right = (ids[side[rows]].tolist() for side in (ranking.pairs.left, ranking.pairs.right))
    pairs = list(zip(left, right, strict=True))
    if keys := compared_mates(assignment, ids.tolist()):
        pairs = [pair for pair in pairs if not are_mates(keys, *pair)]
    return RankedCases(len(pairs), connected_components(pairs))


def _connects(cohort: LoadedCohort, ranking: Ranking, row: int) -> bool:
    """Return whether a pair is in the report, and not of a student and the same student's earlier work."""
    left, right = int(ranking.pairs.left[row]), int(ranking.pairs.right[row])
    unlisted = cohort.is_unlisted(left) or cohort.is_unlisted(right)
    return not unlisted and not cohort.is_same_student(left, right)
