"""Addresses of the API and of the page about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from django.shortcuts import render
from django.urls import path
from django.utils.html import format_html, format_html_join
from django.views.decorators.http import require_GET

from moss.integrations.api import problems
from moss.integrations.api.idempotency import idempotent
from moss.integrations.api.service import ROUTERS, api
from submissions.pages.requests import takes_files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.http import HttpRequest, HttpResponse
    from django.urls import URLPattern
    from django.utils.safestring import SafeString


class Endpoint(NamedTuple):
    """One method of one address; `parameters` are those of its path and query, `fields` those of its body."""

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


# The endpoints to which files are sent.
TAKE_FILES = ("api_uploads", "api_resumable", "api_boilerplate", "api_roster")

# Not `app_name`: Django would take that for the name of this module's own addresses.
endpoints = api.urls
for pattern in cast("list[URLPattern]", endpoints[0]):
    if pattern.name in TAKE_FILES:
        takes_files(pattern.callback)
    pattern.callback = idempotent(pattern.callback)

urlpatterns = [
    path("api/v1/", endpoints),
    path("api/docs", api_docs, name="api_docs"),
]
