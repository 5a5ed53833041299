"""Taking a report away: its tables, and documents about its pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.views.decorators.http import require_GET

from submissions import queries
from submissions.pages.exports import tables as listing
from submissions.pages.exports.copies import Options, Subject, copy_of
from submissions.pages.exports.documents import FORMATS, Document, html
from submissions.pages.exports.forms import TakeawayForm
from submissions.pages.exports.pdf import NotPrinted
from submissions.pages.exports.source_rows import TooLong
from submissions.pages.forms.assignments import pair_filter
from submissions.pseudonyms.names import names_for
from submissions.queries.exports import confirmed_elsewhere, confirmed_pairs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from submissions.models import Assignment, Report
    from submissions.pages.views.access import SignedIn
    from submissions.pseudonyms.names import Names

# Characters of each part of a file's name.
LONGEST = 60
PAGE = "submissions/takeaway/page.html"


@login_required
@require_GET
def table(request: SignedIn, pk: int, name: str, form: str) -> StreamingHttpResponse:
    """Give the pairs that the page lists, or the submissions, as a file."""
    of = queries.assignment(request.user, pk)
    if name not in listing.TABLES or form not in listing.FORMATS:
        raise Http404("No such file.")
    asked = listing.Asked(_report(of), pair_filter(request.GET), names_for(request, of))
    answer = StreamingHttpResponse(
        listing.written(name, form, asked), content_type=listing.FORMATS[form].content_type
    )
    answer.headers["Content-Disposition"] = _attachment([of.name, name], form)
    return answer


@login_required
@require_GET
def takeaway(request: SignedIn, pk: int) -> HttpResponse:
    """Ask what to take of a report, or give its confirmed pairs as a document."""
    of = queries.assignment(request.user, pk)
    report = queries.report_state(of).shown
    if not report:
        return render(request, PAGE, {"assignment": of})
    context = {
        "elsewhere": confirmed_elsewhere(report),
        "tables": listing.TABLES,
        "table_formats": listing.FORMATS,
        "chosen": pair_filter(request.GET),
    }
    return _answer(request, Subject(report, list(confirmed_pairs(report))), context)


@login_required
@require_GET
def takeaway_pair(request: SignedIn, pk: int, left_id: int, right_id: int) -> HttpResponse:
    """Ask how to take one pair, or give it as a document."""
    report = _report(queries.assignment(request.user, pk))
    found = queries.pair(report, left_id, right_id)
    if not found and queries.pair(report, right_id, left_id):
        return redirect("takeaway_pair", pk, right_id, left_id)
    if not found:
        raise Http404("No such pair.")
    return _answer(request, Subject(report, [found], lone=True), {"pair": found})


def _report(of: Assignment) -> Report:
    report = queries.report_state(of).shown
    if not report:
        raise Http404("No report yet.")
    return report


def _answer(request: SignedIn, subject: Subject, context: dict[str, Any]) -> HttpResponse:
    """Give the file that was asked for, or the page that asks, with what could not be done."""
    of, names = subject.report.assignment, names_for(request, subject.report.assignment)
    form = TakeawayForm(subject.pairs, names, request.GET if "format" in request.GET else None)
    if subject.pairs and form.is_valid():
        try:
            return _file(form.cleaned_data, subject, names)
        except (TooLong, NotPrinted) as error:
            form.add_error(None, str(error))
    context |= {"assignment": of, "names": names, "form": form, "subject": subject, "formats": FORMATS}
    return render(request, PAGE, context, status=422 if form.errors else 200)


def _file(chosen: dict[str, Any], subject: Subject, names: Names) -> HttpResponse:
    copy = copy_of(subject, names, chosen["names"])
    form = FORMATS[chosen["format"]]
    options = Options(decision=chosen["decision"], sources=chosen["sources"])
    written = html(Document(subject.report, copy, options))
    answer = HttpResponse(form.write(written), content_type=form.content_type)
    words = [subject.report.assignment.name, *copy.called]
    answer.headers["Content-Disposition"] = _attachment(words, chosen["format"])
    return answer


def _attachment(words: Iterable[str], form: str) -> str:
    """Name a file by words that any system takes."""
    parts = (slugify(word, allow_unicode=True)[:LONGEST].strip("-") for word in words)
    name = f"{'-'.join(filter(None, parts))}.{form}"
    return content_disposition_header(as_attachment=True, filename=name) or "attachment"
