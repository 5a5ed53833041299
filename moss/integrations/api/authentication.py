"""Authentication by the token in the Authorization header, or by the session of the upload page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django.contrib.auth.models import AnonymousUser
from django.http import HttpResponse
from django.middleware.csrf import CsrfViewMiddleware
from ninja.security import HttpBearer

from moss.integrations.api.problems import Problem
from submissions.core.accounts import token_by_digest, token_digest

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.http import HttpRequest

    from submissions.models import ApiToken

# The endpoints that the upload page uses too, with its session and its CSRF token.
OF_PAGES = ("api_resumables", "api_resumable")
HEADER = "Send the header “Authorization: Bearer” with a token from the page of your account."


def token_of(request: HttpRequest) -> ApiToken | None:
    """Return the valid token of a request, or None; it is looked up once a request."""
    kept = request.__dict__
    if "_api_token" not in kept:
        scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
        token = token_by_digest(token_digest(secret.strip())) if scheme.lower() == "bearer" else None
        kept["_api_token"] = token if token and token.is_valid else None
    return cast("ApiToken | None", kept["_api_token"])


def user_of_request(request: HttpRequest, session_user: User | AnonymousUser) -> User | AnonymousUser:
    """Return the user in whose name a request is made, who may do no more than the token allows."""
    if token := token_of(request):
        return token.user
    match = request.resolver_match
    is_of_page = match and match.url_name in OF_PAGES and "Authorization" not in request.headers
    if is_of_page and session_user.is_authenticated and _has_csrf_token(request):
        return session_user
    return AnonymousUser()


class _CheckToken(CsrfViewMiddleware):
    """Django's check; its page for a failed one would ask for the user, who is looked for here."""

    def _reject(self, request: HttpRequest, reason: str) -> HttpResponse:  # noqa: ARG002 - its signature
        return HttpResponse(status=403)


def _has_csrf_token(request: HttpRequest) -> bool:
    check = _CheckToken(HttpResponse)
    # Views of the API are exempt from it, and were passed over already.
    request.csrf_processing_done = False  # type: ignore[attr-defined]
    check.process_request(request)
    return check.process_view(request, HttpResponse, (), {}) is None


class TokenAuth(HttpBearer):
    """Let requests with a valid token in, and those of the upload page."""

    def __call__(self, request: HttpRequest) -> Any:
        if request.user.is_authenticated:
            return request.user
        raise Problem(401, _reason(request), {"WWW-Authenticate": 'Bearer realm="moss"'})

    def authenticate(self, request: HttpRequest, token: str) -> Any:  # noqa: ARG002 - its signature
        return token_of(request)


def _reason(request: HttpRequest) -> str:
    if request.headers.get("Authorization"):
        return (
            "The token is unknown, has expired or was revoked, or its account is inactive. Create a new one."
        )
    return f"A token is missing. {HEADER}"
