"""Texts that platforms send: what cannot be stored is replaced as they are read."""

from __future__ import annotations

import json
from typing import Any, TypeGuard

from moss.integrations.lti.models import LONGEST_ID
from submissions.core.database import storable_json

REPLACED = "\ufffd"


def read_json(content: bytes) -> Any:
    """Return the value of JSON text; raises ValueError, or RecursionError where it is nested too deeply."""
    return storable_json(json.loads(content))


def is_id(value: object, longest: int = LONGEST_ID) -> TypeGuard[str]:
    """Return whether a value can name something; not where something in it was replaced."""
    return isinstance(value, str) and 0 < len(value) <= longest and REPLACED not in value


def text_of(fields: dict[str, Any], name: str) -> str:
    """Return a field that is a text, without white space around it; empty where it is none."""
    value = fields.get(name)
    return value.strip() if isinstance(value, str) else ""
