"""The API with its endpoints, its OpenAPI document, its addresses and the page about it.

Here are tokens, limits, problems and ETags of every address, and idempotency keys: a request that is sent
again with the same key is answered as the first time. Who asks is known by the token in the Authorization
header, or by the session of the upload page.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import cached_property, wraps
from hashlib import sha256
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.functional import SimpleLazyObject
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.parser import Parser
from ninja.security import HttpBearer
from redis.exceptions import RedisError

from fingerprint.engine import storable
from moss.integrations.accounts.api import router as accounts
from moss.integrations.repositories.api import router as repositories
from moss.integrations.webhooks.api import router as webhooks
from submissions.audit.views import router as audit
from submissions.cases.api import cases_router as cases, decisions_router as decisions, documents_router as documents
from submissions.core import api as problems
from submissions.core.access import Gone
from submissions.core.accounts import QuotaExceeded, note_use, token_by_digest, token_digest
from submissions.core.api import MEANINGS, UNKNOWN, Problem, refuse_unknown
from submissions.courses.api import (
    assignments_router as assignments,
    courses_router as courses,
    members_router as members,
    rosters_router as rosters,
)
from submissions.courses.retention import Held
from submissions.models import ApiAnswer, ApiToken
from submissions.pages.requests import Middleware, takes_files
from submissions.pairs.api import router as pairs
from submissions.reports.api import router as reports
from submissions.shares.api import shares_router as shares, withheld_router as withheld
from submissions.uploads.api import (
    LIMITS,
    boilerplate_router as boilerplate,
    resumable_router as resumable,
    submissions_router as submissions,
    uploads_router as uploads,
)
from submissions.work.locks import text_lock

if TYPE_CHECKING:
    from django.utils.datastructures import MultiValueDict
    from ninja.operation import Operation

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
REASON = "A text must contain no NUL and no half of a surrogate pair."
ROUTERS = {
    "Courses": courses, "People": members, "Rosters": rosters, "Assignments": assignments, "Uploads": uploads,
    "Uploads in parts": resumable, "Git repositories": repositories, "Submissions": submissions,
    "Boilerplate": boilerplate, "Reports": reports, "Cases": cases, "Pairs": pairs,
    "Withheld matches": withheld, "Decisions": decisions, "Documents": documents, "Shares": shares,
    "Webhooks": webhooks, "Audit log": audit, "Accounts": accounts,
}  # fmt: skip
# Errors of every endpoint, and further errors of the methods that change something.
ERRORS = (400, 401, 403, 404, 409, 410, 422, 429, 503)
ERRORS_OF_WRITES = (412, 413, 415, 507)
PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {"type": "object", "properties": {"field": {"type": "string"}, "message": {"type": "string"}}},
        },
    },
}
# A body for each endpoint that takes JSON, by the name of its schema.
EXAMPLES: dict[str, dict[str, Any]] = {
    "CourseIn": {"name": "Algorithms", "keep_months": 24},
    "CourseChange": {"name": "Algorithms, autumn"},
    "RoleIn": {"role": "assistant"},
    "InvitationIn": {"email": "tess@example.org", "role": "assistant"},
    "AssignmentIn": {"name": "Sheet 7", "language": "python", "due": "2026-12-01T12:00:00Z"},
    "AssignmentChange": {"threshold": 60},
    "LayoutIn": {"attempts": "all", "renames": {"A. Berg": "Anna Berg"}},
    "RepositoriesIn": {"repositories": "Anna Berg,https://github.com/course/lab1-anna"},
    "PlanIn": {"again_after_due": False},
    "RetryIn": {"token": ""},
    "DecisionIn": {"state": "suspicious", "notes": "Both have the same mistake in line 12."},
    "ShareIn": {"lasting": "month", "anonymous": True},
    "WebhookIn": {"url": "https://hooks.example.org/moss", "events": ["report.ready"]},
    "WebhookChange": {"active": False},
    "AccountIn": {"username": "ada", "email": "ada@example.org"},
}
# The endpoints to which files are sent.
TAKE_FILES = ("api_uploads", "api_resumable", "api_boilerplate", "api_roster")


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
        raise _unauthorized(request)

    def authenticate(self, request: HttpRequest, token: str) -> Any:  # noqa: ARG002 - its signature
        return token_of(request)


def _unauthorized(request: HttpRequest) -> Problem:
    reason = f"A token is missing. {HOW_TO_SIGN_IN}"
    if request.headers.get("Authorization"):
        reason = "The token is unknown, has expired or was revoked, or its account is inactive. Create a new one."
    return Problem(401, reason, {"WWW-Authenticate": 'Bearer realm="moss"'})


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


class ApiRequests(Middleware):
    """Answer requests to the API in the name of the user of their token.

    Cookies count for nothing there, but for the parts of a file that the upload page sends. This comes after
    the middleware that sets the user of a session.
    """

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith(PREFIX):
            return self.get_response(request)
        # Looked up at the first use, which is where an error of the database becomes an answer.
        session_user = request.user
        request.user = SimpleLazyObject(lambda: user_of_request(request, session_user))  # type: ignore[assignment]
        response = self.get_response(request)
        if response.status_code >= FIRST_ERROR and response.headers["Content-Type"] != problems.CONTENT_TYPE:
            # With a token that is not valid, the size of the body does not matter.
            is_unknown = response.status_code == 413 and "Authorization" in request.headers and not token_of(request)
            response = _unauthorized(request).response() if is_unknown else problems.from_response(response)
        return _with_etag(request, response)

    def process_view(self, request: HttpRequest, _view: object, _args: object, _kwargs: object) -> HttpResponse | None:
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


class StorableParser(Parser):
    """Ninja's parser, which answers 422 where a name or a value cannot be stored."""

    def parse_body(self, request: HttpRequest) -> Any:
        return _checked(json.loads(request.body))

    def parse_querydict(
        self, data: MultiValueDict[str, Any], list_fields: list[str], request: HttpRequest
    ) -> dict[str, Any]:
        _checked(dict(data.lists()))
        return super().parse_querydict(data, list_fields, request)


