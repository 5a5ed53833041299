"""Other sessions of the test database: of workers, web servers and the threads of the live server.

After a test with real transactions every table is emptied. That fails, or has to wait, while another session
is in a transaction; and a database cannot be dropped while it has sessions.
"""

from __future__ import annotations

import time

from django.core.management import CommandError
from django.db import OperationalError, connection
from django.test import TransactionTestCase

LONGEST_WAIT = 60.0  # seconds
MOST_DEADLOCKS = 10
OTHERS = "backend_type = 'client backend' AND datname = current_database() AND pid <> pg_backend_pid()"
BUSY = f"""
    SELECT count(*) FROM pg_stat_activity
    WHERE {OTHERS} AND (state <> 'idle' OR state_change > clock_timestamp() - %s * interval '1 second')
"""
TERMINATE = f"SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE {OTHERS}"


def _count(statement: str, *values: float) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return int(cursor.fetchone()[0])


def end_other_sessions() -> None:
    _count(TERMINATE)


def wait_for_other_sessions(rest: float = 0.0) -> None:
    """Return when all other sessions have been idle for `rest` seconds; end those that do not become idle."""
    deadline = time.monotonic() + LONGEST_WAIT
    while _count(BUSY, rest):
        if time.monotonic() > deadline:
            end_other_sessions()
            return
        time.sleep(0.02)


def empty_tables_again_after_deadlocks() -> None:
    """Let a test with real transactions end although a worker began a task while the tables were emptied."""
    empty_tables = TransactionTestCase._fixture_teardown  # type: ignore[attr-defined]

    def empty_tables_again(test: TransactionTestCase) -> None:
        for _ in range(MOST_DEADLOCKS):
            try:
                empty_tables(test)
            except CommandError as error:
                if not isinstance(error.__cause__, OperationalError):
                    raise
            else:
                return
        empty_tables(test)

    TransactionTestCase._fixture_teardown = empty_tables_again  # type: ignore[attr-defined]
