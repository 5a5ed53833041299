"""Rank the pairs of a cohort, and find the passages of one pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.index import CandidatePairs, InvertedIndex
from fingerprint.ranking.candidates import FLOOR, weighted_pairs
from fingerprint.ranking.parallel import never_end
from fingerprint.ranking.passages import Passage
from fingerprint.ranking.scoring import Scores, score
from fingerprint.ranking.threshold import SAMPLE_SIZE, SuggestedThreshold, sample_rows, suggest_threshold
from fingerprint.ranking.tiling import passages
from fingerprint.ranking.upper_bounds import best_pairs

if TYPE_CHECKING:
    from fingerprint.ranking.cohort import Cohort
    from fingerprint.ranking.inputs import RankingInput
    from fingerprint.ranking.parallel import Check


class Ranking(NamedTuple):
    """Pairs with their scores, best first, and the threshold suggested from the scores of all pairs."""

    pairs: CandidatePairs
    scores: Scores
    threshold: SuggestedThreshold


def candidate_pairs(inputs: RankingInput, floor: float = FLOOR) -> CandidatePairs:
    """Return the pairs of submissions that share at least `floor` of their fingerprints by weight.

    Fingerprints of boilerplate do not count. Submissions with a group in common are no pair.
    """
    counted = ~np.isin(inputs.hashes, inputs.cohort.boilerplate)
    index = InvertedIndex.build(inputs.hashes[counted], inputs.owners[counted])
    return weighted_pairs(index, floor, inputs.groups)


def rank(inputs: RankingInput, show: int | None = None, check: Check = never_end) -> Ranking:
    """Score the candidate pairs of a cohort and return the best `show`; ties are in cohort order.

    With None, return all pairs that share a fingerprint, without a minimum weight. Of more than `SAMPLE_SIZE`
    candidate pairs, score only those that may be among the best, and a sample for the threshold. `check` is
    called every few tenths of a second; when it raises, the ranking ends.
    """
    cohort, lexical = inputs.cohort, inputs.lexical
    pairs = candidate_pairs(inputs, 0.0 if show is None else FLOOR)
    count = len(pairs.left)
    if show is None or count <= max(show, SAMPLE_SIZE):
        scores = score(cohort, lexical, pairs, check)
        sampled = scores.similarity
    else:
        sampled = score(cohort, lexical, pairs.take(sample_rows(count)), check).similarity
        rows, scores = best_pairs(cohort, lexical, pairs, max(show, 1), check)
        pairs = pairs.take(rows)
    order = np.lexsort((pairs.right, pairs.left, -scores.tokens, -scores.similarity))[:show]
    return Ranking(pairs.take(order), scores.take(order), suggest_threshold(sampled, count))


def find_passages(cohort: Cohort, left: int, right: int) -> list[Passage]:
    """Return the passages of two submissions of the cohort, longest first."""
    rows = passages(cohort.submission(left), cohort.submission(right), cohort.k)
    return [
        Passage(
            *cohort.locate(left, a),
            *cohort.locate(right, b),
            length,
            cohort.passage_frequency(left, a, length),
        )
        for a, b, length in rows.tolist()
    ]
