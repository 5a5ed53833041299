"""No endpoint takes a field without using it: what it does not know, it refuses by name."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User

from moss.integrations.api.service import api
from moss.integrations.webhooks.api import WebhookChange, WebhookIn
from submissions.courses.api import AssignmentChange, AssignmentIn, CourseChange, CourseIn
from submissions.models import Assignment, Batch, Course
from tests.moss.integrations.api.test_roles import HEADERS, PREFIX
from tests.support.api import api_client, problem_of, send
from tests.support.every_page import World, api_places
from tests.support.sample_class import loose

NONSENSE = "no_such_field"
FORM = "multipart/form-data"
JSON = "application/json"
# What the query has to have.
REQUIRED = {("delete", "/courses/{course_id}"): "&name=x"}
SETTINGS = {
    "name": "Sorting",
    "term": "autumn 2026",
    "language": "python",
    "common_limit": 12,
    "due": "2026-12-01T12:00:00Z",
    "teams": "ada, ben",
    "compare_mates": True,
    "include_patterns": "*.csv",
    "exclude_patterns": "/tests/",
    "language_patterns": "*.st = structured-text",
    "compare_course": True,
    "compare_archive": True,
    "hold": "An appeal.",
    "threshold": 40,
}


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the method, the path and the kinds of body of every endpoint."""
    for path, methods in api.get_openapi_schema()["paths"].items():
        for method, operation in methods.items():
            yield method, path.removeprefix(PREFIX), operation.get("requestBody", {}).get("content", {})


def refused_fields(response: Any) -> set[str]:
    """Return the last part of the names of the fields that an answer refuses."""
    assert response.status_code == 422, response.content
    return {error["field"].rpartition(".")[2] for error in problem_of(response)["errors"]}


@pytest.mark.long
def test_every_endpoint_names_a_field_that_it_does_not_know(world: World) -> None:
    client = api_client(world.owner)
    listed = world.assignment.batches.create(name="listed", state=Batch.State.LISTED, preview=True)
    places = api_places(world, world.owner) | {"upload_id": listed.pk, "table": "pairs", "suffix": "csv"}
    seen = []
    for method, path, content in operations():
        address, headers = PREFIX + path.format(**places), HEADERS.get((method, path))
        calls: Any = getattr(client, method)
        if FORM in content:
            required = content[FORM]["schema"]["required"]
            body = {name: loose("main.py", "x = 1") for name in required} | {NONSENSE: "1"}
            assert NONSENSE in refused_fields(calls(address, body)), path
            seen.append(FORM)
        elif JSON in content:
            response = calls(address, {NONSENSE: 1}, content_type=JSON)
            assert NONSENSE in refused_fields(response), path
            seen.append(JSON)
        elif method != "head" and not content:  # an answer to HEAD has no problem to read
            sent = {"content_type": JSON} if method != "get" else {}
            query = f"?{NONSENSE}=1{REQUIRED.get((method, path), '')}"
            response = calls(f"{address}{query}", headers=headers, **sent)
            assert refused_fields(response) == {NONSENSE}, (method, path)
            seen.append("query")
    assert (seen.count(FORM), seen.count(JSON) >= 9, seen.count("query") >= 30) == (3, True, True)


def test_every_request_schema_is_closed() -> None:
    document = api.get_openapi_schema()
    bodies = [
        content[JSON]["schema"]["$ref"].rpartition("/")[2] for *_, content in operations() if JSON in content
    ]
    assert len(bodies) >= 9
    for name in bodies:
        assert document["components"]["schemas"][name]["additionalProperties"] is False, name


def test_creation_takes_every_field_that_a_change_takes() -> None:
    assert AssignmentIn.model_fields.keys() == AssignmentChange.model_fields.keys() - {"read_again"}
    assert CourseIn.model_fields.keys() == CourseChange.model_fields.keys()
    assert WebhookIn.model_fields.keys() == WebhookChange.model_fields.keys() | {"url"}


def test_an_assignment_is_created_with_all_of_its_settings(alice: User) -> None:
    client, kept = api_client(alice), {"keep_months": 24, "keep_sources_days": 30, "in_archive": True}
    course = send(client, "post", "/courses", {"name": "Algorithms", **kept}).json()
    assert course.items() >= kept.items()
    path = f"/courses/{course['id']}/assignments"
    first = send(client, "post", path, SETTINGS).json()
    assert first.items() >= SETTINGS.items()
    second = send(client, "post", path, {"name": "Trees", "compared_with": [first["id"]]}).json()
    assert (second["compared_with"], second["threshold"], second["due"]) == ([first["id"]], None, None)
    assert (
        send(client, "patch", f"/assignments/{first['id']}", {"compare_course": False}).json()[
            "compare_course"
        ]
        is False
    )


def test_nothing_is_created_where_a_setting_is_refused(alice: User) -> None:
    client, course = api_client(alice), Course.objects.create(owner=alice, name="Algorithms")
    for setting in (
        {"compare_archive": True},
        {"compared_with": [99]},
        {"threshold": 0},
        {"teams": "ada\nada"},
    ):
        refused = send(client, "post", f"/courses/{course.pk}/assignments", {"name": "Trees", **setting})
        assert refused_fields(refused) == {*setting}
    assert not Assignment.objects.exists()


def test_a_webhook_is_created_paused(alice: User) -> None:
    course = Course.objects.create(owner=alice, name="Algorithms")
    body = {"url": "https://93.184.216.34/", "events": ["report.ready"], "active": False}
    created = send(api_client(alice), "post", f"/courses/{course.pk}/webhooks", body).json()
    assert created["state"] == "paused"
