"""Fill a report with the ranked pairs of its assignment's cohort."""

from __future__ import annotations

import sys
from dataclasses import asdict, fields
from importlib.metadata import version
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from django.db import connection

from fingerprint import engine
from submissions.ingest.coarse_streams import read_coarse_stream, without_coarse_stream
from submissions.ingest.documents import PARAMS
from submissions.models import Batch, Ignored, Pair, Report
from submissions.models.passages import pack_rows
from submissions.ranking import progress
from submissions.ranking.cases import find_cases
from submissions.ranking.copies import copy_old_work
from submissions.ranking.duplicate_groups import duplicate_groups
from submissions.ranking.findings import collect_findings, rank_without_exclusions
from submissions.ranking.load import load_cohort
from submissions.ranking.memory import check_memory, token_count
from submissions.ranking.ranked_pairs import RankedPair, ranked_pairs
from submissions.ranking.selection import select_cohort
from submissions.ranking.shards import cut
from submissions.storage.rows import insert

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import numpy.typing as npt

    from fingerprint.engine import ScorePairs
    from submissions.ranking.load import LoadedCohort

# Number of pairs that a report stores, the most similar ones.
MAX_PAIRS = 5_000
ROWS_AT_ONCE = 500
# Columns of a pair that are stored as they are.
FIGURES = [field.name for field in fields(RankedPair) if field.name not in {"left", "right", "rows"}]


class Results(NamedTuple):
    """A ranking with the pairs that the report stores.

    `aligned` are these with their passages; `before` ranks the cohort without exclusions.
    """

    cohort: LoadedCohort
    ranking: engine.Ranking
    best: engine.Ranking
    aligned: Iterable[RankedPair]
    before: Callable[[], engine.Ranking]


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
    if batches is not None and cut(report, cohort, selection, batches):
        return False
    progress.publish(report.pk, progress.comparing(len(cohort.submissions)))
    check = progress.cancel_check(report.pk)
    save(report, compute(cohort, check))
    return True


def compute(
    cohort: LoadedCohort, check: Callable[[], None], score_pairs: ScorePairs = engine.score
) -> Results:
    """Rank a cohort; `score_pairs` as for `engine.rank`. The pairs are aligned when they are saved."""
    ranking = engine.rank(cohort.inputs, sys.maxsize, check, score_pairs)
    best = _best(ranking)
    aligned = ranked_pairs(cohort.inputs, best, check)
    return Results(cohort, ranking, best, aligned, lambda: rank_without_exclusions(cohort, ranking))


def save(report: Report, results: Results) -> None:
    """Store the results in the caller's transaction, in place of those of an earlier run."""
    cohort, ranking, best, aligned, before = results
    count = len(best.scores.similarity)
    report.pairs.all().delete()
    cohort = copy_old_work(report.assignment, cohort, ranking, best)
    report.ignored.all().delete()
    report.submissions.set(cohort.listed)
    _save_pairs(report, cohort, progress.track(report.pk, "Aligning pairs", aligned, count))
    Ignored.objects.bulk_create(_ignored_rows(report, cohort), batch_size=500)
    progress.publish(report.pk, "Grouping duplicates")
    report.duplicates = duplicate_groups(cohort)
    progress.publish(report.pk, "Measuring the effect of exclusions")
    cases = find_cases(report.assignment, cohort, ranking)
    findings = collect_findings(cohort, ranking, count, before)
    report.findings = findings.model_copy(update=cases._asdict())
    report.parameters = parameters(cohort) | {"threshold": ranking.threshold._asdict()}


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


def _save_pairs(report: Report, cohort: LoadedCohort, aligned: Iterable[RankedPair]) -> None:
    files = np.array([file.pk for file in cohort.files], dtype=np.int64)
    pairs = (_pair_columns(report, cohort, pair, files) for pair in aligned)
    while rows := list(islice(pairs, ROWS_AT_ONCE)):
        insert(connection, Pair, {name: [row[name] for row in rows] for name in rows[0]})


def _pair_columns(
    report: Report, cohort: LoadedCohort, pair: RankedPair, files: npt.NDArray[np.int64]
) -> dict[str, object]:
    """Return the columns of a pair, with the submission on the left whose name sorts first.

    `files` are the primary keys of the cohort's files.
    """
    ordered = pair if cohort.by_name(pair.left, pair.right) else pair.exchanged
    return {name: getattr(ordered, name) for name in FIGURES} | {
        "report_id": report.pk,
        "left_id": cohort.submissions[ordered.left].pk,
        "right_id": cohort.submissions[ordered.right].pk,
        "passages": pack_rows(ordered.rows, files),
        "same_student": cohort.is_same_student(pair.left, pair.right),
    }


def _ignored_rows(report: Report, cohort: LoadedCohort) -> Iterator[Ignored]:
    """Yield a row for each document with ignored tokens.

    One row serves all files with this document: in one cohort they have the same ignored tokens.
    """
    seen = set()
    for index, file in enumerate(cohort.files):
        if file.document_id not in seen and not cohort.is_unlisted(cohort.contents[index].submission):
            seen.add(file.document_id)
            if spans := cohort.inputs.cohort.ignored_spans(index):
                yield Ignored(report=report, document_id=file.document_id, spans=spans)
