"""Rows of a parametrised test of which `make test` runs the first, and `make test-long` the others."""

from collections.abc import Iterable
from typing import Any

import pytest


def rest_is_long(rows: Iterable[Any], *, first: int = 1) -> list[Any]:
    """Return the rows, all but the `first` of them marked `long`; a tuple is a row of several values."""
    return [
        pytest.param(*(row if isinstance(row, tuple) else (row,)), marks=[pytest.mark.long] * (number >= first))
        for number, row in enumerate(rows)
    ]
