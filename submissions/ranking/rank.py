"""Fill a report with the ranked pairs of its assignment's cohort."""

from __future__ import annotations

from dataclasses import asdict
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from django.db import connection

from fingerprint import engine
from submissions.ingest.coarse_streams import read_coarse_stream, without_coarse_stream
from submissions.ingest.documents import PARAMS
from submissions.models import Batch, Ignored, Pair, Report
from submissions.models.passages import pack_passages
from submissions.ranking import progress
from submissions.ranking.cases import find_cases
from submissions.ranking.copies import copy_old_work
from submissions.ranking.duplicate_groups import duplicate_groups
from submissions.ranking.exclusions import RankedInput, rank_without_exclusions
from submissions.ranking.findings import collect_findings
from submissions.ranking.load import load_cohort
from submissions.ranking.memory import check_memory, token_count
from submissions.ranking.ranked_pairs import PAIRS_AT_ONCE, AlignedPairs, aligned_pairs, by_name
from submissions.ranking.selection import select_cohort
from submissions.ranking.shards import cut
from submissions.rows import insert

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import numpy.typing as npt

    from fingerprint.engine import ScorePairs
    from submissions.ranking.load import LoadedCohort

# Number of pairs that a report stores, the most similar ones.
MAX_PAIRS = 5_000


class Results(NamedTuple):
    """A ranking with the pairs that the report stores.

    `aligned` are these with their passages; `before` ranks the cohort without exclusions.
    """

    cohort: LoadedCohort
    ranking: engine.Ranking
    best: engine.Ranking
    aligned: Iterable[AlignedPairs]
    before: Callable[[], RankedInput]


def rank(report: Report, batches: list[int] | None = None) -> bool:
    """Fill a report with its pairs, ignored tokens, duplicates and findings, in the caller's transaction.

    It is safe to run again: the results of an earlier run are replaced. Where `batches` are given, those that
    are done with the report, pairs that take long are only cut into shards; return False for that.

    Raises
    ------
    Cancelled
        When a user cancelled the ranking.
    TakesLong
        When the report is in the interactive queue and takes too long for it.
    ClassTooLarge
        When it takes more memory than a worker may use.
    """
    _read_coarse_streams(report)
    progress.publish(report.pk, "Loading tokens and fingerprints")
    selection = select_cohort(report.assignment)
    check_memory(token_count(selection))
    cohort = load_cohort(report.assignment, selection)
    jobs = engine.scoring_jobs(cohort.inputs)
    if batches is not None and cut(report, cohort, selection, batches, jobs):
        return False
    progress.publish(report.pk, progress.comparing(len(cohort.submissions)))
    check = progress.cancel_check(report.pk)
    save(report, compute(cohort, check, jobs[0].pairs))
    return True


def compute(
    cohort: LoadedCohort,
    check: Callable[[], None],
    candidates: engine.CandidatePairs | None = None,
    score_pairs: ScorePairs | None = None,
) -> Results:
    """Rank a cohort; the last two as for `engine.rank_for_report`. Pairs are aligned when they are saved."""
    ranking = engine.rank_for_report(
        cohort.inputs, MAX_PAIRS, check=check, candidates=candidates, score_pairs=score_pairs
    )
    best = _best(ranking)
    aligned = aligned_pairs(cohort.inputs, best, check)
    return Results(cohort, ranking, best, aligned, lambda: rank_without_exclusions(cohort, ranking))


def save(report: Report, results: Results) -> None:
    """Store the results in the caller's transaction, in place of those of an earlier run."""
    cohort, ranking, best, aligned, before = results
    count = len(best.scores.similarity)
    report.pairs.all().delete()
    cohort = copy_old_work(report.assignment, cohort, ranking, best)
    report.ignored.all().delete()
    _save_submissions(report, cohort)
    _save_pairs(report, cohort, track_aligned(report.pk, aligned, count))
    _save_ignored(report, cohort)
    progress.publish(report.pk, "Grouping duplicates")
    report.duplicates = duplicate_groups(cohort)
    progress.publish(report.pk, "Measuring the effect of exclusions")
    cases = find_cases(report.assignment, cohort, ranking)
    findings = collect_findings(cohort, ranking, count, before)
    report.findings = findings.model_copy(update=cases._asdict())
    report.parameters = parameters(cohort) | {"threshold": ranking.threshold._asdict()}


def track_aligned(report_id: int, aligned: Iterable[AlignedPairs], count: int) -> Iterator[AlignedPairs]:
    """Yield pairs as they are aligned, and publish how many of `count` are."""
    return progress.track(report_id, "Aligning pairs", aligned, count, PAIRS_AT_ONCE)


