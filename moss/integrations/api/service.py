"""The API with its endpoints, the parser of its requests, and its OpenAPI document."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ninja import NinjaAPI
from ninja.parser import Parser

from fingerprint.engine import storable
from moss.integrations.api import problems
from moss.integrations.api.assignments import router as assignments
from moss.integrations.api.audit import router as audit
from moss.integrations.api.authentication import TokenAuth
from moss.integrations.api.boilerplate import router as boilerplate
from moss.integrations.api.cases import router as cases
from moss.integrations.api.courses import router as courses
from moss.integrations.api.decisions import router as decisions
from moss.integrations.api.documents import router as documents
from moss.integrations.api.idempotency import LONGEST_KEY
from moss.integrations.api.inputs import refuse_unknown
from moss.integrations.api.members import router as members
from moss.integrations.api.pairs import router as pairs
from moss.integrations.api.problems import Problem
from moss.integrations.api.reports import router as reports
from moss.integrations.api.repositories import router as repositories
from moss.integrations.api.resumable import LIMITS, router as resumable
from moss.integrations.api.rosters import router as rosters
from moss.integrations.api.shares import router as shares
from moss.integrations.api.submissions import router as submissions
from moss.integrations.api.uploads import router as uploads
from moss.integrations.api.webhooks import router as webhooks
from moss.integrations.api.withheld import router as withheld

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.http import HttpRequest
    from django.utils.datastructures import MultiValueDict
    from ninja.operation import Operation

REASON = "A text must contain no NUL and no half of a surrogate pair."


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
# Errors that every endpoint may answer with, and those that only some methods do.
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
    return {
        "description": problems.MEANINGS[status],
        "content": {problems.CONTENT_TYPE: {"schema": schema}},
    }


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
problems.add_handlers(api)
api.add_decorator(refuse_unknown)
for name, router in ROUTERS.items():
    api.add_router("", router, tags=[name])
