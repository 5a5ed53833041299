"""A second session of the test database, as another process has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest
from django.db import connection

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def other_session(db: None) -> Iterator[psycopg.Connection]:
    with psycopg.connect(**connection.get_connection_params(), autocommit=True) as other:
        yield other
