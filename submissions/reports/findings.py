"""Results of a report besides its pairs: best matches, copies, cases, common code, effect of exclusions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint import engine
from fingerprint.engine import CandidatePairs, Ranking, RankingInput
from submissions.core.models import BestMatch, CommonPassage, ExclusionEffect, Findings, MovedPair, SharedCommon
from submissions.core.submitters import are_mates, compared_mates
from submissions.matches.groups import connected_components

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.engine import CommonRun, ScorePairs, Scores, SharedLines
    from fingerprint.kernels.types import Flags, Floats
    from submissions.models import Assignment
    from submissions.reports.cohort import LoadedCohort

# Number of pairs that a report lists as most changed by exclusions, among the best so many with exclusions
# and the best so many without.
MAX_MOVED, LEADING = 10, 5_000
# A smaller change of similarity or share, half a percentage point, is not listed.
MIN_CHANGE = 0.005


class RankedInput(NamedTuple):
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
    boilerplate, ignored = (int(tokens.boilerplate[class_tokens].sum()), int(tokens.ignored[class_tokens].sum()))
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
    keys: npt.NDArray[np.int64] = pairs.left.astype(np.int64) << 32 | pairs.right
    return keys


def collect_findings(
    cohort: LoadedCohort, ranking: Ranking, stored: Ranking, before: Callable[[], RankedInput]
) -> Findings:
    """Return the findings of a ranking; `stored` are the pairs that the report stores.

    `before` ranks the cohort without exclusions; it is called where there are any.
    """
    not_compared = cohort.mates.not_compared(cohort.submissions)
    code = engine.common_code(cohort.inputs.cohort, cohort.class_tokens, cohort.class_size)
    uploaded_earlier = not_compared.earlier - len(cohort.old_work.submissions) - len(cohort.models)
    return Findings(
        best=best_matches(cohort, ranking),
        scored=ranking.candidates + _old_pairs(cohort, stored),
        listed=len(stored.units),
        common=common_passages(cohort, code.runs),
        shared=_shared_common(cohort, code.shared),
        effect=exclusion_effect(cohort, ranking, before),
        not_compared=not_compared.model_copy(update={"earlier": uploaded_earlier, "models": len(cohort.models)}),
        compared=cohort.old_work.compared,
        archive=cohort.old_work.archive,
    )


def _old_pairs(cohort: LoadedCohort, stored: Ranking) -> int:
    """Return the number of stored pairs with a submission that is not of the class."""
    return int((cohort.old[stored.pairs.left] | cohort.old[stored.pairs.right]).sum())


def best_matches(cohort: LoadedCohort, ranking: Ranking) -> list[BestMatch]:
    """Return the best match of every submission, in cohort order."""
    ids = [submission.pk for submission in cohort.submissions]
    match, similarity = np.full(len(ids), -1), np.zeros(len(ids))
    positive = ranking.scores.similarity > 0
    left, right = ranking.pairs.left[positive], ranking.pairs.right[positive]
    # Assigned from the last pair to the first, so that the best pair of each submission overwrites others.
    one, other = (np.stack((left, right), axis=1).ravel()[::-1], np.stack((right, left), axis=1).ravel()[::-1])
    match[one] = other
    similarity[one] = np.repeat(ranking.scores.similarity[positive], 2)[::-1]
    return [
        BestMatch(submission=pk, match=ids[index] if index >= 0 else None, similarity=value)
        for number, (pk, index, value) in enumerate(zip(ids, match.tolist(), similarity.tolist(), strict=True))
        if not cohort.is_unlisted(number)
    ]


class RankedCases(NamedTuple):
    """Number of pairs at or above the threshold, and the cases, by primary keys, the strongest first."""

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
    """Return whether a pair is in the report, of two students, and both sides were handed in."""
    left, right = int(ranking.pairs.left[row]), int(ranking.pairs.right[row])
    unlisted = cohort.is_unlisted(left) or cohort.is_unlisted(right)
    return not unlisted and cohort.can_make_case(left, right)


def common_passages(loaded: LoadedCohort, runs: Iterable[CommonRun]) -> list[CommonPassage]:
    """Return runs of common code as passages of the documents that they are shown in."""
    starts = loaded.inputs.cohort.file_starts
    passages = []
    for run in runs:
        file = int(np.searchsorted(starts, run.first, side="right")) - 1
        start, document = int(starts[file]), loaded.files[file].document_id
        first, after = run.first - start, run.after - start
        passages.append(CommonPassage(document=document, first=first, after=after, submissions=len(run.submissions)))
    return passages


def _shared_common(loaded: LoadedCohort, shared: SharedLines | None) -> SharedCommon | None:
    if shared is None:
        return None
    passages = common_passages(loaded, shared.runs)
    figures = {"submissions": shared.submissions, "all": loaded.class_size, "lines": shared.lines}
    return SharedCommon(**figures, passages=passages)
