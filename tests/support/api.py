"""Clients of the API with a token."""

from collections.abc import Collection
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from submissions.core.accounts import create_token
from submissions.models import Course

PROBLEM = "application/problem+json"
API = "/api/v1"


def secret_of(user: User, scope: str = "write", courses: Collection[Course] = (), days: int = 1) -> str:
    """Return the secret of a new token."""
    return create_token(user, "test", scope, timedelta(days=days), courses)[1]


def client_with(secret: str) -> Client:
    """Return a client that sends a token with every request."""
    return Client(headers={"Authorization": f"Bearer {secret}"}, raise_request_exception=False)


def api_client(user: User, scope: str = "write", courses: Collection[Course] = ()) -> Client:
    return client_with(secret_of(user, scope, courses))


def send(client: Client, method: str, path: str, body: object = None, **headers: str) -> Any:
    """Send a request with a JSON body to a path of the API."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    sends: Any = getattr(client, method.lower())
    options = {} if body is None else {"data": body, "content_type": "application/json"}
    return sends(API + path, headers=named, **options)


def problem_of(response: Any) -> dict[str, Any]:
    """Return the problem that a request was answered with; fail if it is none."""
    assert response.headers["Content-Type"] == PROBLEM, response.content
    document: dict[str, Any] = response.json()
    assert document["status"] == response.status_code
    assert {"type", "title", "detail"} <= document.keys()
    return document
