"""Export a report: its tables, and documents about its pairs."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.views.decorators.http import require_GET

from submissions.comparison.export_formats import CHUNK_ROWS, DOCUMENT_FORMATS, FORMATS, TABLE_FORMATS
from submissions.comparison.pdf import PrintingFailed
from submissions.pages.exports.copies import DocumentOptions, PrintedCase, Subject, copy_for
from submissions.pages.exports.documents import TABLES, PairDocument, document_html, report_table
from submissions.pages.exports.paper import DocumentTooLong
from submissions.pages.forms.filters import ExportForm, parse_pair_filter
from submissions.pages.report.case_page import pairs_of_case, printed_case
from submissions.pages.report.cases import listed_case
from submissions.pages.views.access import redirect_with_query
from submissions.permissions import Right
from submissions.pseudonyms.names import names_for
from submissions.queries.access import find_assignment
from submissions.queries.decisions import decision_history
from submissions.queries.exports import confirmed_pairs, unlisted_confirmed_count
from submissions.queries.pairs import displayed_pair, find_pair, threshold_of
from submissions.queries.reports import effective_threshold, report_state
from submissions.queries.submissions import readable_files
from submissions.queries.suspicions import find_suspicion

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from submissions.comparison.export_formats import ExportTable
    from submissions.models import Assignment, Report
    from submissions.pages.report.cases import Case
    from submissions.pages.views.access import AuthenticatedRequest
    from submissions.pseudonyms.names import Names
    from submissions.queries.suspicions import Suspicion

# Characters of each part of the name of an exported file.
MAX_PART_CHARACTERS = 60
TEMPLATE = "submissions/exports/page.html"


@login_required
@require_GET
def table(request: AuthenticatedRequest, pk: int, name: str, suffix: str) -> StreamingHttpResponse:
    """Download the pairs or the submissions that pass the filter, as a table."""
    assignment = find_assignment(request.user, pk, Right.READ)
    return table_response(assignment, name, suffix, request.GET, names_for(request, assignment))


def table_response(
    assignment: Assignment, name: str, suffix: str, query: Mapping[str, Any], names: Names
) -> StreamingHttpResponse:
    """Return a table of the newest report as a download; `query` is the filter of an address."""
    write = FORMATS[suffix].write_table if suffix in FORMATS else None
    if name not in TABLES or not write:
        raise Http404("No such file.")
    rows = _begun(report_table(name, _report(assignment), parse_pair_filter(query), names))
    response = StreamingHttpResponse(write(rows), content_type=FORMATS[suffix].content_type)
    response.headers["Content-Disposition"] = _attachment([assignment.name, name], suffix)
    return response


def _begun(table: ExportTable) -> ExportTable:
    """Return a table whose first rows are fetched, and with them all that the others need.

    A report that somebody deletes is refused before the answer begins, or its table is sent whole.
    """
    rows = iter(table.rows)
    return table._replace(rows=chain(list(islice(rows, CHUNK_ROWS)), rows))


@login_required
@require_GET
def exports(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Show the export page, or download the confirmed pairs as a document."""
    assignment = find_assignment(request.user, pk, Right.READ)
    report = report_state(assignment).report
    if not report:
        return render(request, TEMPLATE, {"assignment": assignment})
    context = {
        "unlisted": unlisted_confirmed_count(report),
        "tables": TABLES,
        "table_formats": TABLE_FORMATS,
        "pair_filter": parse_pair_filter(request.GET),
    }
    return _document_response(request, Subject(report, list(confirmed_pairs(report))), context)


