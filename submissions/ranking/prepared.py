"""Prepare a ranking without a lock: its cohort, the pairs that may be similar, and those that are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint import engine
from submissions.comparison.ranked_pairs import are_exchanged, by_name
from submissions.ingest.rereading import read_coarse_stream, without_coarse_stream
from submissions.models import Batch, Document, SubmissionFile
from submissions.models.reports import pack_passages, with_other_files
from submissions.ranking import progress
from submissions.ranking.kept_cohorts import check_memory, make_room, token_count
from submissions.ranking.load import load_cohort
from submissions.ranking.selection import Selection, cohort_boilerplate, cohort_submissions, select_cohort

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fingerprint.engine import CandidatePairs, PairPassages, Ranking, ScoringJob
    from submissions.comparison.ranked_pairs import AlignedPairs
    from submissions.models import Assignment, Report
    from submissions.ranking.load import LoadedCohort


class Prepared(NamedTuple):
    """A ranking that is ready to be scored.

    `batches` are the uploads that are done with it, `selection` is what the cohort consists of, and `jobs`
    has the candidate pairs.
    """

    batches: list[int]
    selection: Selection
    cohort: LoadedCohort
    jobs: list[ScoringJob]


def prepare(report: Report) -> Prepared:
    """Load the cohort of a report's assignment as it is now, and find the candidate pairs.

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
    batches = ranked_batches(report.assignment_id)
    selection = select_cohort(report.assignment)
    tokens = token_count(selection)
    check_memory(tokens)
    make_room(tokens)
    cohort = load_cohort(report.assignment, selection)
    return Prepared(batches, selection, cohort, engine.scoring_jobs(cohort.inputs))


def _read_coarse_streams(report: Report) -> None:
    """Read the coarse streams that a class in several languages still needs."""
    keys = without_coarse_stream(report.assignment_id)
    for pk in progress.track(report.pk, "Reading for the comparison across languages", keys, len(keys)):
        read_coarse_stream(pk)


def ranked_batches(assignment_id: int) -> list[int]:
    """Return the uploads that are done with a ranking that starts now, including superseded ones."""
    read = Batch.objects.filter(assignment=assignment_id, state__in=Batch.FULLY_READ)
    return list(read.exclude(state=Batch.State.DONE, message="").values_list("pk", flat=True))


def is_current(assignment: Assignment, prepared: Prepared) -> bool:
    """Return whether an assignment still has the submissions, files and boilerplate that were prepared."""
    selection = prepared.selection
    return (
        cohort_submissions(assignment) == selection.submissions
        and cohort_boilerplate(assignment) == selection.boilerplate
        and assignment.common_limit == selection.common_limit
        and has_files(prepared.cohort)
    )


def has_files(cohort: LoadedCohort) -> bool:
    """Return whether the submissions of a cohort have the files that were loaded, with their documents."""
    ready = SubmissionFile.objects.filter(
        submission__in=[one.pk for one in cohort.submissions], document__state=Document.State.READY
    )
    stored = set(ready.values_list("pk", "document_id"))
    return stored == {(file.pk, file.document_id) for file in cohort.files}


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
