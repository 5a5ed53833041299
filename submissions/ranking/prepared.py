"""Prepare a ranking without a lock: its cohort, and the pairs that may be similar."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fingerprint import engine
from submissions.ingest.coarse_streams import read_coarse_stream, without_coarse_stream
from submissions.models import Batch, Document, SubmissionFile
from submissions.ranking import progress
from submissions.ranking.kept_cohorts import make_room
from submissions.ranking.load import load_cohort
from submissions.ranking.memory import check_memory, token_count
from submissions.ranking.selection import Selection, cohort_boilerplate, cohort_submissions, select_cohort

if TYPE_CHECKING:
    from fingerprint.engine import ScoringJob
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
