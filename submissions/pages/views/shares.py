"""Create, list, take over and revoke share links."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from submissions.actions.shares import create_share, revoke_share, share_token, take_over_share
from submissions.pages.forms.people import ShareForm
from submissions.permissions import Right
from submissions.pseudonyms.names import names_for
from submissions.queries.access import find_assignment, find_share
from submissions.queries.decisions import PairNames, pair_names
from submissions.queries.reports import report_state
from submissions.queries.shares import shares_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from submissions.models import Assignment, Share
    from submissions.pages.views.access import AuthenticatedRequest


class ShareRow(NamedTuple):
    """A valid share link, with its absolute address."""

    share: Share
    url: str


@login_required
@require_http_methods(["GET", "POST"])
def shares(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """List an assignment's links, and create one: for the report, or for the pair that the address names."""
    assignment = find_assignment(request.user, pk, Right.SHARE)
    pair = _parse_pair(assignment, request.GET.get("pair", ""))
    form = ShareForm(request.POST or None)
    if form.is_valid():
        data = form.cleaned_data
        share = create_share(
            assignment, request.user, data["expires"], pair=pair, anonymous=data["anonymous"]
        )
        messages.success(request, _("The link is ready: copy it and send it on."))
        return redirect(f"{reverse('shares', args=[pk])}#share-{share.pk}")
    listed = shares_of(assignment)
    context = {
        "assignment": assignment,
        "names": names_for(request, assignment),
        "pair": pair,
        "form": form,
        "share_rows": [ShareRow(share, _address(request, share)) for share in listed.working],
        "stopped_shares": listed.stopped,
        "ended_shares": listed.ended,
        "has_report": report_state(assignment).report is not None,
    }
    return render(request, "submissions/shares/shares.html", context, status=422 if form.errors else 200)


def _parse_pair(assignment: Assignment, value: str) -> PairNames | None:
    """Return the pair of `value`, two ids as `left-right`; None for an empty value, the whole report.

    Raises
    ------
    Http404
        When it is no pair of submissions of the assignment.
    """
    if not value:
        return None
    left, _, right = value.partition("-")
    if not all(part.isascii() and part.isdigit() and len(part) < 19 for part in (left, right)):  # noqa: PLR2004 - bigint
        raise Http404("No such pair.")
    return pair_names(assignment, int(left), int(right))


def _address(request: HttpRequest, share: Share) -> str:
    return request.build_absolute_uri(reverse("shared", args=[share_token(share)]))


@login_required
@require_POST
def revoke(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    share = find_share(request.user, pk)
    revoke_share(share)
    messages.info(request, _("The link was revoked. A person who opens it only sees this."))
    return redirect("shares", share.assignment_id)


@login_required
@require_POST
def take_over(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    share = find_share(request.user, pk)
    take_over_share(share, request.user)
    messages.success(request, _("The link is yours: it shows what you may read."))
    return redirect(f"{reverse('shares', args=[share.assignment_id])}#share-{share.pk}")
