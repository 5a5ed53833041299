"""The API with its endpoints, its OpenAPI document, its addresses and the page about it."""

from __future__ import annotations

import json
from functools import cached_property
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.shortcuts import render
from django.urls import path
from django.utils.html import format_html, format_html_join
from django.views.decorators.http import require_GET
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.parser import Parser

from fingerprint.engine import storable
from moss.integrations.api.requests import LONGEST_KEY, TokenAuth, idempotent
from moss.integrations.repositories.api import router as repositories
from moss.integrations.webhooks.api import router as webhooks
from submissions.audit.views import router as audit
from submissions.cases.api import (
    cases_router as cases,
    decisions_router as decisions,
    documents_router as documents,
)
from submissions.core import api as problems
from submissions.core.access import Gone
from submissions.core.accounts import QuotaExceeded
from submissions.core.api import MEANINGS, Problem, refuse_unknown
from submissions.courses.api import (
    assignments_router as assignments,
    courses_router as courses,
    members_router as members,
    rosters_router as rosters,
)
from submissions.courses.retention import Held
from submissions.pages.requests import takes_files
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

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.http import HttpRequest, HttpResponse
    from django.urls import URLPattern
    from django.utils.datastructures import MultiValueDict
    from django.utils.safestring import SafeString
    from ninja.operation import Operation

REASON = "A text must contain no NUL and no half of a surrogate pair."

ROUTERS = {
    "Courses": courses,
    "People": members,
    "Rosters": rosters,
    "Assignments": assignments,
    "Uploads": uploads,
    "Uploads in parts": resumable,
    "Git repositories": repositories,
    "Submissions": submissions,
    "Boilerplate": boilerplate,
    "Reports": reports,
    "Cases": cases,
    "Pairs": pairs,
    "Withheld matches": withheld,
    "Decisions": decisions,
    "Documents": documents,
    "Shares": shares,
    "Webhooks": webhooks,
    "Audit log": audit,
}
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
            "items": {
                "type": "object",
                "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
            },
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
}

# The endpoints to which files are sent.
TAKE_FILES = ("api_uploads", "api_resumable", "api_boilerplate", "api_roster")


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
