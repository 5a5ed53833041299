"""Students' statements on file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import get_object_or_404

from submissions.models import Statement

if TYPE_CHECKING:
    from collections.abc import Collection

    from submissions.models import Assignment, Submission


def statements_of(
    assignment: Assignment, names: Collection[str], *, contents: bool = False
) -> list[Statement]:
    """Return the statements of submissions, the oldest first; with their `contents`, or without."""
    rows = assignment.statements.filter(name__in=names)
    return list(rows if contents else rows.defer("data"))


def find_statement(assignment: Assignment, submission: Submission, pk: int) -> Statement:
    """Return a statement of a submission, or raise Http404."""
    return get_object_or_404(Statement, assignment=assignment, name=submission.name, pk=pk)
