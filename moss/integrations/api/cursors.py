"""Lists in parts: a cursor says where the next part begins."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Annotated

from ninja import Query

from moss.integrations.api.problems import Problem

A_PART = 100
MOST = 500
LARGEST = 2**63 - 1

Limit = Annotated[int, Query(ge=1, le=MOST, description="Items of the answer, at most.")]
Cursor = Annotated[str, Query(max_length=100, description="`next` of the part before; empty for the first.")]


def cursor_of(*numbers: int) -> str:
    """Return a cursor of some numbers; callers treat it as a text without meaning."""
    return urlsafe_b64encode(".".join(map(str, numbers)).encode()).decode().rstrip("=")


def numbers_of(cursor: str, count: int) -> list[int]:
    """Return the numbers of a cursor, `count` zeros for an empty one.

    Raises
    ------
    Problem
        When this is no cursor of such a list.
    """
    if not cursor:
        return [0] * count
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        numbers = [int(part) for part in urlsafe_b64decode(padded).decode("ascii").split(".")]
    except ValueError as error:
        raise _unknown() from error
    if len(numbers) != count or not all(0 <= number <= LARGEST for number in numbers):
        raise _unknown()
    return numbers


def _unknown() -> Problem:
    return Problem(422, "This is no cursor of this list. Send `next` as it was, or begin without a cursor.")
