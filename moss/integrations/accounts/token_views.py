"""The page of one's tokens for the API."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect, render
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from moss.integrations.accounts.forms import CreateToken, RevokeTokens
from submissions.actions.tokens import create_token, revoke_tokens
from submissions.queries.tokens import tokens

if TYPE_CHECKING:
    from django.http import HttpResponse

    from submissions.pages.views.access import AuthenticatedRequest

logger = logging.getLogger(__name__)


@login_required
@require_http_methods(["GET", "POST"])
def api_tokens(request: AuthenticatedRequest) -> HttpResponse:
    """List the tokens of the user, create one, which the answer shows once, and revoke those chosen."""
    revokes = "revoke_chosen" in request.POST
    keys = [token.pk for token in tokens(request.user)]
    revoke = RevokeTokens(request, keys, request.POST if revokes else None, prefix="old")
    create = CreateToken(request, request.POST if request.POST and not revokes else None)
    if revoke.is_valid():
        return _revoked(request, revoke.cleaned_data["revoke"])
    secret = _created(request, create) if create.is_valid() else ""
    context = {
        "tokens": tokens(request.user),
        "create": CreateToken(request) if secret else create,
        "revoke": revoke,
        "secret": secret,
    }
    status = 422 if create.errors or revoke.errors else 200
    return render(request, "accounts/tokens.html", context, status=status)


def _created(request: AuthenticatedRequest, form: CreateToken) -> str:
    data = form.cleaned_data
    lasting = timedelta(days=data["lasting"])
    token, secret = create_token(request.user, data["name"], data["scope"], lasting, data["courses"])
    logger.info("account %s created token %s (%s)", request.user.pk, token.pk, token.scope)
    return secret


def _revoked(request: AuthenticatedRequest, keys: list[int]) -> HttpResponse:
    revoked = revoke_tokens(request.user, keys)
    logger.info("account %s revoked the tokens %s", request.user.pk, keys)
    text = ngettext("{n} token was revoked.", "{n} tokens were revoked.", revoked)
    messages.success(request, text.format(n=revoked))
    return redirect("api_tokens")
