"""Which tokens of a file a report left out; apart from the ranking, so that pages load no engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from submissions.models import Ignored

if TYPE_CHECKING:
    from submissions.models import Report, SubmissionFile


def ignored_spans(report: Report, file: SubmissionFile) -> list[tuple[int, int]]:
    """Token ranges [first, after the last) of boilerplate and common code, in order."""
    found = Ignored.objects.filter(report=report, document=file.document_id).first()
    return [(first, after) for first, after in found.spans] if found else []
