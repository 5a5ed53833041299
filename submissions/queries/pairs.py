"""The data of one pair's page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from submissions.models import Ignored, Submission, SubmissionFile

if TYPE_CHECKING:
    from submissions.models import Assignment, Pair, Report


def pair(report: Report, left_id: int, right_id: int) -> Pair | None:
    pairs = report.pairs.select_related("left__batch", "right__batch")
    return pairs.filter(left=left_id, right=right_id).first()


def submission_names(assignment: Assignment, *ids: int) -> dict[int, str]:
    """Return the names of submissions of an assignment, ranked or not, by primary key."""
    rows = Submission.objects.filter(batch__assignment=assignment, pk__in=ids)
    return dict(rows.values_list("pk", "name"))


def pair_files(pair: Pair) -> list[SubmissionFile]:
    """Return the files of both submissions with sources, tokens and syntax colours, sorted by path."""
    files = SubmissionFile.objects.filter(submission__in=[pair.left_id, pair.right_id])
    return list(files.select_related("source", "document").defer("document__lexical").order_by("path", "pk"))


def ignored_tokens(report: Report, files: list[SubmissionFile]) -> dict[int, list[tuple[int, int]]]:
    """Return the ignored token ranges [first, after the last) of a report by the document's primary key."""
    rows = Ignored.objects.filter(report=report, document__in={file.document_id for file in files})
    return {row.document_id: [(first, after) for first, after in row.spans] for row in rows}
