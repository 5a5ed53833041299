"""Make links for others, list them, revoke them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from submissions import queries
from submissions.actions.shares import create_share, revoke_share, share_token
from submissions.pages.forms.shares import ShareForm
from submissions.pseudonyms.names import names_for

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from submissions.models import Assignment, Share
    from submissions.pages.views.access import SignedIn


class Row(NamedTuple):
    """A link that works, with its whole address."""

    share: Share
    url: str


@login_required
@require_http_methods(["GET", "POST"])
def shares(request: SignedIn, pk: int) -> HttpResponse:
    """List an assignment's links, and make one: of the report, or of the pair that the address names."""
    of = queries.assignment(request.user, pk)
    pair = _pair(of, request.GET.get("pair", ""))
    form = ShareForm(request.POST or None)
    if form.is_valid():
        data = form.cleaned_data
        made = create_share(of, request.user, data["expires"], pair=pair, anonymous=data["anonymous"])
        messages.success(request, "The link is ready: copy it and send it on.")
        return redirect(f"{reverse('shares', args=[pk])}#share-{made.pk}")
    listed = queries.shares(of)
    context = {
        "assignment": of,
        "names": names_for(request, of),
        "pair": pair,
        "form": form,
        "working": [Row(made, _address(request, made)) for made in listed.working],
        "ended": listed.ended,
        "ranked": queries.report_state(of).shown is not None,
    }
    return render(request, "submissions/shares.html", context, status=422 if form.errors else 200)


def _pair(of: Assignment, words: str) -> queries.PairNames | None:
    """Read `left-right`, two ids; nothing stands for the whole report."""
    if not words:
        return None
    left, _, right = words.partition("-")
    if not all(word.isascii() and word.isdigit() and len(word) < 19 for word in (left, right)):  # noqa: PLR2004 - bigint
        raise Http404("No such pair.")
    return queries.pair_names(of, int(left), int(right))


def _address(request: HttpRequest, made: Share) -> str:
    return request.build_absolute_uri(reverse("shared", args=[share_token(made)]))


@login_required
@require_POST
def revoke(request: SignedIn, pk: int) -> HttpResponse:
    made = queries.share(request.user, pk)
    revoke_share(made)
    messages.info(request, "The link was revoked: whoever opens it is told so, and sees nothing else.")
    return redirect("shares", made.assignment_id)