@login_required
@require_GET
def export_pair(request: AuthenticatedRequest, pk: int, left_id: int, right_id: int) -> HttpResponse:
    """Show the export page of one pair, or download the pair as a document."""
    report = _report(find_assignment(request.user, pk, Right.READ))
    pair, names = find_pair(report, left_id, right_id), names_for(request, report.assignment)
    if not pair:
        suspicion = find_suspicion(report, names, (left_id, right_id))
        if not suspicion:
            raise Http404("No such pair.")
        return _document_response(request, suspicion_subject(report, suspicion), {"case": suspicion})
    displayed = displayed_pair(pair, names)
    if (displayed.left_id, displayed.right_id) != (left_id, right_id):
        return redirect_with_query(request, "export_pair", pk, displayed.left_id, displayed.right_id)
    return _document_response(request, Subject(report, [pair], single=True), {"pair": displayed})


@login_required
@require_GET
def export_case(request: AuthenticatedRequest, pk: int, submission_id: int) -> HttpResponse:
    """Show the export page of one case, or download the case as a document."""
    report = _report(find_assignment(request.user, pk, Right.READ))
    names = names_for(request, report.assignment)
    case = listed_case(report, request.GET, names, submission_id)
    if not case:
        raise Http404("No such case.")
    if case.key != submission_id:
        return redirect_with_query(request, "export_case", pk, case.key)
    threshold = effective_threshold(report, parse_pair_filter(request.GET))
    return _document_response(request, case_subject(report, case, threshold, names), {"case": case})


def case_subject(report: Report, case: Case, threshold: float, names: Names) -> Subject:
    """Return what a document about a case contains."""
    printed = printed_case(report, case, threshold, names)
    return Subject(report, pairs_of_case(report, case, threshold), case=printed)


def suspicion_subject(report: Report, case: Suspicion) -> Subject:
    """Return what a document about a case that was entered by hand contains."""
    printed = PrintedCase(
        case.number,
        threshold_of(report),
        [(member, None) for member in case.members],
        [],
        case.decision,
        decision_history(case.decision),
        [(member, readable_files(member.pk)) for member in case.members],
    )
    return Subject(report, [], case=printed)


def _report(assignment: Assignment) -> Report:
    report = report_state(assignment).report
    if not report:
        raise Http404("No report yet.")
    return report


def _document_response(
    request: AuthenticatedRequest, subject: Subject, context: dict[str, Any]
) -> HttpResponse:
    """Return the document that the query describes, or the page with its form and errors."""
    assignment = subject.report.assignment
    names = names_for(request, assignment)
    form = ExportForm(subject.pairs, names, request.GET if "format" in request.GET else None)
    if not subject.is_empty and form.is_valid():
        try:
            return document_file(form.cleaned_data, subject, names)
        except (DocumentTooLong, PrintingFailed) as error:
            form.add_error(None, str(error))
    context |= {
        "assignment": assignment,
        "names": names,
        "form": form,
        "subject": subject,
        "formats": DOCUMENT_FORMATS,
        # The threshold decides which case the address names.
        "threshold": request.GET.get("threshold"),
    }
    return render(request, TEMPLATE, context, status=422 if form.errors else 200)


def document_file(data: dict[str, Any], subject: Subject, names: Names) -> HttpResponse:
    """Return the document that the values of a valid `ExportForm` describe, as a download."""
    copy = copy_for(subject, names, data["names"])
    suffix = data["format"]
    options = DocumentOptions(decision=data["decision"], sources=data["sources"])
    write = DOCUMENT_FORMATS[suffix].write_document
    assert write is not None
    content = write(document_html(PairDocument(subject.report, copy, options)))
    response = HttpResponse(content, content_type=DOCUMENT_FORMATS[suffix].content_type)
    title_parts = [subject.report.assignment.name, *copy.title_parts]
    response.headers["Content-Disposition"] = _attachment(title_parts, suffix)
    return response


def _attachment(title_parts: Iterable[str], suffix: str) -> str:
    """Return the header for a download; its file name has only characters that any system accepts."""
    slugs = (slugify(part, allow_unicode=True)[:MAX_PART_CHARACTERS].strip("-") for part in title_parts)
    name = f"{'-'.join(filter(None, slugs))}.{suffix}"
    return content_disposition_header(as_attachment=True, filename=name) or "attachment"
