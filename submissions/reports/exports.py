"""Export a report: its tables, and documents about its pairs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from django.db.models import Count, Exists, OuterRef, QuerySet, Sum
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import get_language
from pydantic import BaseModel

from submissions.cases.case_list import Case, listed_case
from submissions.cases.documents import DocumentOptions, PairDocument, PrintedCase, Subject, copy_for, document_html
from submissions.cases.read import (
    case_decisions,
    cases_by_member,
    decision_history,
    find_suspicion,
    followed_decision,
    is_linking,
    readable_decisions,
    stored_decisions,
    with_decisions,
)
from submissions.cases.views import pairs_of_case, printed_case
from submissions.core.access import find_assignment, readable_pairs, readable_submissions
from submissions.core.names import Names, names_for, search_words
from submissions.core.rights import Right
from submissions.matches.file_formats import (
    CHUNK_ROWS,
    DOCUMENT_FORMATS,
    FORMATS,
    PLAIN_CSV,
    TABLE_FORMATS,
    CsvForm,
    ExportTable,
    PrintingFailed,
    excel_form,
    write_csv,
)
from submissions.matches.ranked_pairs import Evidence, PairRow
from submissions.models import Assignment, Decision, Report, Submission
from submissions.pages.paper import DocumentTooLong
from submissions.pages.requests import AuthenticatedRequest, redirect_with_query, signed_in
from submissions.pairs.read import (
    Flag,
    Flags,
    band_of,
    bands_of,
    disguised_characters,
    displayed_pair,
    find_pair,
    partly_read,
    threshold_of,
    timed_submissions,
)
from submissions.reports.forms import ExportForm, parse_pair_filter
from submissions.reports.read import class_matches, effective_threshold, ranked_pairs, report_state
from submissions.uploads.read import readable_files

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    from submissions.cases.read import CasePairs, DecidedPair, Suspicion
    from submissions.reports.read import ListedPair, PairFilter

    CountedSubmission = WithAnnotations[Submission, "CountAnnotations"]


# Number of rows fetched from the database at once.
CHUNK = 500

# Characters of each part of the name of an exported file.
MAX_PART_CHARACTERS = 60
TEMPLATE = "submissions/exports/page.html"
# The suffix in addresses of tables in CSV for Excel in the reader's language.
EXCEL = "excel"


class CountAnnotations(TypedDict):
    file_count: int
    token_count: int | None


class PairExport(BaseModel):
    """A pair with its scores, evidence, flags, case and decision, for exports and the API.

    Exports use the field names as columns. `submissions.matches.ranked_pairs.PairRow` has the figures alone:
    `moss check` knows no decisions, and writes it without this library.

    `case` is the number of the case of a pair at or above the threshold. Similarity, shares and evidence are
    in [0, 1], rounded to 6 digits. `assignee` and `notes` are those of the decision on the pair, or else on
    its case. `mark`: see `PairRow`. `band`: "ordinary", "look" or "stands out".
    """

    left: str
    right: str
    similarity: float
    left_share: float
    right_share: float
    tokens: int
    lines: int
    longest: int
    mark: str
    left_without_common: float
    right_without_common: float
    structure: float
    literals: float
    names: float
    imports: float
    flags: list[str]
    case: int | None
    decision: str
    assignee: str | None
    notes: str
    band: str


class SubmissionExport(NamedTuple):
    """A submission with its best match. Exports use the field names as columns.

    `rank` is 1 for the submission of the class whose best match has the highest similarity; equal ones share
    a rank, and earlier and other work has None. `best_match` is None for a submission that shares nothing
    with any other. It, `similarity` and `rank` are None where the report has no best match of it.
    `partly_read`, `disguised`: see `submissions.pairs.read`.
    """

    submission: str
    best_match: str | None
    similarity: float | None
    rank: int | None
    case: int | None
    files: int
    tokens: int
    partly_read: bool
    disguised: int
    handed_in: str | None
    uploaded: str
    first_commit: str | None
    last_commit: str | None
    commits: int | None


def pair_exports(report: Report, pair_filter: PairFilter, names: Names) -> Iterator[tuple[object, ...]]:
    """Yield the rows of `PairExport` of the pairs that pass a filter, in its order.

    They have the names that the reader may see.
    """
    return (tuple(dict(row).values()) for _, row in exported_pairs(report, pair_filter, names))


def exported_pairs(
    report: Report, pair_filter: PairFilter, names: Names, part: slice = slice(None), pk: int | None = None
) -> Iterator[tuple[ListedPair, PairExport]]:
    """Yield those pairs, or a part or one of them, with their rows; sides are as the reader sees them."""
    flags, decided = Flags.from_report(report), stored_decisions(report.assignment)
    threshold, of_cases = effective_threshold(report, pair_filter), case_decisions(report.assignment)
    in_case, bands = cases_by_member(report, threshold), bands_of(report, threshold)
    ranked = ranked_pairs(report, pair_filter, names)
    for pair in (ranked.filter(pk=pk) if pk else ranked)[part].iterator(chunk_size=CHUNK):
        both = (pair.left.name, pair.right.name)
        decision = decided.get(both) or followed_decision(of_cases, both, pair.similarity)
        displayed = displayed_pair(pair, names)
        pair_flags = flags.between(*timed_submissions(displayed), pair.same_files)
        row = PairRow.of(displayed, *map(names.display_name, (displayed.left.name, displayed.right.name)))
        yield (
            displayed,
            PairExport(
                **{name: value for name, value in row._asdict().items() if name != "flag"},
                **{kind: round(getattr(pair, kind), 6) for kind in Evidence._fields},
                flags=list(map(_flag_text, pair_flags)),
                case=_number(in_case.get(pair.left_id)) if is_linking(pair, threshold) else None,
                decision=pair.decision,
                assignee=decision.assignee.get_username() if decision and decision.assignee else None,
                notes=names.redact_text(decision.notes) if decision else "",
                band=band_of(bands, pair, pair_flags),
            ),
        )


def _number(case: CasePairs | None) -> int | None:
    return case.number if case else None


def _flag_text(flag: Flag) -> str:
    if flag.term:
        return f"the same student {flag.term}"
    if flag.number:
        return f"{flag.number} identical file{'' if flag.number == 1 else 's'}"
    return " ".join([flag.kind, *(side for side in ("left", "right") if getattr(flag, side))])


def submission_exports(report: Report, pair_filter: PairFilter, names: Names) -> Iterator[SubmissionExport]:
    """Yield the submissions that pass the filter's text and threshold, sorted by displayed name.

    Every word of the text must occur in the name of the submission or of its best match.
    """
    counted = {submission.pk: submission for submission in counted_submissions(report)}
    in_case = cases_by_member(report, effective_threshold(report, pair_filter))
    matches = report.findings.best if report.findings else []
    best = {match.submission: match for match in matches}
    of_class = class_matches(report)
    values, members = sorted(one.similarity for one in of_class), {one.submission for one in of_class}
    words, readable = search_words(pair_filter.text), readable_submissions(report)
    partly, disguised = partly_read(readable), disguised_characters(readable)
    # Sort by displayed name: the order of the real names would reveal who is behind an alias.
    for pk, submission in sorted(counted.items(), key=lambda item: names.display_name(item[1].name)):
        match = best.get(pk)
        other = counted.get(match.match or 0) if match else None
        similarity, commits = match.similarity if match else None, submission.commits
        row = SubmissionExport(
            submission=names.display_name(submission.name),
            best_match=names.display_name(other.name) if other else None,
            similarity=None if similarity is None else round(similarity, 6),
            rank=len(values) - bisect_right(values, similarity or 0) + 1 if pk in members else None,
            case=_number(in_case.get(pk)),
            files=submission.file_count,
            tokens=submission.token_count or 0,
            partly_read=pk in partly,
            disguised=disguised.get(pk, 0),
            handed_in=_time(submission.handed_in, names) if submission.handed_in else None,
            # Of that of another assignment, when it was handed in there.
            uploaded=_time((submission.origin_id and submission.handed_in) or submission.batch.created, names),
            first_commit=_time(commits.first_time, names) if commits else None,
            last_commit=_time(commits.last_time, names) if commits else None,
            commits=commits.number if commits else None,
        )
        searched = f"{row.submission} {row.best_match or ''}"
        if all(word.is_in(searched) for word in words) and (similarity or 0) >= pair_filter.threshold:
            yield row


def _time(time: datetime, names: Names) -> str:
    """Return a time, or only its day where names are hidden: the exact time can reveal who handed in."""
    return timezone.localdate(time).isoformat() if names.hidden else time.isoformat()


def counted_submissions(report: Report) -> QuerySet[CountedSubmission]:
    """Return a report's submissions with their batch, and with `file_count` and `token_count`."""
    counted = readable_submissions(report).select_related("batch")
    return counted.annotate(file_count=Count("files"), token_count=Sum("files__document__token_count")).order_by("pk")


