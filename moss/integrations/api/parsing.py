"""Read what requests send; refuse texts that cannot be stored, whichever endpoint they are for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ninja.parser import Parser

from fingerprint.engine import storable
from moss.integrations.api.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.http import HttpRequest
    from django.utils.datastructures import MultiValueDict

REASON = "A text has no NUL and no half of a surrogate pair."


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
