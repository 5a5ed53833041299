"""The tables of a report that can be exported. A new table is one entry in TABLES."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from submissions.comparison.export_formats import ExportTable
from submissions.queries.exports import PairExport, SubmissionExport, pair_exports, submission_exports

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from submissions.models import Report
    from submissions.pseudonyms.names import Names
    from submissions.queries import PairFilter


class TableSource(NamedTuple):
    """The columns of a table, and the query that yields its rows."""

    columns: tuple[str, ...]
    rows: Callable[[Report, PairFilter, Names], Iterator[tuple[object, ...]]]


TABLES = {
    "pairs": TableSource(PairExport._fields, pair_exports),
    "submissions": TableSource(SubmissionExport._fields, submission_exports),
}


def report_table(name: str, report: Report, pair_filter: PairFilter, names: Names) -> ExportTable:
    """Return the table `name`, a key of TABLES, with the rows that pass the filter."""
    assignment = report.assignment
    about = {
        "course": assignment.course.name,
        "assignment": assignment.name,
        "ranked": report.finished.isoformat() if report.finished else None,
        "parameters": report.parameters,
    }
    source = TABLES[name]
    return ExportTable(name, source.columns, source.rows(report, pair_filter, names), about)
