"""The database of an installation: its tables, the order of its texts, poolers between, and its two roles."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from django.apps import apps
from django.conf import settings
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader
from psycopg.sql import SQL, Identifier

from submissions.work.locks import Work, transaction_lock

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

PROVIDERS = {"b": "builtin", "c": "libc", "i": "icu"}
# Columns of pg_database that the versions of Postgres have or have not.
DESCRIPTION = """
SELECT to_jsonb(database)::text, pg_encoding_to_char(encoding), obj_description('public'::regnamespace)
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

# The names of the applied migrations do not prove that the tables are right: a migration may have had other
# contents, and people change tables by hand.
# What the migrations of the product's own apps make, a line for each object. It is kept in a file because
# the roles of an installation need not be allowed to create another database and to migrate that; a test
# compares the file with a migrated database.
FILE = Path(__file__).parents[1] / "database_schema.txt"
OWN = ("moss", "submissions")
# Only what every supported version of Postgres writes alike: 18 lists NOT NULL among the constraints, too.
# An index of a constraint is described by the constraint. Tables have no names of schemas, owners or roles;
# of rights, only those count that this session needs for every table.
CATALOG = r"""
WITH tables AS (
    SELECT oid, relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
)
SELECT 1, 'table ' || name,
    CASE WHEN has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
    THEN 'open to this role' ELSE 'closed to this role' END
FROM tables
UNION ALL
SELECT 2, format('column %s.%s', name, attname), concat_ws(' ',
    format_type(atttypid, atttypmod),
    CASE WHEN attcollation <> typcollation THEN 'COLLATE ' || attcollation::regcollation::text END,
    CASE WHEN attnotnull THEN 'NOT NULL' END,
    CASE attidentity WHEN 'd' THEN 'IDENTITY' WHEN 'a' THEN 'IDENTITY ALWAYS' END,
    CASE WHEN attgenerated <> '' THEN 'GENERATED' END,
    'DEFAULT ' || pg_get_expr(adbin, adrelid),
    CASE WHEN attstorage <> typstorage THEN 'STORAGE ' || attstorage::text END)
FROM tables JOIN pg_attribute ON attrelid = tables.oid AND attnum > 0 AND NOT attisdropped
JOIN pg_type ON pg_type.oid = atttypid
LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
UNION ALL
SELECT 3, format('constraint %s.%s', name, conname), pg_get_constraintdef(pg_constraint.oid)
FROM tables JOIN pg_constraint ON conrelid = tables.oid AND contype IN ('c', 'f', 'p', 'u', 'x')
UNION ALL
SELECT 4, format('index %s.%s', name, relname),
    pg_get_indexdef(indexrelid) || CASE WHEN indisvalid THEN '' ELSE ' (not valid)' END
FROM tables JOIN pg_index ON indrelid = tables.oid JOIN pg_class ON pg_class.oid = indexrelid
WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u', 'x'))
UNION ALL
SELECT 5, format('trigger %s.%s', name, tgname),
    pg_get_triggerdef(pg_trigger.oid) || CASE tgenabled WHEN 'O' THEN '' ELSE ' (not enabled)' END
FROM tables JOIN pg_trigger ON tgrelid = tables.oid AND NOT tgisinternal
UNION ALL
SELECT 6, format('function %s(%s)', proname, pg_get_function_identity_arguments(pg_proc.oid)),
    concat_ws(' ', format('returns %s, %s, body %s', prorettype::regtype, lanname, md5(prosrc)),
        CASE WHEN prosecdef THEN 'SECURITY DEFINER' END, proconfig::text)
FROM pg_proc JOIN pg_language ON pg_language.oid = prolang WHERE pronamespace = 'public'::regnamespace
"""
SEPARATOR, NOT_VALID = ": ", " (not valid)"
MEND = (
    "Their migrations are recorded as applied and do not run again: undo what was changed by hand, or go "
    "back to the version of moss-server that ran here before."
)


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
    row = json.loads(columns)
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


def schema_problem() -> str:
    """Return how the tables differ from this version's tables, in one phrase; "" if they do not.

    Tables of a newer version are not compared: it adds to them while this version still runs.
    """
    if unknown_migrations():
        return ""
    found = schema_differences()
    more = f", and {len(found) - 1} more differences" if len(found) > 1 else ""
    return f"the tables are not those of this version: {found[0]}{more}" if found else ""


def unknown_migrations() -> list[str]:
    """Return the applied migrations of installed apps that this version does not have."""
    loader = MigrationLoader(connection)
    known = {*loader.disk_migrations, *loader.replacements}
    labels = {label for label, _name in known}
    return [".".join(key) for key in loader.applied_migrations if key[0] in labels and key not in known]


def schema_differences() -> list[str]:
    """Return each difference between the tables and the tables that this version's migrations make.

    Tables of other packages change with the versions of these packages, and `FILE` may have been written with
    other versions. So only the columns of their models are looked for.
    """
    schema = _schema()
    return [*_own_schema_differences(schema), *(f"there is no {name}" for name in _others() if name not in schema)]


def _own_schema_differences(schema: dict[str, str]) -> Iterator[str]:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    expected = dict(line.split(SEPARATOR, 1) for line in lines)
    for name, text in expected.items():
        if name not in schema:
            yield f"there is no {name} ({text})"
        elif schema[name] != text:
            yield f"{name} is {schema[name]}, not {text}"
    for name, text in schema.items():
        # An index that an administrator added changes no answer, nor does one while Postgres makes it.
        is_harmless = text.startswith("CREATE INDEX ") or text.endswith(NOT_VALID)
        if name not in expected and _is_own(name) and not is_harmless:
            yield f"this version knows no {name} ({text})"


def _schema() -> dict[str, str]:
    """Return a description of each object of the database, as `FILE` has those of the product's own tables."""
    with connection.cursor() as cursor:
        cursor.execute(CATALOG)
        # Sorted here: the order of the database is that of its locale.
        return {name: " ".join(text.split()) for _kind, name, text in sorted(cursor.fetchall())}


def _is_own(name: str) -> bool:
    """Return whether an object is of a table of the product, by the app's label before its name."""
    return name.partition(" ")[2].startswith(_own_prefixes())


@cache
def _own_prefixes() -> tuple[str, ...]:
    return tuple(f"{app.label}_" for app in apps.get_app_configs() if app.name.startswith(OWN))


def _others() -> Iterator[str]:
    """Yield the columns of the models of other packages."""
    for model in apps.get_models(include_auto_created=True):
        table = model._meta.db_table  # noqa: SLF001 - there is no other way
        if not table.startswith(_own_prefixes()) and not model._meta.proxy:  # noqa: SLF001 - as above
            yield from (f"column {table}.{field.column}" for field in model._meta.local_concrete_fields)  # noqa: SLF001 - as above
