"""Results of a report besides its pairs: best matches, identical files, common code, effect of exclusions."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from fingerprint import engine
from submissions.models.records import BestMatch, ExclusionEffect, Findings, MovedPair
from submissions.ranking.common_code import common_passages

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from fingerprint.engine import Ranking, ScorePairs
    from fingerprint.types import Flags, Floats
    from submissions.ranking.load import LoadedCohort

# Number of pairs that a report lists as most changed by exclusions.
MAX_MOVED = 10
# A smaller change of similarity or share, half a percentage point, is not listed.
MIN_CHANGE = 0.005


def collect_findings(
    cohort: LoadedCohort, ranking: Ranking, listed: int, before: Callable[[], Ranking]
) -> Findings:
    """Return the findings of a ranking; `listed` is the number of pairs that the report stores.

    `before` ranks the cohort without exclusions; it is called where there are any.
    """
    not_compared = cohort.mates.not_compared(cohort.submissions)
    uploaded_earlier = not_compared.earlier - sum(map(cohort.is_old, range(len(cohort.submissions))))
    return Findings(
        best=best_matches(cohort, ranking),
        scored=len(ranking.scores.similarity),
        listed=listed,
        identical=identical_files(cohort),
        common=common_passages(cohort),
        effect=exclusion_effect(cohort, ranking, before),
        not_compared=not_compared.model_copy(update={"earlier": uploaded_earlier}),
        compared=cohort.old_work.compared,
        archive=cohort.old_work.archive,
    )


def best_matches(cohort: LoadedCohort, ranking: Ranking) -> list[BestMatch]:
    """Return the best match of every submission, in cohort order."""
    ids = [submission.pk for submission in cohort.submissions]
    match, similarity = np.full(len(ids), -1), np.zeros(len(ids))
    positive = ranking.scores.similarity > 0
    left, right = ranking.pairs.left[positive], ranking.pairs.right[positive]
    # Assigned from the last pair to the first, so that the best pair of each submission overwrites others.
    own, other = (
        np.stack((left, right), axis=1).ravel()[::-1],
        np.stack((right, left), axis=1).ravel()[::-1],
    )
    match[own] = other
    similarity[own] = np.repeat(ranking.scores.similarity[positive], 2)[::-1]
    return [
        BestMatch(submission=pk, match=ids[index] if index >= 0 else None, similarity=value)
        for number, (pk, index, value) in enumerate(
            zip(ids, match.tolist(), similarity.tolist(), strict=True)
        )
        if not cohort.is_unlisted(number)
    ]


def identical_files(cohort: LoadedCohort) -> list[list[int]]:
    """Return groups of submissions, by primary key, whose files have the same bytes; names may differ.

    A group of one student or of one team is left out.
    """
    sources: dict[int, list[int]] = defaultdict(list)
    for file, content in zip(cohort.files, cohort.contents, strict=True):
        if not cohort.is_unlisted(content.submission):
            sources[content.submission].append(file.source_id)
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for index, source_ids in sources.items():
        groups[tuple(sorted(source_ids))].append(index)
    return [
        [cohort.submissions[index].pk for index in group]
        for group in groups.values()
        if len(group) > 1 and not cohort.mates.is_one_group(group)
    ]


def rank_without_exclusions(
    cohort: LoadedCohort, ranking: Ranking, score_pairs: ScorePairs = engine.score
) -> Ranking:
    """Return what the ranking of a cohort would be if nothing were boilerplate or common code."""
    if not cohort.is_ranked_twice:
        scores = ranking.scores
        left, right = scores.left_with_common, scores.right_with_common
        return ranking._replace(scores=scores._replace(left_share=left, right_share=right))
    return engine.rank(cohort.without_exclusions(), len(cohort.submissions) ** 2, score_pairs=score_pairs)


def exclusion_effect(
    cohort: LoadedCohort, ranking: Ranking, before_exclusions: Callable[[], Ranking]
) -> ExclusionEffect:
    """Measure the effect of boilerplate and common code; `before_exclusions` ranks without them."""
    tokens = cohort.inputs.cohort.tokens
    boilerplate, ignored = int(tokens.boilerplate.sum()), int(tokens.ignored.sum())
    effect = ExclusionEffect(
        tokens=len(tokens.kinds) - len(cohort.files), boilerplate=boilerplate, common=ignored - boilerplate
    )
    if not ignored:
        return effect
    before = before_exclusions()
    above, above_before = (
        int((result.scores.similarity >= ranking.threshold.value).sum()) for result in (ranking, before)
    )
    moved = _moved_pairs(cohort, ranking, before)
    return effect.model_copy(update={"above": above, "above_before": above_before, "moved": moved})


def _moved_pairs(cohort: LoadedCohort, ranking: Ranking, before: Ranking) -> list[MovedPair]:
    """Return the pairs whose similarity changed most; among equal changes, those whose larger share did."""
    rows, known = _matching_rows(before, ranking, len(cohort.submissions))
    # A pair that exclusions removed from the candidates shares almost nothing.
    old, new = _figures(before), np.where(known[:, None], _figures(ranking)[rows], 0.0)
    similarity_change, share_change = np.abs(old - new).T
    order = np.lexsort((-share_change, -similarity_change.round(9)))
    order = np.fromiter(islice((row for row in order if _is_listed(cohort, before, row)), MAX_MOVED), np.intp)
    sides = ((int(before.pairs.left[row]), int(before.pairs.right[row])) for row in order.tolist())
    by_name = [pair if cohort.by_name(*pair) else pair[::-1] for pair in sides]
    return [
        MovedPair(
            left=cohort.submissions[left].pk,
            right=cohort.submissions[right].pk,
            similarity=new[row, 0],
            similarity_before=old[row, 0],
            share=new[row, 1],
            share_before=old[row, 1],
        )
        for row, (left, right) in zip(order.tolist(), by_name, strict=True)
        if max(similarity_change[row], share_change[row]) >= MIN_CHANGE
    ]


def _is_listed(cohort: LoadedCohort, ranking: Ranking, row: int) -> bool:
    """Return whether the report has both submissions of a pair; a row of no pair has none."""
    sides = (int(side[row]) for side in ranking.pairs[:2] if len(side))
    return not any(map(cohort.is_unlisted, sides))


def _figures(ranking: Ranking) -> Floats:
    """Return the similarity and larger share of n pairs as [n, 2]; one row of zeros if there are none."""
    scores = ranking.scores
    figures = np.stack((scores.similarity, np.maximum(scores.left_share, scores.right_share)), axis=1)
    return figures if len(figures) else np.zeros((1, 2))


def _matching_rows(pairs: Ranking, ranking: Ranking, count: int) -> tuple[npt.NDArray[np.intp], Flags]:
    """Return for every pair of `pairs` its row in `ranking`, or 0, and whether it has one.

    `count` is the number of submissions.
    """
    keys, known_keys = (
        result.pairs.left.astype(np.int64) * count + result.pairs.right for result in (pairs, ranking)
    )
    order = np.argsort(known_keys)
    ranks = np.searchsorted(known_keys, keys, sorter=order)
    ranks[ranks == len(order)] = 0
    rows = order[ranks] if len(order) else np.zeros(len(keys), dtype=np.intp)
    known = known_keys[rows] == keys if len(order) else np.zeros(len(keys), dtype=np.bool_)
    return rows, known
