"""Errors of the API as problem documents (RFC 9457)."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.forms import BaseForm
from django.http import Http404, HttpResponse
from django.urls import reverse
from ninja.errors import HttpError, ValidationError

from submissions.core.access import Gone
from submissions.core.accounts import QuotaExceeded
from submissions.courses.retention import Held

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest
    from ninja import NinjaAPI

CONTENT_TYPE = "application/problem+json"
# What each status means here, as the page of the API explains it.
MEANINGS = {
    400: "The request cannot be parsed.",
    401: "The token is missing, unknown, expired or revoked, or its account is inactive.",
    403: "The token or the role of its user does not allow this.",
    404: "There is no such object, or the user has no right in its course.",
    405: "This address does not accept this method.",
    409: "The state of the object does not allow this, or it was changed meanwhile.",
    410: "The object was deleted.",
    412: "An upload in parts uses a version of the protocol that this service does not know.",
    413: "The body of the request is too large.",
    415: "This address does not accept the content type of the request.",
    422: "A value is missing or not allowed; `errors` says which.",
    429: "Too many requests with this token; `Retry-After` says how many seconds to wait.",
    500: "An error on the server; its log has the details.",
    503: "The service cannot answer just now; try again.",
    507: "The disk of the service is full.",
}


class Problem(Exception):
    """An error to answer with; `extra` are further members of the document."""

    def __init__(
        self, status: int, detail: str, headers: Mapping[str, str] | None = None, **extra: Any
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers, self.extra = status, detail, headers or {}, extra

    def response(self) -> HttpResponse:
        document = {
            "type": f"{reverse('api_docs')}#problem-{self.status}",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            **self.extra,
        }
        return HttpResponse(
            json.dumps(document), status=self.status, content_type=CONTENT_TYPE, headers=dict(self.headers)
        )


def invalid_form(form: BaseForm) -> Problem:
    """Return the problem of a form that is not valid."""
    errors = [
        {"field": "" if field == "__all__" else field, "message": str(message)}
        for field, messages in form.errors.items()
        for message in messages
    ]
    return Problem(422, "; ".join(error["message"] for error in errors), errors=errors)


def from_response(response: HttpResponse) -> HttpResponse:
    """Return the problem that stands for an error page, with its headers that say what to do."""
    kept = {name: response[name] for name in ("Allow", "Retry-After") if name in response}
    detail = MEANINGS.get(response.status_code, response.reason_phrase)
    if largest := getattr(response, "largest_body", 0):
        detail += f" It may have {largest:,} bytes here."
    return Problem(response.status_code, detail, kept).response()


def add_handlers(api: NinjaAPI) -> None:
    """Answer the errors that endpoints raise with problems."""

    def handle(error: type[Exception], status: int = 0) -> None:
        def answer(_request: HttpRequest, exception: Any) -> HttpResponse:
            return _problem(exception, status).response()

        api.add_exception_handler(error, answer)

    handle(Problem)
    handle(HttpError)
    handle(ValidationError)
    handle(PermissionDenied, 403)
    handle(Http404, 404)
    handle(Gone, 410)
    handle(QuotaExceeded, 422)
    handle(Held, 409)


def _problem(exception: Any, status: int) -> Problem:
    if isinstance(exception, Problem):
        return exception
    if isinstance(exception, ValidationError):
        errors = [
            {"field": ".".join(map(str, error["loc"])), "message": error["msg"]} for error in exception.errors
        ]
        return Problem(422, "; ".join(f"{one['field']}: {one['message']}" for one in errors), errors=errors)
    if isinstance(exception, HttpError):
        if isinstance(exception.__cause__, Problem):  # of a body that was parsed
            return exception.__cause__
        return Problem(exception.status_code, str(exception))
    if status == HTTPStatus.NOT_FOUND:
        return Problem(status, MEANINGS[status])
    return Problem(status, str(exception))
