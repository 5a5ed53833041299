"""Who asks: the user of the token in the Authorization header."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django.contrib.auth.models import AnonymousUser
from ninja.security import HttpBearer

from moss.api.problems import Problem
from submissions.actions.tokens import token_digest
from submissions.queries.tokens import token_by_digest

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.http import HttpRequest

    from submissions.models import ApiToken

HEADER = "Send the header “Authorization: Bearer” with a token from the page of your account."


def token_of(request: HttpRequest) -> ApiToken | None:
    """Return the valid token of a request, or None; it is looked up once a request."""
    kept = request.__dict__
    if "_api_token" not in kept:
        scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
        token = token_by_digest(token_digest(secret.strip())) if scheme.lower() == "bearer" else None
        kept["_api_token"] = token if token and token.is_valid else None
    return cast("ApiToken | None", kept["_api_token"])


def user_of_token(request: HttpRequest) -> User | AnonymousUser:
    """Return the user in whose name a request is made, who may do no more than the token allows."""
    token = token_of(request)
    return token.user if token else AnonymousUser()


class TokenAuth(HttpBearer):
    """Let requests with a valid token in."""

    def __call__(self, request: HttpRequest) -> Any:
        if token := token_of(request):
            return token
        raise Problem(401, _reason(request), {"WWW-Authenticate": 'Bearer realm="moss"'})

    def authenticate(self, request: HttpRequest, token: str) -> Any:  # noqa: ARG002 - its signature
        return token_of(request)


def _reason(request: HttpRequest) -> str:
    if request.headers.get("Authorization"):
        return (
            "The token is unknown, has expired or was revoked, or its account is inactive. Create a new one."
        )
    return f"A token is missing. {HEADER}"
