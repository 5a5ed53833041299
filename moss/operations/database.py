"""The database of an installation: the order of its texts, poolers between, and its two roles."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from django.conf import settings
from django.db import connection, transaction
from psycopg.sql import SQL, Identifier

from submissions.work.locks import Work, transaction_lock

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

PROVIDERS = {"b": "builtin", "c": "libc", "i": "icu"}
# Columns of pg_database that the versions of Postgres have or have not.
DESCRIPTION = """
SELECT to_jsonb(database), pg_encoding_to_char(encoding), obj_description('public'::regnamespace)
FROM pg_database AS database WHERE datname = current_database()
"""
ACTUAL = "SELECT pg_database_collation_actual_version(oid) FROM pg_database WHERE datname = current_database()"
FIRST_WITH_VERSIONS = (15, 0)
OTHER_ORDER = (
    "Nothing is lost, but lists of names may be in another order. To have the same one, restore into a "
    "database that is created with the same locale."
)
RESTORED = "Restored from a database with: "

# A pooler may hand out its sessions in turn, and other clients take some.
ATTEMPTS = 5
SHARED = "A pooler shares the sessions of the database (PgBouncer with pool_mode transaction or statement)"
ADVICE = (
    "Let DATABASE_URL name Postgres itself: workers hold locks of sessions. "
    "The service shares its own connections: MOSS_WEB_CONNECTIONS."
)

# Names of sessions of this product begin so (`SESSION_NAME` of the settings).
SESSION_PREFIX = "moss "
OTHERS = """
SELECT DISTINCT coalesce(nullif(application_name, ''), 'a session of ' || usename) FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND application_name <> %s ORDER BY 1
"""

EXISTS = "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = %s)"
CREATE = "CREATE ROLE {service} LOGIN PASSWORD %s"
# The erasure of a student replaces subjects by a function of the owner, which writes a proof of it.
# A temporary table would hide the log in its session.
GRANTS = """
GRANT USAGE ON SCHEMA public TO {service};
GRANT SELECT, INSERT, UPDATE, DELETE{maintain} ON ALL TABLES IN SCHEMA public TO {service};
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {service};
REVOKE ALL ON submissions_auditentry FROM {service};
GRANT SELECT, INSERT ON submissions_auditentry TO {service};
REVOKE TEMPORARY ON DATABASE {database} FROM PUBLIC;
"""
REPLACES = """
REVOKE ALL ON FUNCTION submissions_replace_subjects FROM PUBLIC;
GRANT EXECUTE ON FUNCTION submissions_replace_subjects TO {service};
"""
MAINTAIN_SINCE = 170000  # before, only the owner vacuums; Postgres does so by itself, later


class DatabaseLocale(NamedTuple):
    """The locale of the database, and of the database whose backup was restored into it, "" without a backup.

    `made_with` and `is_now` are versions of its collation, at its creation and of the system today; they are
    empty where Postgres knows none.
    """

    encoding: str
    name: str
    restored_from: str
    made_with: str
    is_now: str


def database_locale() -> DatabaseLocale:
    with connection.cursor() as cursor:
        cursor.execute(DESCRIPTION)
        columns, encoding, comment = cursor.fetchone()
        is_now = ""
        if connection.get_database_version() >= FIRST_WITH_VERSIONS:
            cursor.execute(ACTUAL)
            is_now = cursor.fetchone()[0] or ""
    noted = (comment or "").removeprefix(RESTORED) if (comment or "").startswith(RESTORED) else ""
    row = _columns(columns)
    return DatabaseLocale(encoding, _name(row, encoding), noted, row.get("datcollversion") or "", is_now)


def differences(locale: DatabaseLocale) -> list[str]:
    """Return how the locale of the database differs from the locale of the restored backup."""
    if locale.restored_from in {"", locale.name}:
        return []
    return [f"this database has {locale.name}; the one of the backup had {locale.restored_from}"]


def note_restored(name: str) -> None:
    """Note in the database of which locale its backup was; only the owner of the tables may."""
    with connection.cursor() as cursor:
        cursor.execute("COMMENT ON SCHEMA public IS %s", [f"{RESTORED}{name}" if name else None])


def _columns(columns: Any) -> dict[str, Any]:
    """Return a row of JSON, which Django's connection leaves as text."""
    return json.loads(columns) if isinstance(columns, str) else dict(columns)


