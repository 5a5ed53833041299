"""What a report keeps beside its pairs: best matches, common code, and what leaving code out changed."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from fingerprint import engine
from submissions.models.records import BestMatch, ExclusionEffect, Findings, MovedPair
from submissions.ranking.common_code import common_passages

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.engine import Ranking
    from fingerprint.types import Flags, Floats
    from submissions.ranking.load import LoadedCohort

# Pairs that a report names to show what leaving code out does.
NAMED_PAIRS = 10
# A change of less than half a percent is not shown.
LEAST_CHANGE = 0.005


def findings(cohort: LoadedCohort, ranking: Ranking, listed: int) -> Findings:
    """Summarise a ranking of which the report lists the best `listed` pairs."""
    return Findings(
        best=best_matches(cohort, ranking),
        scored=len(ranking.scores.similarity),
        listed=listed,
        identical=identical_files(cohort),
        common=common_passages(cohort),
        effect=exclusion_effect(cohort, ranking),
    )


def best_matches(cohort: LoadedCohort, ranking: Ranking) -> list[BestMatch]:
    """Return the best match of every submission, in cohort order."""
    ids = [submission.pk for submission in cohort.submissions]
    match, similarity = np.full(len(ids), -1), np.zeros(len(ids))
    alike = ranking.scores.similarity > 0
    left, right = ranking.pairs.left[alike], ranking.pairs.right[alike]
    # Pairs are assigned from the last to the first, so that the best of each submission stays.
    own, other = (
        np.stack((left, right), axis=1).ravel()[::-1],
        np.stack((right, left), axis=1).ravel()[::-1],
    )
    match[own] = other
    similarity[own] = np.repeat(ranking.scores.similarity[alike], 2)[::-1]
    return [
        BestMatch(submission=pk, match=ids[at] if at >= 0 else None, similarity=value)
        for pk, at, value in zip(ids, match.tolist(), similarity.tolist(), strict=True)
    ]


def identical_files(cohort: LoadedCohort) -> list[list[int]]:
    """Return groups of submissions, by id, whose files have the same bytes, whatever they are called."""
    sources: dict[int, list[int]] = defaultdict(list)
    for file, content in zip(cohort.files, cohort.contents, strict=True):
        sources[content.submission].append(file.source_id)
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for at, own in sources.items():
        groups[tuple(sorted(own))].append(cohort.submissions[at].pk)
    return [group for group in groups.values() if len(group) > 1]


def exclusion_effect(cohort: LoadedCohort, ranking: Ranking) -> ExclusionEffect:
    """Measure what boilerplate and common code take away, by ranking the cohort with nothing left out too."""
    side = cohort.inputs.cohort.side
    boilerplate, ignored = int(side.boilerplate.sum()), int(side.ignored.sum())
    effect = ExclusionEffect(
        tokens=len(side.kinds) - len(cohort.files), boilerplate=boilerplate, common=ignored - boilerplate
    )
    if not ignored:
        return effect
    before = engine.rank(cohort.without_exclusions(), show=len(cohort.submissions) ** 2)
    above, above_before = (
        int((each.scores.similarity >= ranking.threshold.value).sum()) for each in (ranking, before)
    )
    moved = _moved_pairs(cohort, ranking, before)
    return effect.model_copy(update={"above": above, "above_before": above_before, "moved": moved})


def _moved_pairs(cohort: LoadedCohort, ranking: Ranking, before: Ranking) -> list[MovedPair]:
    """Return the pairs that moved most by similarity, and where that stayed, by the larger share."""
    rows, known = _rows_of(before, ranking, len(cohort.submissions))
    # A pair that is no candidate any more shares next to nothing.
    then, now = _figures(before), np.where(known[:, None], _figures(ranking)[rows], 0.0)
    by_similarity, by_share = np.abs(then - now).T
    order = np.lexsort((-by_share, -by_similarity.round(9)))[:NAMED_PAIRS]
    ids = [submission.pk for submission in cohort.submissions]
    return [
        MovedPair(
            left=ids[before.pairs.left[at]],
            right=ids[before.pairs.right[at]],
            similarity=now[at, 0],
            similarity_before=then[at, 0],
            share=now[at, 1],
            share_before=then[at, 1],
        )
        for at in order.tolist()
        if max(by_similarity[at], by_share[at]) >= LEAST_CHANGE
    ]


def _figures(ranking: Ranking) -> Floats:
    """Return similarity and larger share of every pair, [n, 2]; one row of zeros for an empty ranking."""
    scores = ranking.scores
    figures = np.stack((scores.similarity, np.maximum(scores.left_share, scores.right_share)), axis=1)
    return figures if len(figures) else np.zeros((1, 2))


def _rows_of(wanted: Ranking, ranking: Ranking, count: int) -> tuple[npt.NDArray[np.intp], Flags]:
    """Return the row in `ranking` of every pair of `wanted`, 0 where it has none, and whether it has one."""
    keys, known_keys = (
        each.pairs.left.astype(np.int64) * count + each.pairs.right for each in (wanted, ranking)
    )
    order = np.argsort(known_keys)
    at = np.searchsorted(known_keys, keys, sorter=order)
    at[at == len(order)] = 0
    rows = order[at] if len(order) else np.zeros(len(keys), dtype=np.intp)
    known = known_keys[rows] == keys if len(order) else np.zeros(len(keys), dtype=np.bool_)
    return rows, known
