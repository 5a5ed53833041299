"""The tokens of all accounts, for administrators: seen, and revoked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.shortcuts import redirect, render
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from submissions.actions.accounts import note_tokens, revoke_tokens
from submissions.pages.views.access import staff_only
from submissions.queries.accounts import all_tokens

if TYPE_CHECKING:
    from django.http import HttpResponse

    from submissions.pages.views.access import AuthenticatedRequest


@staff_only
@require_http_methods(["GET", "POST"])
def tokens(request: AuthenticatedRequest) -> HttpResponse:
    """List the tokens that were not revoked, by account, and revoke those chosen."""
    rows = all_tokens()
    if request.method != "POST":
        return render(request, "submissions/department/tokens.html", {"tokens": rows})
    keys = set(request.POST.getlist("token"))
    chosen = [one for one in rows if str(one.pk) in keys]
    for one in chosen:
        revoke_tokens(one.user, [one.pk])
    note_tokens(request.user.get_username(), request.audit_address, "revoked", chosen)
    number = len(chosen)
    text = ngettext("%(n)d token was revoked.", "%(n)d tokens were revoked.", number)
    messages.success(request, text % {"n": number})
    return redirect("all_tokens")
