"""Requests of the API: tokens, limits, problems and ETags of every address, and idempotency keys.

A request that is sent again with the same key is answered as the first time. Who asks is known by the token
in the Authorization header, or by the session of the upload page.
"""

from __future__ import annotations

import logging
import time
from datetime import timedelta
from functools import wraps
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.db import transaction
from django.http import HttpResponse
from django.middleware.csrf import CsrfViewMiddleware
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.functional import SimpleLazyObject
from ninja.security import HttpBearer
from redis.exceptions import RedisError

from submissions.core import api as problems
from submissions.core.accounts import note_use, token_by_digest, token_digest
from submissions.core.api import Problem
from submissions.models import ApiAnswer
from submissions.work.locks import text_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from django.contrib.auth.models import User
    from django.http import HttpRequest

    from submissions.models import ApiToken

    View = Callable[..., HttpResponse]

# The endpoints that the upload page uses too, with its session and its CSRF token.
OF_PAGES = ("api_resumables", "api_resumable")
HOW_TO_SIGN_IN = "Send the header “Authorization: Bearer” with a token from the page of your account."

KEY_HEADER = "Idempotency-Key"
KEPT = timedelta(hours=24)
LONGEST_KEY = 255
SERVER_ERROR = 500
# Headers that are part of a request's content, like its address and body: the headers of uploads in parts.
ASKING = "Upload-"

logger = logging.getLogger(__name__)

PREFIX = "/api/v1/"
FIRST_ERROR = 400
MINUTE = 60


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
    return f"A token is missing. {HOW_TO_SIGN_IN}"


def idempotent(view: View) -> View:
    """Have a view carry out a request once; repeat the answer if the request is sent again with its key."""

    @wraps(view)
    def wrapper(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        key, token = request.headers.get(KEY_HEADER, ""), token_of(request)
        if request.method != "POST" or not key or not token:
            return view(request, *args, **kwargs)
        if len(key) > LONGEST_KEY or not key.isprintable():
            text = f"The {KEY_HEADER} has at most {LONGEST_KEY} printable characters."
            return Problem(422, text).response()
        ApiAnswer.objects.filter(created__lt=timezone.now() - KEPT).delete()
        return _once(request, token, key, lambda: view(request, *args, **kwargs))

    return wrapper


def _once(request: HttpRequest, token: ApiToken, key: str, act: Callable[[], HttpResponse]) -> HttpResponse:
    """Return the stored answer, or carry out the request and store its answer in the same transaction.

    A process that is lost meanwhile stores neither changes nor answer. A request that failed by an error of
    the server may be sent again.
    """
    digest = _digest(request)
    with transaction.atomic():
        if not text_lock(f"{KEY_HEADER} {token.pk} {key}"):
            text = "The first request with this key is still worked on."
            return Problem(409, text, {"Retry-After": "5"}).response()
        if stored := ApiAnswer.objects.filter(token=token, key=key).first():
            # The first request was written to the audit log already.
            request.__dict__.pop("audit_entry", None)
            return _again(stored, digest)
        response = act()
        if response.status_code >= SERVER_ERROR or response.streaming:
            transaction.set_rollback(True)
        else:
            _store(ApiAnswer(token=token, key=key, request=digest), response)
    return response


def _store(answer: ApiAnswer, response: HttpResponse) -> None:
    answer.status, answer.headers = response.status_code, dict(response.headers)
    answer.body = response.content.decode()
    answer.save()


def _again(answer: ApiAnswer, digest: str) -> HttpResponse:
    if answer.request != digest:
        return Problem(422, f"This {KEY_HEADER} was used for another request. Choose a new one.").response()
    if not answer.body:  # Every answer to a POST has one; this was sealed with a former SECRET_KEY.
        text = "This was done before; its answer cannot be read any more. Choose a new key for another one."
        return Problem(409, text).response()
    headers = answer.headers | {"Idempotency-Replayed": "true"}
    return HttpResponse(answer.body, status=answer.status, headers=headers)


def _digest(request: HttpRequest) -> str:
    """Return a digest of a request; files count by their content, however their parts are divided."""
    digest = sha256()
    for part in _parts(request):
        digest.update(len(part).to_bytes(8) + part)
    return digest.hexdigest()


def _parts(request: HttpRequest) -> Iterator[bytes]:
    yield f"{request.method} {request.get_full_path()}".encode(errors="surrogatepass")
    for name, value in sorted(request.headers.items()):
        if name.startswith(ASKING):
            yield repr((name, value)).encode(errors="surrogatepass")
    if request.content_type != "multipart/form-data":
        yield request.body
        return
    for name, values in sorted(request.POST.lists()):
        yield repr((name, values)).encode(errors="surrogatepass")
    for name, files in sorted(request.FILES.lists()):
        for file in files:
            yield repr((name, file.name, file.size)).encode(errors="surrogatepass")
            yield from file.chunks()
            file.seek(0)


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
