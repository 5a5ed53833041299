"""One pair with all that its page needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from submissions.models import Ignored, Submission, SubmissionFile

if TYPE_CHECKING:
    from submissions.models import Assignment, Pair, Report


def pair(report: Report, left_id: int, right_id: int) -> Pair | None:
    chosen = report.pairs.select_related("left__batch", "right__batch")
    return chosen.filter(left=left_id, right=right_id).first()


def cohort_names(of: Assignment, *ids: int) -> dict[int, str]:
    """Names of those submissions of an assignment, whether ranked or not."""
    mine = Submission.objects.filter(batch__assignment=of, pk__in=ids)
    return dict(mine.values_list("pk", "name"))


def files_of(found: Pair) -> list[SubmissionFile]:
    """Files of both submissions with sources, tokens and colours, by path."""
    both = SubmissionFile.objects.filter(submission__in=[found.left_id, found.right_id])
    return list(both.select_related("source", "document").defer("document__lexical").order_by("path", "pk"))


def ignored_tokens(report: Report, files: list[SubmissionFile]) -> dict[int, list[tuple[int, int]]]:
    """Token ranges [first, after the last) that a report left out, by document."""
    rows = Ignored.objects.filter(report=report, document__in={file.document_id for file in files})
    return {row.document_id: [(first, after) for first, after in row.spans] for row in rows}
