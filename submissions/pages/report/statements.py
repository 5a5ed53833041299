"""The statements of students beside a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from submissions.queries.statements import statements_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from submissions.models import Assignment, Statement


class ListedStatement(NamedTuple):
    """A statement, and the submission, by primary key, on whose page it was added."""

    statement: Statement
    submission: int


def statement_context(assignment: Assignment, owners: Mapping[str, int]) -> dict[str, Any]:
    """Return the context of `_statements.html`; `owners` are the submissions by name."""
    rows = statements_of(assignment, owners)
    return {"statements": [ListedStatement(row, owners[row.name]) for row in rows]}
