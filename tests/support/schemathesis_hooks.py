"""Conditions of requests that no OpenAPI document can say; schemathesis imports this module for them."""

from __future__ import annotations

import json
import os
from typing import Any
from uuid import uuid4

import schemathesis

KEY = "Idempotency-Key"
# The objects that the test made; without them nearly every answer is that there is no such thing.
PLACES = json.loads(os.environ["PLACES"])


@schemathesis.serializer("application/offset+octet-stream")
def part(_context: Any, value: Any) -> Any:
    """Return a part of an upload as it is sent."""
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.hook
def filter_case(_context: Any, case: Any) -> bool:
    """Return whether no header has a made-up name: HTTP has those ignored, so that none is a mistake."""
    return not any(name.lower().startswith("x-schemathesis") for name in case.headers or ())


@schemathesis.hook
def before_call(_context: Any, case: Any, _kwargs: Any) -> None:
    """Name objects that exist, use no key twice, and begin each list at its start.

    Keys and cursors are valid by what was before.
    """
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    case.path_parameters = {name: PLACES.get(name, value) for name, value in case.path_parameters.items()}
    if case.headers and KEY in case.headers:
        case.headers[KEY] = str(uuid4())
    if case.query and "cursor" in case.query:
        case.query["cursor"] = ""
