"""No JSON body takes a value of another type than the OpenAPI document names for its field."""

from collections.abc import Iterator
from typing import Any

import pytest

from moss.integrations.api.service import api
from tests.moss.integrations.api.test_roles import PREFIX
from tests.moss.integrations.api.test_unknown_fields import JSON, operations
from tests.support.api import api_client, problem_of
from tests.support.every_page import World, api_places

pytestmark = pytest.mark.services

OTHERS: dict[str, list[object]] = {
    "boolean": [0, 1, "true", "off", 0.0],
    "integer": ["3", True, 3.5],
    "string": [3, True, []],
    "array": ["3", {}, [True], [None], [3.5]],
}


def fields() -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Yield the method, the path, the name and the schema of each field of each JSON body."""
    schemas = api.get_openapi_schema()["components"]["schemas"]
    for method, path, content in operations():
        if JSON in content:
            name = content[JSON]["schema"]["$ref"].rpartition("/")[2]
            for field, schema in schemas[name]["properties"].items():
                yield method, path, field, schema


def types_of(schema: dict[str, Any]) -> set[str]:
    """Return the types of a field, of which null can be one."""
    return {kind for one in schema.get("anyOf", [schema]) for kind in [one.get("type")] if kind}


@pytest.mark.parametrize("kind", OTHERS)
def test_every_field_refuses_values_of_other_types(world: World, kind: str) -> None:
    client, places = api_client(world.owner), api_places(world, world.owner)
    tried = 0
    for method, path, field, schema in fields():
        if types_of(schema) - {"null"} == {kind}:
            for value in OTHERS[kind]:
                response = getattr(client, method)(
                    PREFIX + path.format(**places), {field: value}, content_type=JSON
                )
                assert response.status_code == 422, (method, path, field, value)
                refused = [part for one in problem_of(response)["errors"] for part in one["field"].split(".")]
                assert field in refused, (method, path, field, value)
                tried += 1
    assert tried >= len(OTHERS[kind]), kind


def test_a_number_is_no_date(world: World) -> None:
    path = f"{PREFIX}/assignments/{world.assignment.pk}"
    for value, status in (("3", 422), ("1796126400", 422), ("2026-12-01T12:00:00Z", 200)):
        response = api_client(world.owner).patch(path, {"due": value}, content_type=JSON)
        assert response.status_code == status, value
