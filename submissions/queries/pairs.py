"""The data of one pair's page, and the threshold of a report."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, TypeVar

from django.db.models import Q

from submissions.models import Boilerplate, Document, Ignored, Pair, Source, SubmissionFile
from submissions.queries.withheld import all_submissions, readable_pairs

if TYPE_CHECKING:
    from submissions.models import Assignment, Report
    from submissions.pseudonyms.names import Names

AnyPair = TypeVar("AnyPair", bound=Pair)

# Fields and annotations of a pair that belong to one side.
SIDED = (
    ("left", "right"),
    ("left_share", "right_share"),
    ("left_with_common", "right_with_common"),
    ("left_time", "right_time"),
)


def find_pair(report: Report, left_id: int, right_id: int) -> Pair | None:
    """Return the pair of two submissions, whichever is given first; its passages are fetched on first use."""
    pairs = readable_pairs(report).select_related("left__batch", "right__batch").defer("passages")
    return pairs.filter(Q(left=left_id, right=right_id) | Q(left=right_id, right=left_id)).first()


def displayed_pair(pair: AnyPair, names: Names) -> AnyPair:
    """Return the pair with its sides in the order in which a reader sees them; `pair` stays as it is.

    The sides in `passages` are not exchanged.
    """
    if names.in_order(pair.left.name, pair.right.name):
        return pair
    exchanged = copy(pair)
    for left, right in SIDED:
        if hasattr(pair, left):
            setattr(exchanged, left, getattr(pair, right))
            setattr(exchanged, right, getattr(pair, left))
    return exchanged


def pair_similarities(report: Report) -> list[float]:
    """Return the similarities of the pairs that a report lists, in no order."""
    return list(readable_pairs(report).order_by().values_list("similarity", flat=True))


def submission_names(assignment: Assignment, *ids: int) -> dict[int, str]:
    """Return the names of submissions of an assignment, ranked or not, by primary key."""
    rows = all_submissions(assignment).filter(pk__in=ids)
    return dict(rows.values_list("pk", "name"))


def pair_files(pair: Pair) -> list[SubmissionFile]:
    """Return the files of both submissions, sorted by path, without sources, tokens and syntax colours."""
    files = SubmissionFile.objects.filter(submission__in=[pair.left_id, pair.right_id])
    heavy = ("source__data", "document__tokens", "document__lexical", "document__coarse", "document__styles")
    return list(files.select_related("source", "document", "submission").defer(*heavy).order_by("path", "pk"))


def add_contents(files: list[SubmissionFile]) -> None:
    """Fetch the sources, tokens and syntax colours of files that were fetched without."""
    sources = Source.objects.in_bulk({file.source_id for file in files})
    documents = Document.objects.defer("lexical", "coarse").in_bulk({file.document_id for file in files})
    for file in files:
        file.source, file.document = sources[file.source_id], documents[file.document_id]


def stored_terms(files: list[SubmissionFile]) -> dict[int, bytes]:
    """Return the packed terms of the files' documents, by the document's primary key."""
    rows = Document.objects.filter(pk__in={file.document_id for file in files})
    return {pk: bytes(lexical) for pk, lexical in rows.values_list("pk", "lexical")}


def handed_out_terms(assignment: Assignment) -> list[bytes]:
    """Return the packed terms of the whole files among an assignment's boilerplate."""
    rows = Boilerplate.objects.filter(assignment=assignment, first=None, document__state=Document.State.READY)
    return [bytes(lexical) for lexical in rows.values_list("document__lexical", flat=True)]


def ignored_tokens(report: Report, files: list[SubmissionFile]) -> dict[int, list[tuple[int, int]]]:
    """Return the ignored token ranges [first, after the last) of a report by the document's primary key."""
    rows = Ignored.objects.filter(report=report, document__in={file.document_id for file in files})
    return {row.document_id: [(first, after) for first, after in row.spans] for row in rows}


def suggested_threshold(report: Report) -> float:
    """Return the similarity in [0, 1] that the ranking suggests; see `fingerprint.ranking.threshold`."""
    return float(report.parameters["threshold"]["value"])


def threshold_of(report: Report) -> float:
    """Return the similarity in [0, 1] from which on the pairs of a report stand out."""
    chosen = report.assignment.threshold
    return suggested_threshold(report) if chosen is None else chosen


def is_suggested(report: Report, threshold: float) -> bool:
    """Return whether what the ranking stored of all pairs, with its suggestion, holds at a threshold."""
    return threshold == suggested_threshold(report)
