"""Sign-in with a campus account while its provider does not answer, or answers something else."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.shortcuts import render

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

logger = logging.getLogger(__name__)

# What is raised on an address that asks the provider: no connection, an answer of an error, or no JSON; and
# where the addresses of the provider are looked up, JSON that does not have them.
NO_ANSWER: tuple[type[Exception], ...] = (OSError,)
FAILURES = {
    "openid_connect_login": (*NO_ANSWER, LookupError, AttributeError),
    "openid_connect_callback": NO_ANSWER,
    "saml_login": NO_ANSWER,
    "saml_acs": NO_ANSWER,
    "saml_finish_acs": NO_ANSWER,
    "saml_metadata": NO_ANSWER,
    "saml_sls": NO_ANSWER,
}


class SilentProviders:
    """Say on a page that the provider does not answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: Any, error: Exception) -> HttpResponse | None:
        match = request.resolver_match
        if not match or not isinstance(error, FAILURES.get(match.url_name, ())):
            return None
        logger.warning("the sign-in provider does not answer", exc_info=error)
        return render(request, "accounts/no_provider.html", status=HTTPStatus.SERVICE_UNAVAILABLE)
