"""Ranked classes that many tests only read: ranked once in a test process, brought back as rows afterwards.

A fixture gives the steps that store its class to `stored`, and then finds the class in the database. The
first test of a process runs the steps, and the rows of all tables are kept, as Postgres copies them out. A
later test gets these rows, with their ids, in its own transaction. That takes some milliseconds instead of
half a second of the real pipeline, which the tests of uploading and ranking still run.

Rows refer to each other by ids, so these must be the same in every test of a process: users, the course and
the assignment have a `fixed_id`, and all others come from sequences, which no test sets back, so that no
later row gets the id of a kept one. The steps run again where a class could become another one: where
settings are changed, and where a row that they build on is not as it was.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from hashlib import sha256
from typing import NamedTuple

from django.conf import UserSettingsHolder, settings
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Model
from django.utils import timezone

from moss.integrations.accounts.models import MailChoice, Session
from submissions.models import Assignment, Course, Membership
from submissions.pages.rendered import RENDERED
from tests.support.other_sessions import filled_tables

# What `fixed_id` knows, in the order of the ids.
NAMES = {
    User: ("alice", "bob", "charlie", "admin", "colin"),
    Course: ("Programming 1",),
    Assignment: ("Statistics",),
}
# Who has an account changes no class. The steps leave these tables as they are.
PEOPLE = {model._meta.db_table for model in (User, MailChoice, Session, Membership)}
TIMES = """
    SELECT column_name FROM information_schema.columns
    WHERE table_schema = 'public' AND table_name = %s AND data_type = 'timestamp with time zone'
"""
ROWS = """SELECT json_agg(to_jsonb(kept) - %s::text[] ORDER BY kept::text)::text FROM "{}" AS kept"""


class Rows(NamedTuple):
    """All rows of a table, in Postgres' binary format."""

    table: str
    data: bytes


@dataclass(frozen=True, slots=True)
class KeptClass:
    """The rows of a class, and when they were stored."""

    stored: datetime
    rows: list[Rows]


# By their names and a digest of what was in the database before.
KEPT: dict[tuple[str, bytes], KeptClass] = {}


@cache
def _fixed_ids(model: type[Model]) -> dict[str, int]:
    table = model._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)",
            [table, len(NAMES[model])],
        )
        return dict(zip(NAMES[model], (pk for (pk,) in cursor.fetchall()), strict=True))


def fixed_id(model: type[Model], name: str) -> int:
    """Return the id that the object of this name has in every test of this process."""
    return _fixed_ids(model)[name]


def stored(name: str, steps: Callable[[], object]) -> None:
    """Store a class with these steps, or with the rows that were kept under its name in an earlier test."""
    if isinstance(settings._wrapped, UserSettingsHolder):  # type: ignore[misc]
        steps()
        return
    before = sha256(rows_of(_tables()).encode()).digest()
    if kept := KEPT.get((name, before)):
        _bring_back(kept)
        return
    people = rows_of(PEOPLE)
    steps()
    assert rows_of(PEOPLE) == people, "a kept class has no users, sessions or members of its own"
    KEPT[name, before] = KeptClass(timezone.now(), [Rows(table, _copied_out(table)) for table in _tables()])


def _tables() -> list[str]:
    return [table for table in filled_tables() if table not in PEOPLE]


def rows_of(tables: Iterable[str]) -> str:
    """Return the rows of some tables as text, without their times."""
    with connection.cursor() as cursor:
        rows = []
        for table in sorted(tables):
            cursor.execute(ROWS.format(table), [_times(table)])
            rows.append(f"{table}: {cursor.fetchone()[0]}")
        return "\n".join(rows)


@cache
def _times(table: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(TIMES, [table])
        return [name for (name,) in cursor.fetchall()]


def _copied_out(table: str) -> bytes:
    with connection.cursor() as cursor, cursor.copy(f'COPY "{table}" TO STDOUT (FORMAT binary)') as copy:
        return b"".join(copy)


def _bring_back(kept: KeptClass) -> None:
    """Replace all rows by those of a class, with times as if it had just been stored."""
    seconds = (timezone.now() - kept.stored).total_seconds()
    with transaction.atomic(), connection.cursor() as cursor:
        # The rows refer to each other as they did; and the audit log lets nobody else change what it has.
        cursor.execute("SET LOCAL session_replication_role TO replica")
        for table in _tables():
            cursor.execute(f'DELETE FROM "{table}"')
        for table, data in kept.rows:
            with cursor.copy(f'COPY "{table}" FROM STDIN (FORMAT binary)') as copy:
                copy.write(data)
            _move_times(table, seconds)
        cursor.execute("SET LOCAL session_replication_role TO DEFAULT")
    # The parts of an earlier test's pages are of reports with the same ids.
    RENDERED.clear()


def _move_times(table: str, seconds: float) -> None:
    if times := _times(table):
        changes = ", ".join(f'"{name}" = "{name}" + %s * interval \'1 second\'' for name in times)
        with connection.cursor() as cursor:
            cursor.execute(f'UPDATE "{table}" SET {changes}', [seconds] * len(times))
