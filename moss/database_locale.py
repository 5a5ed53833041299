"""The order of texts in the database, compared with that of the database of a backup.

Nothing that is stored depends on it; lists of names do, and so do the indexes, which a new version of the
system's collations can break.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from django.db import connection

PROVIDERS = {"b": "builtin", "c": "libc", "i": "icu"}
# Columns of pg_database that the versions of Postgres have or have not.
DESCRIPTION = """
SELECT to_jsonb(database), pg_encoding_to_char(encoding), obj_description('public'::regnamespace)
FROM pg_database AS database WHERE datname = current_database()
"""
ACTUAL = (
    "SELECT pg_database_collation_actual_version(oid) FROM pg_database WHERE datname = current_database()"
)
FIRST_WITH_VERSIONS = (15, 0)
OTHER_ORDER = (
    "Nothing is lost, but lists of names may be in another order. To have the same one, restore into a "
    "database that is created with the same locale."
)
RESTORED = "Restored from a database with: "


class DatabaseLocale(NamedTuple):
    """The locale of the database, and of the one whose backup was restored into it: "" where none was.

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
    """Return how the database differs from the one that was restored into it."""
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
