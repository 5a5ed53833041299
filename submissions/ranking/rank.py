"""Fill a report with the ranked pairs of its assignment's cohort."""

from __future__ import annotations

from dataclasses import asdict
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from django.db import connection

from fingerprint import engine
from submissions.comparison.ranked_pairs import PAIRS_AT_ONCE, aligned_pairs
from submissions.ingest.documents import PARAMS
from submissions.models import Batch, Ignored, Pair, Report
from submissions.ranking import progress
from submissions.ranking.copies import copy_old_work
from submissions.ranking.exclusions import RankedInput, rank_without_exclusions
from submissions.ranking.findings import collect_findings, duplicate_groups, find_cases
from submissions.ranking.prepared import pack_aligned, pair_columns, prepare, ranked_batches
from submissions.rows import insert

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy.typing as npt

    from fingerprint.engine import ScorePairs
    from submissions.ranking.load import LoadedCohort
    from submissions.ranking.prepared import ListedPairs, Prepared

# Number of pairs that a report stores, the most similar ones.
MAX_PAIRS = 5_000


class Results(NamedTuple):
    """A ranking, and the `best` pairs, which the report lists.

    `before` ranks the cohort without exclusions.
    """

    cohort: LoadedCohort
    ranking: engine.Ranking
    best: engine.Ranking
    before: Callable[[], RankedInput]


def rank(report: Report, prepared: Prepared | None = None) -> None:
    """Fill a report with its pairs, ignored tokens, duplicates and findings, in the caller's transaction.

    It is safe to run again: the results of an earlier run are replaced. What is not `prepared` is first.

    Raises
    ------
    Cancelled
        When a user cancelled the ranking.
    TakesLong
        When the report is in the interactive queue and takes too long for it.
    ClassTooLarge
        When it takes more memory than a worker may use.
    """
    ready = prepare(report) if prepared is None else prepared
    progress.publish(report.pk, progress.comparing(ready.cohort.class_size))
    check = progress.cancel_check(report.pk)
    results = compute(ready.cohort, check, ready.jobs[0].pairs)
    aligned = aligned_pairs(ready.cohort.inputs, results.best, check)
    tracked = progress.track(report.pk, progress.ALIGNING, aligned, len(results.best.units), PAIRS_AT_ONCE)
    save(report, results, lambda cohort: pack_aligned(cohort, tracked))


def compute(
    cohort: LoadedCohort,
    check: Callable[[], None],
    candidates: engine.CandidatePairs | None = None,
    score_pairs: ScorePairs | None = None,
) -> Results:
    """Rank a cohort; the last two as for `engine.rank_for_report`."""
    ranking = engine.rank_for_report(
        cohort.inputs, MAX_PAIRS, check=check, candidates=candidates, score_pairs=score_pairs
    )
    return Results(cohort, ranking, _best(cohort, ranking), lambda: rank_without_exclusions(cohort, ranking))


def save(report: Report, results: Results, listed: Callable[[LoadedCohort], Iterable[ListedPairs]]) -> None:
    """Store the results in the caller's transaction, in place of those of an earlier run.

    `listed` returns the best pairs, given the cohort with copies of submissions of other assignments.
    """
    cohort, ranking, best, before = results
    report.pairs.all().delete()
    cohort = copy_old_work(report.assignment, cohort, ranking, best)
    report.ignored.all().delete()
    _save_submissions(report, cohort)
    for part in listed(cohort):
        insert(connection, Pair, pair_columns(report, cohort, part))
    _save_ignored(report, cohort)
    progress.publish(report.pk, "Grouping duplicates")
    report.duplicates = duplicate_groups(cohort)
    progress.publish(report.pk, "Measuring the effect of exclusions")
    cases = find_cases(report.assignment, cohort, ranking)
    findings = collect_findings(cohort, ranking, best, before)
    report.findings = findings.model_copy(update=cases._asdict())
    report.parameters = parameters(cohort) | {
        "threshold": ranking.threshold._asdict(),
        "unrelated": ranking.tail and ranking.tail._asdict(),
    }


def rank_without_cancelled(report: Report, prepared: Prepared | None = None) -> list[int]:
    """Rank a report again until no batch was cancelled during the ranking.

    Return the primary keys of the batches that are done with it.
    """
    while True:
        ranked = ranked_batches(report.assignment_id)
        rank(report, prepared)
        if not has_cancelled(report):
            return ranked
        prepared = None


def has_cancelled(report: Report) -> bool:
    """Return whether a batch of the report was cancelled meanwhile."""
    return Batch.objects.filter(submissions__reports=report, state=Batch.State.CANCELLED).exists()


def _best(cohort: LoadedCohort, ranking: engine.Ranking) -> engine.Ranking:
    """Return the most similar pairs, and the best pair of every submission if it reaches the threshold.

    So the pairs of every case can be opened, however many there are. Pairs with old submissions take the
    place of none of the class.
    """
    is_old = cohort.old[ranking.pairs.left] | cohort.old[ranking.pairs.right]
    parts = [_best_rows(ranking, np.flatnonzero(part)) for part in (~is_old, is_old)]
    return ranking.take(np.union1d(*parts))


def _best_rows(ranking: engine.Ranking, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Return those of some rows, the most similar first, that a report stores."""
    above = rows[ranking.scores.similarity[rows] >= ranking.threshold.value]
    sides = np.stack((ranking.pairs.left[above], ranking.pairs.right[above]), axis=1).ravel()
    _, first = np.unique(sides, return_index=True)
    return np.union1d(rows[:MAX_PAIRS], above[first // 2])


def parameters(cohort: LoadedCohort) -> dict[str, object]:
    """Return everything besides the sources that the figures of a report depend on."""
    return asdict(PARAMS) | {
        "guarantee": PARAMS.guarantee,
        "submissions": cohort.class_size,
        "common_limit": cohort.inputs.cohort.limit,
        "engine_version": engine.ENGINE_VERSION,
        "score_version": engine.SCORE_VERSION,
        "versions": {"moss": version("moss-server"), "pygments": version("pygments")},
        "profiles": sorted({file.document.profile for file in cohort.files}),
    }


def _save_submissions(report: Report, cohort: LoadedCohort) -> None:
    report.submissions.clear()
    listed = [one.pk for one in cohort.listed]
    columns = {"report_id": [report.pk] * len(listed), "submission_id": listed}
    insert(connection, Report.submissions.through, columns)


def _save_ignored(report: Report, cohort: LoadedCohort) -> None:
    """Store the ignored tokens of each document that has any.

    One row serves all files with this document: in one class they have the same ignored tokens. Those of the
    class go before those of old work, of which its own course handed out other code.
    """
    of_files = list(zip(cohort.files, cohort.contents, cohort.inputs.cohort.ignored_spans(), strict=True))
    of_files.sort(key=lambda row: not cohort.is_old(row[1].submission))
    spans_of = {
        file.document_id: spans
        for file, content, spans in of_files
        if not cohort.is_unlisted(content.submission)
    }
    rows = {document: spans for document, spans in spans_of.items() if spans}
    columns: dict[str, list[Any]] = {"document_id": list(rows), "spans": list(rows.values())}
    insert(connection, Ignored, columns | {"report_id": [report.pk] * len(rows)})