def _name(row: dict[str, Any], encoding: str) -> str:
    provider = PROVIDERS.get(row.get("datlocprovider", "c"), "another provider")
    # Its name up to Postgres 16, and from 17 on.
    locale = row.get("daticulocale") or row.get("datlocale")
    named = f"{provider} {locale}" if locale else provider
    return f"{encoding}, {named}, collate {row['datcollate']}, ctype {row['datctype']}"


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


def other_sessions() -> tuple[list[str], list[str]]:
    """Return the names of the database's other sessions: of processes of this product, and of others.

    Those of this product say host and process id.
    """
    with connection.cursor() as cursor:
        cursor.execute(OTHERS, [connection.settings_dict["OPTIONS"].get("application_name", "")])
        names = [name for (name,) in cursor.fetchall()]
    ours = [name for name in names if name.startswith(SESSION_PREFIX)]
    return ours, [name for name in names if name not in ours]


def refuse_shared_sessions() -> None:
    """End this process where sessions are shared; raise SystemExit with a sentence that says what to do."""
    if sessions_are_shared():
        raise SystemExit(f"{SHARED}. {ADVICE}")


def has_owner() -> bool:
    """Return whether another role than that of the service owns the tables."""
    return bool(settings.DATABASE_OWNER) and settings.DATABASE_OWNER["USER"] != settings.DATABASE["USER"]


@contextmanager
def as_owner() -> Iterator[None]:
    """Connect this thread as the owner of the tables, where there is one; as the service again afterwards."""
    of_service = connection.settings_dict
    if not has_owner() or of_service["USER"] == settings.DATABASE_OWNER["USER"]:
        yield
        return
    connection.close()
    options = of_service["OPTIONS"] | settings.DATABASE_OWNER.get("OPTIONS", {})
    changes = {**settings.DATABASE_OWNER, "NAME": of_service["NAME"], "OPTIONS": options}
    connection.settings_dict = of_service | changes
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict = of_service


@contextmanager
def scratch_database() -> Iterator[None]:
    """Use an empty database, which the owner of the tables makes and drops; it needs the right to."""
    usual, name = connection.settings_dict["NAME"], f"moss_scratch_{os.getpid()}"
    with as_owner(), connection.cursor() as cursor:
        cursor.execute(SQL("CREATE DATABASE {} TEMPLATE template0").format(Identifier(name)))
    connection.close()
    connection.settings_dict["NAME"] = name
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = usual
        with as_owner(), connection.cursor() as cursor:
            cursor.execute(SQL("DROP DATABASE {}").format(Identifier(name)))


@transaction.atomic
def grant_rights() -> None:
    """Grant the service rights to rows, but only to add some to the audit log; make its role if missing."""
    transaction_lock(Work.AUDIT, wait=True)
    service = Identifier(settings.DATABASE["USER"])
    with connection.cursor() as cursor:
        cursor.execute(EXISTS, [settings.DATABASE["USER"]])
        if not cursor.fetchone()[0]:
            cursor.execute(SQL(CREATE).format(service=service), [settings.DATABASE["PASSWORD"]])
        maintain = ", MAINTAIN" if connection.connection.info.server_version >= MAINTAIN_SINCE else ""
        names = {"service": service, "database": Identifier(connection.settings_dict["NAME"])}
        cursor.execute(SQL(GRANTS).format(maintain=SQL(maintain), **names))
        cursor.execute("SELECT to_regproc('submissions_replace_subjects')")
        if cursor.fetchone()[0]:  # Migrated backwards, there is none.
            cursor.execute(SQL(REPLACES).format(service=service))
