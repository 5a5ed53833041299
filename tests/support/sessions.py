"""A second session of the test database, as another process has it, and the end of the first one."""

from collections.abc import Iterator

import psycopg
import pytest
from django.db import connection, transaction


@pytest.fixture
def other_session(db: None) -> Iterator[psycopg.Connection]:
    with psycopg.connect(**connection.get_connection_params(), autocommit=True) as other:
        yield other


def cut(*_: object) -> None:
    """Have Postgres end the session of this process, and notice it."""
    with psycopg.connect(**connection.get_connection_params(), autocommit=True) as other:
        ended = other.execute("SELECT pg_terminate_backend(%s, 30000)", [connection.connection.info.backend_pid])
        assert ended.fetchone() == (True,)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT 1")