def _read_coarse_streams(report: Report) -> None:
    """Read the coarse streams that a class in several languages still needs."""
    keys = without_coarse_stream(report.assignment_id)
    for pk in progress.track(report.pk, "Reading for the comparison across languages", keys, len(keys)):
        read_coarse_stream(pk)


def rank_without_cancelled(report: Report, *, may_cut: bool = False) -> list[int] | None:
    """Rank a report again until no batch was cancelled during the ranking.

    Return the primary keys of the batches that are done with it, including superseded ones; None where it
    `may_cut` the pairs into shards and did.
    """
    while True:
        read = Batch.objects.filter(assignment=report.assignment_id, state__in=Batch.FULLY_READ)
        ranked = list(read.exclude(state=Batch.State.DONE, message="").values_list("pk", flat=True))
        if not rank(report, ranked if may_cut else None):
            return None
        if not has_cancelled(report):
            return ranked


def has_cancelled(report: Report) -> bool:
    """Return whether a batch of the report was cancelled meanwhile."""
    return Batch.objects.filter(submissions__reports=report, state=Batch.State.CANCELLED).exists()


def _best(ranking: engine.Ranking) -> engine.Ranking:
    """Return the most similar pairs, and the best pair of every submission if it reaches the threshold.

    So the pairs of every case can be opened, however many there are.
    """
    count = len(ranking.scores.similarity)
    above = np.count_nonzero(ranking.scores.similarity >= ranking.threshold.value)
    sides = np.stack((ranking.pairs.left[:above], ranking.pairs.right[:above]), axis=1).ravel()
    _, first = np.unique(sides, return_index=True)
    rows = np.union1d(np.arange(min(MAX_PAIRS, count)), first // 2)
    return ranking.take(rows)


def parameters(cohort: LoadedCohort) -> dict[str, object]:
    """Return everything besides the sources that the figures of a report depend on."""
    return asdict(PARAMS) | {
        "guarantee": PARAMS.guarantee,
        "submissions": len(cohort.listed),
        "common_limit": cohort.inputs.cohort.limit,
        "engine_version": engine.ENGINE_VERSION,
        "score_version": engine.SCORE_VERSION,
        "versions": {"moss": version("moss-server"), "pygments": version("pygments")},
        "profiles": sorted({file.document.profile for file in cohort.files}),
    }


def _save_pairs(report: Report, cohort: LoadedCohort, aligned: Iterable[AlignedPairs]) -> None:
    files = np.array([file.pk for file in cohort.files], dtype=np.int64)
    for part in aligned:
        insert(connection, Pair, _pair_columns(report, cohort, part, files))


def _pair_columns(
    report: Report, cohort: LoadedCohort, aligned: AlignedPairs, files: npt.NDArray[np.int64]
) -> dict[str, list[Any]]:
    """Return the columns of pairs, with the submission on the left whose name sorts first.

    `files` are the primary keys of the cohort's files.
    """
    (ranking, exchanged), passages = by_name(aligned.ranking, cohort.name_ranks), aligned.passages
    of_exchanged = np.repeat(exchanged, np.diff(passages.starts))
    rows = np.where(of_exchanged[:, None], engine.exchange_sides(passages.rows), passages.rows)
    sides = list(zip(ranking.pairs.left.tolist(), ranking.pairs.right.tolist(), strict=True))
    return {name: column.tolist() for name, column in ranking.scores._asdict().items()} | {
        "report_id": [report.pk] * len(sides),
        "left_id": [cohort.submissions[left].pk for left, _ in sides],
        "right_id": [cohort.submissions[right].pk for _, right in sides],
        "translated": ranking.translated.tolist(),
        "passages": pack_passages(rows, passages.starts, files),
        "same_student": [cohort.is_same_student(*pair) for pair in sides],
    }


def _save_submissions(report: Report, cohort: LoadedCohort) -> None:
    report.submissions.clear()
    listed = [one.pk for one in cohort.listed]
    columns = {"report_id": [report.pk] * len(listed), "submission_id": listed}
    insert(connection, Report.submissions.through, columns)


def _save_ignored(report: Report, cohort: LoadedCohort) -> None:
    """Store the ignored tokens of each document that has any.

    One row serves all files with this document: in one cohort they have the same ignored tokens.
    """
    spans: dict[int, list[tuple[int, int]]] = {}
    for index, file in enumerate(cohort.files):
        if file.document_id not in spans and not cohort.is_unlisted(cohort.contents[index].submission):
            spans[file.document_id] = cohort.inputs.cohort.ignored_spans(index)
    rows = {document: own for document, own in spans.items() if own}
    columns: dict[str, list[Any]] = {"document_id": list(rows), "spans": list(rows.values())}
    insert(connection, Ignored, columns | {"report_id": [report.pk] * len(rows)})