def confirmed_pairs(report: Report) -> QuerySet[DecidedPair]:
    """Return a report's confirmed pairs with both submissions and without passages, most similar first."""
    decided = with_decisions(readable_pairs(report).select_related("left__batch", "right__batch").defer("passages"))
    return decided.filter(decision=Decision.State.CONFIRMED)


def unlisted_confirmed_count(report: Report) -> int:
    """Return the number of pairs that are not in this report and were confirmed on their own page."""
    listed = readable_pairs(report).filter(left__name=OuterRef("left"), right__name=OuterRef("right"))
    confirmed = readable_decisions(report.assignment).filter(state=Decision.State.CONFIRMED)
    return confirmed.exclude(Exists(listed)).count()


@signed_in("GET")
def table(request: AuthenticatedRequest, pk: int, name: str, suffix: str) -> StreamingHttpResponse:
    """Download the pairs or the submissions that pass the filter, as a table; `excel` is a form of CSV."""
    assignment = find_assignment(request.user, pk, Right.READ)
    form = excel_form(get_language() or "en") if suffix == EXCEL else PLAIN_CSV
    suffix = "csv" if suffix == EXCEL else suffix
    return table_response(assignment, name, suffix, request.GET, names_for(request, assignment), form)


def table_response(  # noqa: PLR0917 - a table, its filter, its reader and its form
    assignment: Assignment, name: str, suffix: str, query: Mapping[str, Any], names: Names, form: CsvForm = PLAIN_CSV
) -> StreamingHttpResponse:
    """Return a table of the newest report as a download; `query` is the filter of an address."""
    write = FORMATS[suffix].write_table if suffix in FORMATS else None
    if suffix == "csv":
        write = partial(write_csv, form=form)
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


@signed_in("GET")
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


@signed_in("GET")
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


@signed_in("GET")
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


def _document_response(request: AuthenticatedRequest, subject: Subject, context: dict[str, Any]) -> HttpResponse:
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
        "report": subject.report,
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
