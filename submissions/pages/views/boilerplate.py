"""Boilerplate: uploading and removing it, and the state of what was uploaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from submissions.actions.accounts import QuotaExceeded
from submissions.actions.boilerplate import add_boilerplate, dismiss_boilerplate_upload, remove_boilerplate
from submissions.pages.forms.uploads import StatementForm, UploadForm
from submissions.pages.report.exclusions import boilerplate_context
from submissions.pages.request_bodies import takes_files
from submissions.pages.views import assignments
from submissions.permissions import Right
from submissions.pseudonyms.names import names_for
from submissions.queries.access import find_assignment, find_boilerplate, find_boilerplate_upload

if TYPE_CHECKING:
    from submissions.models import Assignment
    from submissions.pages.views.access import AuthenticatedRequest


@takes_files
@login_required
@require_POST
def add(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    assignment = find_assignment(request.user, pk, Right.CHANGE)
    is_statement = bool(request.POST.get("statement"))
    if is_statement:
        form: UploadForm = StatementForm(request.POST, request.FILES, auto_id="statement_%s")
    else:
        form = UploadForm(request.POST, request.FILES, auto_id="boilerplate_%s")
    if form.is_valid():
        try:
            add_boilerplate(assignment, form.cleaned_data["files"], statement=is_statement)
            return _redirect_to_boilerplate(assignment)
        except QuotaExceeded as refusal:
            form.add_error("files", str(refusal))
    return assignments.assignment_page(request, assignment, "ignored", boilerplate_form=form)


def _redirect_to_boilerplate(assignment: Assignment) -> HttpResponse:
    return HttpResponseRedirect(f"{reverse('ignored', args=[assignment.pk])}#boilerplate-heading")


@login_required
@require_GET
def progress(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Return the fragment with an assignment's boilerplate, which the page polls while some of it is read.

    In the query, `was` is the version of the fragment that the page has: the answer is 204 if that is still
    the current one.
    """
    assignment = find_assignment(request.user, pk, Right.READ)
    names = names_for(request, assignment)
    context = boilerplate_context(assignment, names)
    if request.GET.get("was") == context["boilerplate_version"]:
        return HttpResponse(status=204)
    context |= {"assignment": assignment, "names": names}
    return render(request, "submissions/uploads/_boilerplate_now.html", context)


@login_required
@require_POST
def dismiss(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Stop displaying what became of uploaded boilerplate."""
    upload = find_boilerplate_upload(request.user, pk, Right.CHANGE)
    dismiss_boilerplate_upload(upload)
    return _redirect_to_boilerplate(upload.assignment)


@login_required
@require_POST
def remove(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    boilerplate = find_boilerplate(request.user, pk, Right.CHANGE)
    remove_boilerplate(boilerplate)
    name = names_for(request, boilerplate.assignment).redact_text(boilerplate.name)
    text = _("{name} counts again; the pairs are being ranked without it as boilerplate.")
    messages.info(request, text.format(name=name))
    return _redirect_to_boilerplate(boilerplate.assignment)
