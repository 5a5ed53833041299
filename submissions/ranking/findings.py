"""Results of a report besides its pairs: best matches, identical files, common code, effect of exclusions."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from submissions.models.records import BestMatch, Findings
from submissions.ranking.common_code import common_passages
from submissions.ranking.exclusions import exclusion_effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from fingerprint.engine import Ranking
    from submissions.ranking.exclusions import RankedInput
    from submissions.ranking.load import LoadedCohort


def collect_findings(
    cohort: LoadedCohort, ranking: Ranking, stored: Ranking, before: Callable[[], RankedInput]
) -> Findings:
    """Return the findings of a ranking; `stored` are the pairs that the report stores.

    `before` ranks the cohort without exclusions; it is called where there are any.
    """
    not_compared = cohort.mates.not_compared(cohort.submissions)
    uploaded_earlier = not_compared.earlier - sum(map(cohort.is_old, range(len(cohort.submissions))))
    return Findings(
        best=best_matches(cohort, ranking),
        scored=ranking.candidates + _old_pairs(cohort, stored),
        listed=len(stored.units),
        identical=identical_files(cohort),
        common=common_passages(cohort),
        effect=exclusion_effect(cohort, ranking, before),
        not_compared=not_compared.model_copy(update={"earlier": uploaded_earlier}),
        compared=cohort.old_work.compared,
        archive=cohort.old_work.archive,
    )


def _old_pairs(cohort: LoadedCohort, stored: Ranking) -> int:
    """Return the number of stored pairs with a submission of another assignment."""
    return int((cohort.old[stored.pairs.left] | cohort.old[stored.pairs.right]).sum())


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
