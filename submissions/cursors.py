"""Cursors of the database driver, on the connections of Django."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.db.backends.base.base import BaseDatabaseWrapper

    Cursor = psycopg.Cursor[tuple[Any, ...]]


@contextmanager
def open_cursor(connection: BaseDatabaseWrapper) -> Iterator[Cursor]:
    """Yield a cursor of psycopg, for binary values and results; its errors are raised as Django's."""
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        yield cursor
