"""The middleware of the API: tokens, limits, problems and ETags of every address."""

from __future__ import annotations

import logging
import time
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.cache import cache
from django.http import HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.functional import SimpleLazyObject
from redis.exceptions import RedisError

from moss.integrations.api import problems
from moss.integrations.api.authentication import token_of, user_of_request
from moss.integrations.api.problems import Problem
from submissions.core.accounts import note_use

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest

    from submissions.models import ApiToken

logger = logging.getLogger(__name__)

PREFIX = "/api/v1/"
FIRST_ERROR = 400
MINUTE = 60


class ApiRequests:
    """Answer requests to the API in the name of the user of their token.

    Cookies count for nothing there, but for the parts of a file that the upload page sends. This comes after
    the middleware that sets the user of a session.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith(PREFIX):
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
        token = token_of(request) if request.path_info.startswith(PREFIX) else None
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


def too_many_requests(token: ApiToken) -> Problem | None:
    """Count a request of a token; return the problem to answer with if it is one too many."""
    minute, second = divmod(int(time.time()), MINUTE)
    key = f"api-requests:{token.pk}:{minute}"
    try:
        cache.add(key, 0, MINUTE * 2)
        count = cache.incr(key)
    except (RedisError, ValueError) as error:
        # A limit is no reason to refuse everything while Valkey is away.
        logger.warning("the requests of token %s were not counted: %s", token.pk, error)
        return None
    if count <= settings.API_REQUESTS_A_MINUTE:
        return None
    wait = MINUTE - second
    text = f"More than {settings.API_REQUESTS_A_MINUTE} requests in a minute. Go on in {wait} s."
    return Problem(429, text, {"Retry-After": str(wait)})
