"""Documents about pairs, as one self-contained HTML page, and the tables of a report."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext as _

from submissions.comparison.export_formats import ExportTable
from submissions.pages.exports.paper import DocumentTooLong, style
from submissions.queries.exclusions import readable_boilerplate
from submissions.queries.exports import PairExport, SubmissionExport, pair_exports, submission_exports
from submissions.queries.statements import statements_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from submissions.models import Report
    from submissions.pages.exports.copies import Copy, DocumentOptions
    from submissions.pseudonyms.names import Names
    from submissions.queries.reports import PairFilter

# Pairs that one document may contain.
MAX_PAIRS = 300


class PairDocument(NamedTuple):
    """A copy of a report's pairs for one reader, with the options of its content."""

    report: Report
    copy: Copy
    options: DocumentOptions


def document_html(document: PairDocument) -> str:
    """Return the page.

    Raises
    ------
    DocumentTooLong
        When there are too many pairs, or too many rows of sources.
    """
    # Imported here because it loads the front-ends, which other pages do not need.
    from submissions.pages.exports.chapters import chapters  # noqa: PLC0415

    report, copy, options = document
    assignment = report.assignment
    if len(copy.pairs) > MAX_PAIRS:
        raise DocumentTooLong(
            _(
                "More than {n} pairs are too many for one document: export copies for single "
                "students instead."
            ).format(n=MAX_PAIRS)
        )
    context: dict[str, Any] = {
        "assignment": assignment,
        "report": report,
        "copy": copy,
        "names": copy.names,
        "options": options,
        "style": style(),
        "page_header": f"{assignment.course.name} · {assignment.name}",
        "created": timezone.localtime(),
        "version": version("moss-server"),
        "boilerplate": sorted(
            map(copy.names.redact_text, readable_boilerplate(assignment).values_list("name", flat=True))
        ),
        "statements": statements_of(assignment, copy.speakers, contents=True) if options.decision else [],
        "chapters": chapters(report, copy.pairs, copy.names, options, single=copy.single),
    }
    return render_to_string("submissions/exports/document.html", context)


class TableSource(NamedTuple):
    """The columns of a table, and the query that yields its rows."""

    columns: tuple[str, ...]
    rows: Callable[[Report, PairFilter, Names], Iterator[tuple[object, ...]]]


TABLES = {
    "pairs": TableSource(tuple(PairExport.model_fields), pair_exports),
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
