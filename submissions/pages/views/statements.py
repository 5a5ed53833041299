"""A student's statement: put it on file, download it, delete it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from fingerprint.engine import storable
from submissions.actions.statements import MAX_PDF_BYTES, StatementRefused, add_statement
from submissions.pages.request_bodies import takes_files
from submissions.permissions import Right
from submissions.pseudonyms.names import names_for
from submissions.queries.access import find_assignment
from submissions.queries.statements import find_statement
from submissions.queries.submissions import find_submission

if TYPE_CHECKING:
    from submissions.pages.views.access import AuthenticatedRequest


@takes_files
@login_required
@require_POST
def add(request: AuthenticatedRequest, pk: int, submission_id: int) -> HttpResponse:
    """Put a file on file as the statement of the student of a submission."""
    assignment = find_assignment(request.user, pk, Right.DECIDE)
    submission, file = find_submission(assignment, submission_id), request.FILES.get("file")
    try:
        data = file.read(MAX_PDF_BYTES + 1) if file else b""
        name = storable(file.name or "statement") if file else ""
        add_statement(assignment, submission.name, request.user, name, data)
    except StatementRefused as refused:
        messages.warning(request, _("Nothing was put on file: {error}").format(error=refused))
    else:
        messages.success(request, _("The statement is on file."))
    return redirect("submission", pk, submission_id)


@never_cache
@login_required
@require_GET
def download(request: AuthenticatedRequest, pk: int, submission_id: int, statement_id: int) -> HttpResponse:
    """Download a statement; no browser shows it as a page of the service."""
    assignment = find_assignment(request.user, pk, Right.SEE_NAMES)
    if names_for(request, assignment).hidden:
        raise Http404("A statement has names in it.")
    statement = find_statement(assignment, find_submission(assignment, submission_id), statement_id)
    response = HttpResponse(bytes(statement.data), content_type="application/octet-stream")
    header = content_disposition_header(as_attachment=True, filename=statement.file_name)
    response.headers["Content-Disposition"] = header or "attachment"
    response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response


@login_required
@require_POST
def delete(request: AuthenticatedRequest, pk: int, submission_id: int, statement_id: int) -> HttpResponse:
    """Delete a statement."""
    assignment = find_assignment(request.user, pk, Right.DECIDE)
    find_statement(assignment, find_submission(assignment, submission_id), statement_id).delete()
    messages.info(request, _("The statement was deleted."))
    return redirect("submission", pk, submission_id)
