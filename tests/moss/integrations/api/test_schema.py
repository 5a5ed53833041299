"""The API answers as its OpenAPI document says, whatever it is asked."""

from collections.abc import Iterator
from http import HTTPStatus
from itertools import islice
from typing import Any, cast

import pytest
import schemathesis
from django.core import signals
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, given, seed, settings as examples
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.support.api import secret_of
from tests.support.every_page import World, api_places
from tests.support.long_rows import rest_is_long

pytestmark = pytest.mark.services

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
    """Return the WSGI application; it leaves the connection to the test's transaction open."""
    settings.API_REQUESTS_A_MINUTE = 1_000_000
    both = (signals.request_started, signals.request_finished)
    for signal in both:
        signal.disconnect(close_old_connections)
    yield get_wsgi_application()
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
