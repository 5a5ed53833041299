"""Export a report: its tables, and documents about its pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.views.decorators.http import require_GET

from submissions import queries
from submissions.pages.exports.copies import Options, Subject, copy_of
from submissions.pages.exports.documents import PairDocument, document_html
from submissions.pages.exports.formats import DOCUMENT_FORMATS, FORMATS, TABLE_FORMATS
from submissions.pages.exports.paper import TooLong
from submissions.pages.exports.pdf import NotPrinted
from submissions.pages.exports.tables import TABLES, report_table
from submissions.pages.forms.exports import ExportForm
from submissions.pages.forms.filters import pair_filter
from submissions.pseudonyms.names import names_for
from submissions.queries.exports import confirmed_elsewhere, confirmed_pairs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from submissions.models import Assignment, Report
    from submissions.pages.views.access import SignedIn
    from submissions.pseudonyms.names import Names

# Characters of each part of a file's name.
LONGEST_PART = 60
PAGE = "submissions/exports/page.html"


@login_required
@require_GET
def table(request: SignedIn, pk: int, name: str, suffix: str) -> StreamingHttpResponse:
    """Download the pairs that the page lists, or the submissions."""
    assignment = queries.assignment(request.user, pk)
    write = FORMATS[suffix].write_table if suffix in FORMATS else None
    if name not in TABLES or not write:
        raise Http404("No such file.")
    names = names_for(request, assignment)
    rows = report_table(name, _report(assignment), pair_filter(request.GET), names)
    response = StreamingHttpResponse(write(rows), content_type=FORMATS[suffix].content_type)
    response.headers["Content-Disposition"] = _attachment([assignment.name, name], suffix)
    return response


@login_required
@require_GET
def exports(request: SignedIn, pk: int) -> HttpResponse:
    """Show what can be exported, or download the confirmed pairs as a document."""
    assignment = queries.assignment(request.user, pk)
    report = queries.report_state(assignment).shown
    if not report:
        return render(request, PAGE, {"assignment": assignment})
    context = {
        "elsewhere": confirmed_elsewhere(report),
        "tables": TABLES,
        "table_formats": TABLE_FORMATS,
        "chosen": pair_filter(request.GET),
    }
    return _document(request, Subject(report, list(confirmed_pairs(report))), context)


@login_required
@require_GET
def export_pair(request: SignedIn, pk: int, left_id: int, right_id: int) -> HttpResponse:
    """Show how one pair can be exported, or download it as a document."""
    report = _report(queries.assignment(request.user, pk))
    pair = queries.pair(report, left_id, right_id)
    if not pair and queries.pair(report, right_id, left_id):
        return redirect("export_pair", pk, right_id, left_id)
    if not pair:
        raise Http404("No such pair.")
    return _document(request, Subject(report, [pair], lone=True), {"pair": pair})


def _report(assignment: Assignment) -> Report:
    report = queries.report_state(assignment).shown
    if not report:
        raise Http404("No report yet.")
    return report


def _document(request: SignedIn, subject: Subject, context: dict[str, Any]) -> HttpResponse:
    """Return the document that the query asks for, or the page with its form and errors."""
    assignment = subject.report.assignment
    names = names_for(request, assignment)
    form = ExportForm(subject.pairs, names, request.GET if "format" in request.GET else None)
    if subject.pairs and form.is_valid():
        try:
            return _file(form.cleaned_data, subject, names)
        except (TooLong, NotPrinted) as error:
            form.add_error(None, str(error))
    context |= {
        "assignment": assignment,
        "names": names,
        "form": form,
        "subject": subject,
        "formats": DOCUMENT_FORMATS,
    }
    return render(request, PAGE, context, status=422 if form.errors else 200)


def _file(chosen: dict[str, Any], subject: Subject, names: Names) -> HttpResponse:
    copy = copy_of(subject, names, chosen["names"])
    suffix = chosen["format"]
    options = Options(decision=chosen["decision"], sources=chosen["sources"])
    write = DOCUMENT_FORMATS[suffix].write_document
    assert write is not None
    content = write(document_html(PairDocument(subject.report, copy, options)))
    response = HttpResponse(content, content_type=DOCUMENT_FORMATS[suffix].content_type)
    words = [subject.report.assignment.name, *copy.called]
    response.headers["Content-Disposition"] = _attachment(words, suffix)
    return response


def _attachment(words: Iterable[str], suffix: str) -> str:
    """Return the header that names a download by words that any system accepts."""
    parts = (slugify(word, allow_unicode=True)[:LONGEST_PART].strip("-") for word in words)
    name = f"{'-'.join(filter(None, parts))}.{suffix}"
    return content_disposition_header(as_attachment=True, filename=name) or "attachment"
