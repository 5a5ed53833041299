"""The pairs that a report lists, with their passages as they are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint import engine
from submissions.comparison.ranked_pairs import are_exchanged, by_name
from submissions.models.reports import pack_passages, with_other_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fingerprint.engine import CandidatePairs, PairPassages, Ranking
    from submissions.comparison.ranked_pairs import AlignedPairs
    from submissions.models import Report
    from submissions.ranking.load import LoadedCohort


class ListedPairs(NamedTuple):
    """Some pairs of a ranking and the packed passages of each.

    On the left of the passages is the submission whose name sorts first; that of the ranking may be another.
    """

    ranking: Ranking
    passages: list[bytes]


def packed_passages(cohort: LoadedCohort, pairs: CandidatePairs, passages: PairPassages) -> list[bytes]:
    """Return the packed passages of pairs of a cohort, as `ListedPairs` has them."""
    files = np.array([file.pk for file in cohort.files], dtype=np.int64)
    exchanged = np.repeat(are_exchanged(pairs, cohort.name_ranks), np.diff(passages.starts))
    rows = np.where(exchanged[:, None], engine.exchange_sides(passages.rows), passages.rows)
    return pack_passages(rows, passages.starts, files)


def pack_aligned(cohort: LoadedCohort, aligned: Iterable[AlignedPairs]) -> Iterator[ListedPairs]:
    """Yield aligned pairs with their passages packed."""
    for ranking, passages in aligned:
        yield ListedPairs(ranking, packed_passages(cohort, ranking.pairs, passages))


def with_copies(cohort: LoadedCohort, copied: LoadedCohort, listed: ListedPairs) -> ListedPairs:
    """Return pairs of a cohort with the files of `copied`, which has copies of old submissions."""
    pairs = listed.ranking.pairs
    changed = np.array(
        [old.pk != new.pk for old, new in zip(cohort.submissions, copied.submissions, strict=True)]
    )
    rows = np.flatnonzero(changed[pairs.left] | changed[pairs.right])
    if not len(rows):
        return listed
    files = {old.pk: new.pk for old, new in zip(cohort.files, copied.files, strict=True)}
    exchange = are_exchanged(pairs, cohort.name_ranks) != are_exchanged(pairs, copied.name_ranks)
    passages = list(listed.passages)
    for row in rows.tolist():
        passages[row] = with_other_files(passages[row], files, exchange=bool(exchange[row]))
    return listed._replace(passages=passages)


def pair_columns(report: Report, cohort: LoadedCohort, listed: ListedPairs) -> dict[str, list[object]]:
    """Return the columns of pairs, with the submission on the left whose name sorts first."""
    ranking, _ = by_name(listed.ranking, cohort.name_ranks)
    sides = list(zip(ranking.pairs.left.tolist(), ranking.pairs.right.tolist(), strict=True))
    return {name: column.tolist() for name, column in ranking.scores._asdict().items()} | {
        "report_id": [report.pk] * len(sides),
        "left_id": [cohort.submissions[left].pk for left, _ in sides],
        "right_id": [cohort.submissions[right].pk for _, right in sides],
        "translated": ranking.translated.tolist(),
        "passages": listed.passages,
        "same_student": [cohort.is_same_student(*pair) for pair in sides],
        "with_model": [cohort.has_model(*pair) for pair in sides],
    }
