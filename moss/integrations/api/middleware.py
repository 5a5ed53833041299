"""The middleware of the API: tokens, limits, problems and ETags of every address."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from django.http import HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.functional import SimpleLazyObject

from moss.integrations.api import problems
from moss.integrations.api.authentication import token_of, user_of_request
from moss.integrations.api.throttling import too_many_requests
from submissions.queries.tokens import note_use

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest

PREFIX = "/api/v1/"
FIRST_ERROR = 400


class ApiRequests:
    """Answer requests to the API in the name of the user of their token.

    Cookies count for nothing there, but for the parts of a file that the upload page sends. This comes after
    the middleware that sets the user of a session.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith(PREFIX):
            return self.get_response(request)
        # Looked up at the first use, which is where an error of the database becomes an answer.
        session_user = request.user
        request.user = SimpleLazyObject(lambda: user_of_request(request, session_user))  # type: ignore[assignment]
        response = self.get_response(request)
        if response.status_code >= FIRST_ERROR and response.headers["Content-Type"] != problems.CONTENT_TYPE:
            response = problems.from_response(response)
        return _with_etag(request, response)

    def process_view(
        self, request: HttpRequest, _view: object, _args: object, _kwargs: object
    ) -> HttpResponse | None:
        token = token_of(request) if request.path.startswith(PREFIX) else None
        if not token:
            return None
        if problem := too_many_requests(token):
            return problem.response()
        note_use(token)
        return None


def _with_etag(request: HttpRequest, response: Any) -> HttpResponse:
    """Add a checksum to what was read; answer 304 where the client has it already."""
    if request.method != "GET" or response.streaming or response.status_code != 200:
        return response  # type: ignore[no-any-return]
    etag = f'"{sha256(response.content).hexdigest()}"'
    response.headers["ETag"] = etag
    # A client may keep it, and has to ask every time whether it is still right.
    response.headers["Cache-Control"] = "private, no-cache"
    answer = get_conditional_response(request, etag=etag, response=response)
    assert isinstance(answer, HttpResponse)
    return answer
