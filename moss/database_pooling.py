"""Find out whether a pooler such as PgBouncer gives the sessions of this database to other clients.

In its modes `transaction` and `statement` it does. A lock of a session, by which a worker holds its job,
would stay on a session that others use, so that work is done twice or never.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import connection

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

# A pooler may hand out its sessions in turn, and other clients take some.
ATTEMPTS = 5
SHARED = "A pooler shares the sessions of the database (PgBouncer with pool_mode transaction or statement)"
ADVICE = (
    "Let DATABASE_URL name Postgres itself: workers hold locks of sessions. "
    "The service shares its own connections: MOSS_WEB_CONNECTIONS."
)


def sessions_are_shared() -> bool:
    """Return whether two connections were served by one session, or one by two.

    A connection within a transaction keeps its session, so nothing is found there.
    """
    other = connection.copy()
    try:
        used = {_session(connection)}
        for _ in range(ATTEMPTS):
            others = {_session(other)}
            used.add(_session(connection))
            if used & others or len(used) > 1:
                return True
        return False
    finally:
        other.close()


def _session(database: BaseDatabaseWrapper) -> int:
    with database.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def refuse_shared_sessions() -> None:
    """End this process where sessions are shared.

    Raises
    ------
    SystemExit
        With a sentence that says what to do.
    """
    if sessions_are_shared():
        raise SystemExit(f"{SHARED}. {ADVICE}")
