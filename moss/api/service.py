"""The API with its endpoints, and its OpenAPI document."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from ninja import NinjaAPI

from moss.api import problems
from moss.api.assignments import router as assignments
from moss.api.authentication import TokenAuth
from moss.api.boilerplate import router as boilerplate
from moss.api.cases import router as cases
from moss.api.courses import router as courses
from moss.api.decisions import router as decisions
from moss.api.documents import router as documents
from moss.api.pairs import router as pairs
from moss.api.parsing import StorableParser
from moss.api.reports import router as reports
from moss.api.resumable import router as resumable
from moss.api.shares import router as shares
from moss.api.uploads import router as uploads
from moss.api.webhooks import router as webhooks
from moss.api.withheld import router as withheld

ROUTERS = {
    "Courses": courses,
    "Assignments": assignments,
    "Uploads": uploads,
    "Uploads in parts": resumable,
    "Boilerplate": boilerplate,
    "Reports": reports,
    "Cases": cases,
    "Pairs": pairs,
    "Withheld matches": withheld,
    "Decisions": decisions,
    "Documents": documents,
    "Shares": shares,
    "Webhooks": webhooks,
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

    def _described(self, **options: Any) -> Any:
        schema = super().get_openapi_schema(**options)
        schema["components"].setdefault("schemas", {})["Problem"] = PROBLEM
        for operations in schema["paths"].values():
            for method, operation in operations.items():
                _add_errors(method, operation)
        return schema


def _add_errors(method: str, operation: dict[str, Any]) -> None:
    reads = method == "get"
    for status in ERRORS if reads else (*ERRORS, *ERRORS_OF_WRITES):
        operation["responses"].setdefault(status, _error(status))
    if reads:
        operation["responses"][304] = {"description": "The client has it already: see If-None-Match."}
        operation["parameters"].append(_header("If-None-Match", "The ETag of what the client has."))
    if method == "post":
        text = "Any text; the same request with the same key is answered as the first time, for 24 hours."
        operation["parameters"].append(_header("Idempotency-Key", text))


def _error(status: int) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        "description": problems.MEANINGS[status],
        "content": {problems.CONTENT_TYPE: {"schema": schema}},
    }


def _header(name: str, description: str) -> dict[str, Any]:
    schema = {"type": "string", "maxLength": 255}
    return {"in": "header", "name": name, "required": False, "description": description, "schema": schema}


api = Api(
    title="moss",
    version="1",
    description="Courses, uploads, reports and decisions, as on the pages. See docs/api.md.",
    auth=TokenAuth(),
    parser=StorableParser(),
    docs_url=None,
    openapi_url="/openapi.json",
)
problems.add_handlers(api)
for name, router in ROUTERS.items():
    api.add_router("", router, tags=[name])
