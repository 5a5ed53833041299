"""The effect of excluding boilerplate and common code on pairs above the threshold and on single pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint import engine
from fingerprint.engine import CandidatePairs, Ranking, RankingInput
from submissions.models.records import ExclusionEffect, MovedPair

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt

    from fingerprint.engine import ScorePairs, Scores
    from fingerprint.kernels.types import Flags, Floats
    from submissions.ranking.load import LoadedCohort

# Number of pairs that a report lists as most changed by exclusions, among the best so many with exclusions
# and the best so many without.
MAX_MOVED, LEADING = 10, 5_000
# A smaller change of similarity or share, half a percentage point, is not listed.
MIN_CHANGE = 0.005


class RankedInput(NamedTuple):
    """An input of the engine and its ranking."""

    inputs: RankingInput
    ranking: Ranking


def rank_without_exclusions(
    cohort: LoadedCohort, ranking: Ranking, score_pairs: ScorePairs | None = None
) -> RankedInput:
    """Return what the ranking of a cohort would be if nothing were boilerplate or common code.

    `score_pairs` is as for `engine.rank_for_report`.
    """
    if not cohort.is_ranked_twice:
        scores = ranking.scores
        left, right = scores.left_with_common, scores.right_with_common
        scores = scores._replace(left_share=left, right_share=right)
        return RankedInput(cohort.inputs, ranking._replace(scores=scores))
    inputs, least = cohort.without_exclusions(), ranking.threshold.value
    return RankedInput(inputs, engine.rank_for_report(inputs, LEADING, least, score_pairs=score_pairs))


def exclusion_effect(
    cohort: LoadedCohort, ranking: Ranking, before_exclusions: Callable[[], RankedInput]
) -> ExclusionEffect:
    """Measure the effect of boilerplate and common code; `before_exclusions` ranks without them."""
    tokens, class_tokens = cohort.inputs.cohort.tokens, cohort.class_tokens
    boilerplate, ignored = (
        int(tokens.boilerplate[class_tokens].sum()),
        int(tokens.ignored[class_tokens].sum()),
    )
    files = sum(not cohort.old[content.submission] for content in cohort.contents)
    effect = ExclusionEffect(
        tokens=int(class_tokens.sum()) - files, boilerplate=boilerplate, common=ignored - boilerplate
    )
    if not ignored:
        return effect
    before, now = before_exclusions(), RankedInput(cohort.inputs, ranking)
    above, above_before = (
        _pairs_above(result.ranking, ranking.threshold.value, cohort.old) for result in (now, before)
    )
    moved = _most_moved(cohort, now, before)
    return effect.model_copy(update={"above": above, "above_before": above_before, "moved": moved})


def _pairs_above(ranking: Ranking, threshold: float, old: Flags) -> int:
    """Return the number of pairs of the class from a similarity on."""
    within_class = ~(old[ranking.pairs.left] | old[ranking.pairs.right])
    return int((within_class & (ranking.scores.similarity >= threshold)).sum())


def _most_moved(cohort: LoadedCohort, now: RankedInput, before: RankedInput) -> list[MovedPair]:
    """Return the pairs of the class that exclusions changed most, and as many with old submissions."""
    old = {one.pk for one, is_old in zip(cohort.submissions, cohort.old, strict=True) if is_old}
    room = {True: MAX_MOVED, False: MAX_MOVED}
    moved = []
    for pair in _moved_pairs(cohort, now, before):
        with_old = not old.isdisjoint((pair.left, pair.right))
        if room[with_old]:
            room[with_old] -= 1
            moved.append(pair)
        if not any(room.values()):
            break
    return moved


def _moved_pairs(cohort: LoadedCohort, now: RankedInput, before: RankedInput) -> Iterator[MovedPair]:
    """Yield the pairs whose similarity changed most; among equal changes, those whose larger share did."""
    pairs, translated = _leading_pairs(before.ranking, now.ranking)
    old, new = (_figures_of(result, pairs, translated) for result in (before, now))
    similarity_change, share_change = np.abs(old - new).T
    order = np.lexsort((-share_change, -similarity_change.round(9)))
    for row in order[np.maximum(similarity_change, share_change)[order] >= MIN_CHANGE].tolist():
        sides = int(pairs.left[row]), int(pairs.right[row])
        if any(map(cohort.is_unlisted, sides)):
            continue
        left, right = sides if cohort.by_name(*sides) else sides[::-1]
        yield MovedPair(
            left=cohort.submissions[left].pk,
            right=cohort.submissions[right].pk,
            similarity=new[row, 0],
            similarity_before=old[row, 0],
            share=new[row, 1],
            share_before=old[row, 1],
        )


def _leading_pairs(first: Ranking, second: Ranking) -> tuple[CandidatePairs, Flags]:
    """Return the best pairs of both rankings, each pair once, and which of them are translated."""
    leading = [ranking.take(np.arange(min(LEADING, len(ranking.units)))) for ranking in (first, second)]
    pairs = CandidatePairs(*map(np.concatenate, zip(*(one.pairs for one in leading), strict=True)))
    translated = np.concatenate([one.translated for one in leading])
    _, rows = np.unique(_keys(pairs), return_index=True)
    rows.sort()
    return pairs.take(rows), translated[rows]


def _figures_of(result: RankedInput, pairs: CandidatePairs, translated: Flags) -> Floats:
    """Return the similarity and larger share of pairs as [n, 2].

    Candidates that were not scored are scored. Pairs that are no candidates share almost nothing, and have
    zeros; so have translated ones that are too low to be listed.
    """
    inputs, ranking = result
    rows, known = _matching_rows(pairs, ranking.pairs)
    figures = np.zeros((len(known), 2))
    figures[known] = _figures(ranking.scores)[rows[known]]
    missing = np.flatnonzero(~known & ~translated)
    if len(missing):
        candidates = engine.scoring_jobs(inputs)[0].pairs
        missing = missing[_matching_rows(pairs.take(missing), candidates)[1]]
        figures[missing] = _figures(engine.score(inputs.cohort, inputs.lexical, pairs.take(missing)))
    return figures


def _figures(scores: Scores) -> Floats:
    return np.stack((scores.similarity, np.maximum(scores.left_share, scores.right_share)), axis=1)


def _matching_rows(pairs: CandidatePairs, ranked: CandidatePairs) -> tuple[npt.NDArray[np.intp], Flags]:
    """Return for every pair its row in `ranked`, or any other number, and whether it has one."""
    keys, ranked_keys = _keys(pairs), _keys(ranked)
    order = np.argsort(ranked_keys)
    places = np.searchsorted(ranked_keys, keys, sorter=order)
    known = np.isin(keys, ranked_keys)
    rows = np.zeros(len(keys), dtype=np.intp)
    rows[known] = order[places[known]]
    return rows, known


def _keys(pairs: CandidatePairs) -> npt.NDArray[np.int64]:
    """Return a number for each pair by which pairs are told apart."""
    keys: npt.NDArray[np.int64] = pairs.left.astype(np.int64) << 32 | pairs.right
    return keys
