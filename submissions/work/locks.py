"""Advisory locks of Postgres that say which work a process is doing.

Postgres releases a lock when the session that holds it ends, however its process ends. So whether
work is lost follows from its lock. The heartbeats of workers only tell people which of them answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from enum import IntEnum, unique
from hashlib import sha256

from django.db import DatabaseError, InterfaceError, OperationalError, connection


@unique
class Work(IntEnum):
    """Kinds of work; the values are the first keys of the locks, away from those of other programs."""

    CORPUS = 0x6D6F7373
    JOB = 0x6D6F7372
    DOCUMENT = 0x6D6F7375
    RANKING = 0x6D6F7377  # of an assignment
    LANGUAGE = 0x6D6F737A  # of an assignment, see `language_lock`
    POSTINGS = 0x6D6F737D  # merging their runs
    CHOICE = 0x6D6F737F  # of what to start next
    TOGETHER = 0x6D6F7381  # of an assignment: whether its ranking waits for uploads
    AUDIT = 0x6D6F7380  # the end of the chain
    ACCOUNTS = 0x6D6F7382  # names of new ones


@contextmanager
def work_lock(work: Work, pk: int) -> Iterator[bool]:
    """Lock a piece of work without waiting; yield False when another process is doing it."""
    with work_locks(work, [pk]) as mine:
        yield bool(mine)


@contextmanager
def work_locks(work: Work, pks: Sequence[int]) -> Iterator[list[int]]:
    """Lock pieces of work without waiting; yield those that no other process is doing."""
    keys = [second_key(pk) for pk in pks]
    with connection.cursor() as cursor:
        query = "SELECT key, pg_try_advisory_lock(%s::int, key) FROM unnest(%s::int[]) AS t (key)"
        cursor.execute(query, [work, keys])
        locked = dict(cursor.fetchall())
    mine = [pk for pk, key in zip(pks, keys, strict=True) if locked[key]]
    try:
        yield mine
    finally:
        if mine:
            _unlock(work, mine)


def transaction_lock(work: Work, pk: int = 0, *, wait: bool, shared: bool = False) -> bool:
    """Lock a piece of work until the transaction ends; return whether it is locked.

    Without `wait` it is not where another process has the lock; others may lock what is `shared`, too.
    """
    function = f"pg{'' if wait else '_try'}_advisory_xact_lock{'_shared' if shared else ''}"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(%s::int, %s::int)", [int(work), second_key(pk)])
        return wait or bool(cursor.fetchone()[0])


def text_lock(text: str) -> bool:
    """Lock what a text names until the transaction ends, without waiting; return whether it is locked."""
    key = int.from_bytes(sha256(text.encode()).digest()[:8], signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s::bigint)", [key])
        return bool(cursor.fetchone()[0])


def _unlock(work: Work, pks: list[int]) -> None:
    keys = [second_key(pk) for pk in pks]
    try:
        with connection.cursor() as cursor:
            query = "SELECT pg_advisory_unlock(%s::int, key) FROM unnest(%s::int[]) AS t (key)"
            cursor.execute(query, [work, keys])
    except OperationalError:  # The connection was lost, and the lock with it.
        connection.close()


def unlock_all() -> None:
    """Release the locks of this session that interrupted work left, and none in a transaction."""
    if connection.connection and not connection.in_atomic_block:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock_all()")
        except (DatabaseError, InterfaceError):
            connection.close()  # An idle worker would keep them until its next task.


def sessions(work: Work) -> dict[int, int]:
    """Return the process ids of the database sessions that hold locks, by the primary key of the work."""
    query = """
        SELECT objid::bigint, pid FROM pg_locks WHERE locktype = 'advisory' AND classid = %s AND objsubid = 2
        AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    """
    with connection.cursor() as cursor:
        cursor.execute(query, [int(work)])
        return dict(cursor.fetchall())


def session_names() -> list[tuple[str, int, int]]:
    """Return (name of the database session, kind of work, second key) of every lock that is held."""
    query = """
        SELECT application_name, classid::bigint, objid::bigint
        FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE locktype = 'advisory' AND objsubid = 2 AND granted AND classid = ANY(%s)
        AND datname = current_database() ORDER BY 1, 2, 3
    """
    with connection.cursor() as cursor:
        cursor.execute(query, [[int(work) for work in Work]])
        return list(cursor.fetchall())


def end_session(work: Work, pk: int, idle: timedelta = timedelta(0)) -> bool:
    """End the database session that holds a lock, and its transaction, if it sent no query for `idle`.

    Return whether there was one.
    """
    query = """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE pid = %s AND state_change <= clock_timestamp() - make_interval(secs => %s)
    """
    with connection.cursor() as cursor:
        cursor.execute(query, [sessions(work).get(second_key(pk)), idle.total_seconds()])
        return cursor.fetchone() is not None


def second_key(pk: int) -> int:
    return pk % 2**31
