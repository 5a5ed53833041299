"""The page of what platforms pushed to an assignment, and what failed."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from moss.integrations.lti.fetching import start_again
from moss.integrations.lti.models import PushedSubmission
from submissions.core.access import find_assignment
from submissions.core.names import hides_names
from submissions.core.rights import Right
from submissions.work import jobs

if TYPE_CHECKING:
    from django.http import HttpResponse

    from submissions.pages.requests import AuthenticatedRequest

logger = logging.getLogger(__name__)

SUBMISSIONS_A_PAGE = 100
State = PushedSubmission.State


@never_cache
@login_required
@require_GET
def pushed(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """List what platforms pushed to an assignment: what failed first, then what came last."""
    assignment = find_assignment(request.user, pk, Right.CHANGE)
    rows = PushedSubmission.objects.filter(assignment=assignment).select_related("batch")
    rows = jobs.with_due(rows, "fetch_submission")
    failed = rows.filter(state=State.FAILED)
    others = Paginator(rows.exclude(state=State.FAILED), SUBMISSIONS_A_PAGE)
    context = {
        "assignment": assignment,
        "hidden": hides_names(request, assignment.course),
        "failed": Paginator(failed, SUBMISSIONS_A_PAGE).get_page(request.GET.get("failed")),
        "others": others.get_page(request.GET.get("page")),
        "waiting": rows.filter(state=State.FETCHED).count(),
        "minutes": int(settings.LTI_GATHER_TIME.total_seconds() // 60),
    }
    return render(request, "lti/pushed.html", context)


@login_required
@require_POST
def fetch_again(request: AuthenticatedRequest, pk: int, pushed_id: int) -> HttpResponse:
    """Have a submission fetched again that failed, or whose upload was deleted."""
    assignment = find_assignment(request.user, pk, Right.CHANGE)
    row = get_object_or_404(PushedSubmission, pk=pushed_id, assignment=assignment)
    if start_again(row):
        logger.info("account %s has %s fetched again", request.user.pk, row)
        messages.info(request, _("It is being fetched. Load this page again to see whether it came."))
    else:
        messages.info(request, _("Nothing was done: it is no longer marked as failed."))
    return redirect("lti_pushed", pk)


@login_required
@require_POST
def read_now(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Have an upload made of what was fetched so far, without waiting for more."""
    assignment = find_assignment(request.user, pk, Right.CHANGE)
    fetched = PushedSubmission.objects.filter(assignment=assignment, state=State.FETCHED)
    if fetched.exists():
        jobs.enqueue("gather_submissions", assignment.pk)
        messages.info(request, _("What arrived becomes an upload, and is compared next."))
    else:
        messages.info(request, _("Nothing is waiting to be read."))
    return redirect("lti_pushed", pk)
