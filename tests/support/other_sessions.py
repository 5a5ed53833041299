"""Other sessions of the test database: of workers, web servers and the threads of the live server.

After a test with real transactions every table is emptied. That fails, or has to wait, while another session
is in a transaction; and a database cannot be dropped while it has sessions.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from threading import Thread

from django.db import OperationalError, connection, transaction
from django.test import TransactionTestCase

LONGEST_WAIT = 60.0  # seconds
MOST_DEADLOCKS = 10
OTHERS = "backend_type = 'client backend' AND datname = current_database() AND pid <> pg_backend_pid()"
BUSY = f"""
    SELECT count(*) FROM pg_stat_activity
    WHERE {OTHERS} AND (state <> 'idle' OR state_change > clock_timestamp() - %s * interval '1 second')
"""
FILLED = "SELECT array_remove(ARRAY[{}], NULL)"
IS_FILLED = """CASE WHEN EXISTS (SELECT FROM "{0}") THEN '{0}' END"""
# Every test needs the rows of these as they are.
OF_MIGRATIONS = ("django_content_type", "auth_permission")
OF_OTHER_PROCESSES = f"""
    SELECT count(*) FROM pg_stat_activity
    WHERE {OTHERS} AND application_name LIKE 'moss %%' AND application_name <> %s
"""
TERMINATE = f"SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE {OTHERS}"


def _count(statement: str, *values: float | str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return int(cursor.fetchone()[0])


def in_other_sessions(act: Callable[[], object], number: int = 1) -> None:
    """Run an act in a session of its own, or so many times at once, and return when it has ended."""

    def run() -> None:
        try:
            act()
        finally:
            connection.close()

    threads = [Thread(target=run) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


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


def wait_for_end_of_other_processes() -> None:
    """Return when no other process of this product has a session: one of a process that ended may stay a moment."""
    own = connection.settings_dict["OPTIONS"].get("application_name", "")
    deadline = time.monotonic() + LONGEST_WAIT
    while _count(OF_OTHER_PROCESSES, own):
        assert time.monotonic() < deadline, "A process of an earlier test still uses the database."
        time.sleep(0.02)


def empty_tables_quickly() -> None:
    """Let a test with real transactions end with deleting the rows that there are.

    Django truncates all tables, has the types of content and permissions written anew, and fails when a
    worker began a task meanwhile; that took half a second a test.
    """
    TransactionTestCase._fixture_teardown = _empty_tables_again  # type: ignore[attr-defined]


def _empty_tables_again(_test: TransactionTestCase) -> None:
    for _ in range(MOST_DEADLOCKS):
        with suppress(OperationalError):
            _empty_tables()
            return
    _empty_tables()


def _empty_tables() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        # Neither foreign keys nor triggers forbid what is deleted now.
        cursor.execute("SET LOCAL session_replication_role TO replica")
        for table in filled_tables():
            cursor.execute(f'DELETE FROM "{table}"')


def filled_tables() -> list[str]:
    """Return the tables that have rows, without those that migrations fill."""
    with connection.cursor() as cursor:
        cursor.execute(FILLED.format(", ".join(IS_FILLED.format(table) for table in _tables())))
        return list(cursor.fetchone()[0])


@cache
def _tables() -> list[str]:
    names = connection.introspection.django_table_names(only_existing=True, include_views=False)
    return sorted({*names} - {*OF_MIGRATIONS})
