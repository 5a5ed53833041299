"""Students' statements on file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.shortcuts import get_object_or_404

from submissions.models import Statement

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from submissions.models import Assignment, Submission


def statements_of(
    assignment: Assignment, names: Collection[str], *, contents: bool = False
) -> list[Statement]:
    """Return the statements of submissions, the oldest first; with their `contents`, or without."""
    rows = assignment.statements.filter(name__in=names)
    return list(rows if contents else rows.defer("data"))


class ListedStatement(NamedTuple):
    """A statement, and the submission, by primary key, on whose page it was added."""

    statement: Statement
    submission: int


def listed_statements(assignment: Assignment, owners: Mapping[str, int]) -> list[ListedStatement]:
    """Return the statements of submissions without their contents; `owners` has the submissions by name."""
    return [ListedStatement(row, owners[row.name]) for row in statements_of(assignment, owners)]


def find_statement(assignment: Assignment, submission: Submission, pk: int) -> Statement:
    """Return a statement of a submission, or raise Http404."""
    return get_object_or_404(Statement, assignment=assignment, name=submission.name, pk=pk)