def _checked(content: Any) -> Any:
    errors = [{"field": storable(name), "message": REASON} for name in _unstorable(content, "")]
    if errors:
        raise Problem(422, REASON, errors=errors)
    return content


def _unstorable(value: Any, name: str) -> Iterator[str]:
    """Yield the names of the texts that cannot be stored; a part of a value is named after a dot."""
    if isinstance(value, str) and storable(value) != value:
        yield name
    elif isinstance(value, dict):
        for key, one in value.items():
            inner = f"{name}.{key}" if name else key
            yield from _unstorable(key, inner)
            yield from _unstorable(one, inner)
    elif isinstance(value, list):
        for one in value:
            yield from _unstorable(one, name)


class Api(NinjaAPI):
    """An API whose OpenAPI document has the errors and the headers that hold for all endpoints."""

    def get_openapi_schema(self, **options: Any) -> Any:
        return self._described(**options) if any(options.values()) else self._document

    @cached_property
    def _document(self) -> Any:
        """The document, made once: to ask every model for its schema takes a fifth of a second."""
        return self._described()

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Return the name of the function of an endpoint, which a generated client gets too."""
        return operation.view_func.__name__

    def _described(self, **options: Any) -> Any:
        schema = super().get_openapi_schema(**options)
        schema["components"].setdefault("schemas", {})["Problem"] = PROBLEM
        for operations in schema["paths"].values():
            for method, operation in operations.items():
                _complete(method, operation)
        return schema


def _complete(method: str, operation: dict[str, Any]) -> None:
    for parameter in operation["parameters"]:
        parameter["schema"].update(LIMITS.get(parameter["name"], {}))
    for content in operation.get("requestBody", {}).get("content", {}).values():
        if reference := content["schema"].get("$ref"):
            content["example"] = EXAMPLES[reference.rpartition("/")[2]]
    reads = method == "get"
    for status in ERRORS if reads else (*ERRORS, *ERRORS_OF_WRITES):
        operation["responses"].setdefault(status, _error(status))
    if reads:
        operation["responses"][304] = {"description": "The client has it already: see If-None-Match."}
        operation["parameters"].append(_header("If-None-Match", "The ETag of what the client has."))
    if method == "post":
        text = "Any text; the same request with the same key is answered as the first time, for 24 hours."
        operation["parameters"].append(_header("Idempotency-Key", text, maxLength=LONGEST_KEY))


def _error(status: int) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": problems.MEANINGS[status], "content": {problems.CONTENT_TYPE: {"schema": schema}}}


def _header(name: str, description: str, **limits: int) -> dict[str, Any]:
    schema = {"type": "string", **limits}
    return {"in": "header", "name": name, "required": False, "description": description, "schema": schema}


api = Api(
    title="moss",
    version="1",
    description="Courses, uploads, reports and decisions, as on the pages. See docs/do/api.md.",
    auth=TokenAuth(),
    parser=StorableParser(),
    docs_url=None,
    openapi_url="/openapi.json",
)


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
        errors = [_error_of(error) for error in exception.errors]
        return Problem(422, "; ".join(f"{one['field']}: {one['message']}" for one in errors), errors=errors)
    if isinstance(exception, HttpError):
        if isinstance(exception.__cause__, Problem):  # of a body that was parsed
            return exception.__cause__
        return Problem(exception.status_code, str(exception))
    if status == HTTPStatus.NOT_FOUND:
        return Problem(status, MEANINGS[status])
    return Problem(status, str(exception))


def _error_of(error: dict[str, Any]) -> dict[str, str]:
    """Return the field and the message of an error; a field has the same name in a form and in JSON."""
    source, *names = error["loc"]
    field = ".".join(map(str, names[1:] if source == "body" else names)) or source
    return {"field": field, "message": UNKNOWN if error["type"] == "extra_forbidden" else error["msg"]}


add_handlers(api)
api.add_decorator(refuse_unknown)
for name, router in ROUTERS.items():
    api.add_router("", router, tags=[name])


class Endpoint(NamedTuple):
    """One method of one address; `parameters` are in its path and query, `fields` in its body."""

    method: str
    path: str
    summary: str
    description: SafeString
    parameters: list[str]
    fields: list[str]

    @property
    def path_parts(self) -> list[str]:
        """The path, between whose parts a narrow page may break the line."""
        return self.path.strip("/").split("/")


@require_GET
def api_docs(request: HttpRequest) -> HttpResponse:
    """List the endpoints as the OpenAPI document has them."""
    schema = api.get_openapi_schema()
    groups = {name: [one for tag, one in _endpoints(schema) if tag == name] for name in ROUTERS}
    return render(request, "api/docs.html", {"groups": groups, "problems": problems.MEANINGS})


def _endpoints(schema: dict[str, Any]) -> Iterator[tuple[str, Endpoint]]:
    for address, operations in schema["paths"].items():
        for method, operation in operations.items():
            parameters = [one["name"] for one in operation["parameters"] if one["in"] in {"path", "query"}]
            yield (
                operation["tags"][0],
                Endpoint(
                    method.upper(),
                    address,
                    operation["summary"],
                    _marked(operation.get("description", "")),
                    parameters,
                    _fields(schema, operation),
                ),
            )


def _marked(description: str) -> SafeString:
    """Return a description with what is between backticks as code."""
    parts = description.split("`")
    marks = ("{}", "<code>{}</code>")
    return format_html_join("", "{}", ((format_html(marks[n % 2], part),) for n, part in enumerate(parts)))


def _fields(schema: dict[str, Any], operation: dict[str, Any]) -> list[str]:
    content = operation.get("requestBody", {}).get("content", {})
    body: dict[str, Any] = next((one["schema"] for one in content.values()), {})
    if reference := body.get("$ref"):
        body = schema["components"]["schemas"][reference.rpartition("/")[2]]
    return list(body.get("properties", {}))


# Not `app_name`: Django would take that for the name of this module's own addresses.
endpoints = api.urls
for pattern in cast("list[URLPattern]", endpoints[0]):
    if pattern.name in TAKE_FILES:
        takes_files(pattern.callback)
    pattern.callback = idempotent(pattern.callback)

urlpatterns = [path("api/v1/", endpoints), path("api/docs", api_docs, name="api_docs")]
