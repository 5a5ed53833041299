"""The first steps on the start page: the sample class with one click."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from moss.sample_class import sample_assignment, upload_sample
from submissions.actions.quotas import QuotaExceeded

if TYPE_CHECKING:
    from django.http import HttpResponse

    from submissions.pages.views.access import AuthenticatedRequest


@login_required
@require_POST
def add_sample(request: AuthenticatedRequest) -> HttpResponse:
    """Create a course of the user's with the sample class, and open its assignment."""
    try:
        assignment = sample_assignment(request.user)
        upload_sample(assignment, request.user)
    except QuotaExceeded as refusal:
        messages.warning(request, str(refusal))
        return redirect("courses")
    messages.info(
        request, _("The sample class is being read. Delete it on the page of its course at any time.")
    )
    return redirect(assignment)
