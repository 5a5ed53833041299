"""Documents about pairs and cases, as PDF or HTML."""

from __future__ import annotations

from typing import Annotated, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from moss.integrations.api.cases import find_stored_case
from moss.integrations.api.inputs import Input
from moss.integrations.api.objects import Id, Threshold, names_of, report_of, user_of
from moss.integrations.api.problems import Problem, invalid_form
from submissions.cases.documents import ALIASES, REAL_NAMES, Subject
from submissions.cases.read import find_suspicion
from submissions.core.access import find_assignment
from submissions.core.rights import Right
from submissions.matches.export_formats import PrintingFailed
from submissions.pages.paper import DocumentTooLong
from submissions.pairs.read import find_pair, threshold_of
from submissions.reports.exports import case_subject, confirmed_pairs, document_file, suspicion_subject
from submissions.reports.forms import ExportForm

router = Router()
FILE = {"schema": {"type": "string", "format": "binary"}}
FILES = {"responses": {200: {"content": {"application/pdf": FILE, "text/html": FILE}}}}


class Options(Input):
    """Options of a document; `names` is also the id of a submission, for the copy of its student.

    The copy of a student has only the pairs of that student, and hides all other names.
    """

    format: Literal["pdf", "html"] = "pdf"
    names: str = ""
    decision: bool = True
    sources: bool = False


@router.get(
    "/assignments/{assignment_id}/document",
    summary="Download the confirmed pairs",
    openapi_extra=FILES,
    url_name="api_document",
)
def get_document(
    request: HttpRequest, assignment_id: Id, options: Annotated[Options, Query()]
) -> HttpResponse:
    assignment = find_assignment(user_of(request), assignment_id, Right.READ)
    report = report_of(assignment)
    return _document(request, Subject(report, list(confirmed_pairs(report))), options)


@router.get(
    "/assignments/{assignment_id}/pairs/{left_id}/{right_id}/document",
    summary="Download a pair",
    openapi_extra=FILES,
    url_name="api_pair_document",
)
def get_pair_document(
    request: HttpRequest,
    assignment_id: Id,
    left_id: Id,
    right_id: Id,
    options: Annotated[Options, Query()],
) -> HttpResponse:
    """Download a pair, or the case by hand of two submissions that the report does not list as one."""
    assignment = find_assignment(user_of(request), assignment_id, Right.READ)
    report, ids = report_of(assignment), (left_id, right_id)
    if pair := find_pair(report, *ids):
        return _document(request, Subject(report, [pair], single=True), options)
    if suspicion := find_suspicion(report, names_of(request, assignment), ids):
        return _document(request, suspicion_subject(report, suspicion), options)
    raise Problem(404, "There is no such pair in the newest report.")


@router.get(
    "/assignments/{assignment_id}/cases/{submission_id}/document",
    summary="Download a case",
    openapi_extra=FILES,
    url_name="api_case_document",
)
def get_case_document(
    request: HttpRequest,
    assignment_id: Id,
    submission_id: Id,
    options: Annotated[Options, Query()],
    threshold: Threshold = 0,
) -> HttpResponse:
    """Download the case of a submission."""
    case, report, names = find_stored_case(request, (assignment_id, submission_id), threshold, Right.READ)
    at = threshold / 100 or threshold_of(report)
    return _document(request, case_subject(report, case, at, names), options)


def _document(request: HttpRequest, subject: Subject, options: Options) -> HttpResponse:
    if subject.is_empty:
        raise Problem(404, "No pair of the newest report is confirmed.")
    assignment = subject.report.assignment
    names = names_of(request, assignment)
    chosen = options.dict() | {"names": options.names or (ALIASES if names.aliases else REAL_NAMES)}
    form = ExportForm(subject.pairs, names, chosen)
    if not form.is_valid():
        raise invalid_form(form)
    try:
        return document_file(form.cleaned_data, subject, names)
    except DocumentTooLong as error:
        raise Problem(422, str(error)) from error
    except PrintingFailed as error:
        raise Problem(503, str(error)) from error
