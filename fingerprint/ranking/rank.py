"""Rank the pairs of a cohort, and draw the passages of one pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.index import Candidates, InvertedIndex
from fingerprint.ranking.candidates import FLOOR, weighted_pairs
from fingerprint.ranking.passages import Passage
from fingerprint.ranking.scoring import Scores, score
from fingerprint.ranking.threshold import SAMPLE, Suggestion, sample, suggest
from fingerprint.ranking.tiling import passages
from fingerprint.ranking.upper_bounds import leading

if TYPE_CHECKING:
    from fingerprint.ranking.cohort import Cohort
    from fingerprint.ranking.inputs import RankingInput


class Ranking(NamedTuple):
    """Pairs with their scores, best first, and the suggested threshold, estimated from all scored pairs."""

    pairs: Candidates
    scores: Scores
    threshold: Suggestion


def candidates(inputs: RankingInput, floor: float = FLOOR) -> Candidates:
    """Return the pairs of submissions that share at least `floor` of their fingerprints by weight.

    Fingerprints of boilerplate do not count.
    """
    counted = ~np.isin(inputs.hashes, inputs.cohort.boilerplate)
    return weighted_pairs(InvertedIndex.build(inputs.hashes[counted], inputs.owners[counted]), floor)


def rank(inputs: RankingInput, show: int | None = None) -> Ranking:
    """Score the candidate pairs of a cohort and return the best `show`, ties in cohort order.

    With None, return all that share a fingerprint, however little it weighs. Of more than `SAMPLE` candidate
    pairs, only those that may be among the best are scored, and a sample for the threshold.
    """
    cohort, lexical = inputs.cohort, inputs.lexical
    pairs = candidates(inputs, 0.0 if show is None else FLOOR)
    count = len(pairs.left)
    if show is None or count <= max(show, SAMPLE):
        scores = score(cohort, lexical, pairs)
        sampled = scores.similarity
    else:
        sampled = score(cohort, lexical, pairs.take(sample(count))).similarity
        rows, scores = leading(cohort, lexical, pairs, max(show, 1))
        pairs = pairs.take(rows)
    order = np.lexsort((pairs.right, pairs.left, -scores.tokens, -scores.similarity))[:show]
    return Ranking(pairs.take(order), scores.take(order), suggest(sampled, count))


def draw(cohort: Cohort, left: int, right: int) -> list[Passage]:
    """Return the passages of two submissions of the cohort, longest first."""
    rows = passages(cohort.submission(left), cohort.submission(right), cohort.k)
    return [
        Passage(*cohort.locate(left, a), *cohort.locate(right, b), length, cohort.spread(left, a, length))
        for a, b, length in rows.tolist()
    ]
