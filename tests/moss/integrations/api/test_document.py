"""docs/do/api.md, the page about the API and its OpenAPI document say what is true."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import closing
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from typing import Any, cast

import pytest
import schemathesis
from django.contrib.auth.models import User
from django.core import signals
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, Phase, given, seed, settings as examples
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from submissions.models import Assignment, Batch, Course
from tests.moss.integrations.api.test_protocol import JSON, operations
from tests.moss.integrations.api.test_roles import PREFIX, QUERIES, endpoints
from tests.support.api import api_client, secret_of
from tests.support.every_page import World, api_places
from tests.support.html import get_page
from tests.support.long_rows import rest_is_long
from tests.support.paths import ROOT
from tests.support.processes import completed
from tests.support.sample_class import CLASS, zipped
from tests.support.web_server import web_server

pytestmark = pytest.mark.services

DOCUMENT = (ROOT / "docs" / "do" / "api.md").read_text()


@pytest.mark.long
@pytest.mark.slow
def test_the_example_runs_as_it_stands_there(celery_worker_process: Path, tmp_path: Path) -> None:
    [example] = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)
    assert len([line for line in example.splitlines() if line]) == 10
    owner = User.objects.create_user("alice")
    course = Course.objects.create(owner=owner, name="Programming 1")
    assignment = Assignment.objects.create(course=course, name="Statistics")
    (tmp_path / "class.zip").write_bytes(zipped(CLASS).read())
    with web_server() as port:
        variables = {
            "MOSS_SERVER": f"http://localhost:{port}",
            "MOSS_TOKEN": secret_of(owner),
            "MOSS_ASSIGNMENT": str(assignment.pk),
        }
        command = [sys.executable, "-c", example]
        run = completed(command, env=os.environ | variables, cwd=tmp_path, timeout=200)
    assert run.returncode == 0, run.stderr
    assert re.fullmatch(r"\d+%  ada  ben", run.stdout.splitlines()[0])


@pytest.mark.django_db
def test_the_page_lists_every_endpoint_and_loads_nothing_from_elsewhere(client: Client) -> None:
    page = get_page(client, reverse("api_docs"))
    assert set(page.texts("main li .name code")) == {f"{method.upper()} {PREFIX}{path}" for method, path in endpoints()}
    assert page.texts("#problem-429 .name") == ["429"]
    assert not [link for link in page.links() if link.startswith("http")]
    assert client.get("/api/v1/openapi.json").json()["openapi"].startswith("3.")


def test_every_example_of_a_body_is_one_that_the_service_accepts(world: World, admin: User) -> None:
    clients = {True: api_client(admin), False: api_client(world.owner)}
    listed = world.assignment.batches.create(name="listed", state=Batch.State.LISTED, preview=True)
    places, sent = api_places(world, world.owner) | {"upload_id": listed.pk}, 0
    for method, path, content in operations():
        if JSON in content:
            address = PREFIX + path.format(**places) + QUERIES.get(path, "")
            client = clients[path.startswith("/accounts")]
            response = getattr(client, method)(address, content[JSON]["example"], content_type=JSON)
            assert response.status_code < 300, (method, path, response.content)
            sent += 1
    assert sent >= 15


POSITIVE, NEGATIVE = GenerationMode.POSITIVE, GenerationMode.NEGATIVE


CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


# A property has a twentieth of the usual examples here: there are a hundred endpoints.
BOUNDED = examples(
    max_examples=max(2, examples().max_examples // 20),
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@schemathesis.serializer("application/offset+octet-stream")
def part(_context: Any, value: Any) -> Any:
    """Return a part of an upload as it is sent."""
    return value if isinstance(value, bytes) else str(value).encode()


@pytest.fixture
def app(settings: Any) -> Iterator[Any]:
    """Return the WSGI application; it leaves the connection to the test's transaction open.

    Its answers are read and closed, as a server does: the client of these tests does not.
    """
    settings.API_REQUESTS_A_MINUTE = 1_000_000
    both = (signals.request_started, signals.request_finished)
    for signal in both:
        signal.disconnect(close_old_connections)
    application = get_wsgi_application()

    def answer(*request: Any) -> list[bytes]:
        with closing(application(*request)) as response:
            return [b"".join(response)]

    yield answer
    for signal in both:
        signal.connect(close_old_connections)


# In `make test` valid requests go to every other endpoint, and mistaken ones to those between.
@pytest.mark.parametrize(
    ("mode", "first"), rest_is_long([(POSITIVE, 0), (NEGATIVE, 1), (POSITIVE, 1), (NEGATIVE, 0)], first=2)
)
def test_every_answer_is_one_that_the_document_declares(
    mode: GenerationMode, first: int, world: World, app: Any, subtests: pytest.Subtests
) -> None:
    headers = {"Authorization": f"Bearer {secret_of(world.owner)}"}
    schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app)
    known, seen = api_places(world, world.owner), set()
    for result in islice(schema.get_all_operations(), first, None, 2):
        operation: Any = cast("Any", result).ok()

        @seed(1)
        @BOUNDED
        @given(case=operation.as_strategy(generation_mode=mode))
        def ask(case: Any) -> None:
            # Objects that exist, or else every answer would be that there is no such thing.
            named = case.path_parameters.items()
            case.path_parameters = {name: known.get(name, value) for name, value in named}
            with transaction.atomic():
                response = case.call(headers=headers)
                transaction.set_rollback(True)
            seen.add(response.status_code)
            case.validate_response(response, checks=CHECKS)

        with subtests.test(f"{operation.method} {operation.path}"):
            ask()
    if mode == POSITIVE:
        assert {HTTPStatus.OK, HTTPStatus.CREATED, HTTPStatus.ACCEPTED, HTTPStatus.NO_CONTENT} <= seen
    assert HTTPStatus.UNPROCESSABLE_ENTITY in seen
