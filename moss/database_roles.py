"""Two roles of the database: the owner migrates and owns the tables, the service uses their rows.

So no query of the service can take the protection off the audit log, or empty it. Where no owner is named,
the service owns its tables; `moss doctor` and the page of the audit log say so.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import connection, transaction
from psycopg.sql import SQL, Identifier

from submissions.work.locks import Work, transaction_lock

if TYPE_CHECKING:
    from collections.abc import Iterator

EXISTS = "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = %s)"
CREATE = "CREATE ROLE {service} LOGIN PASSWORD %s"
# The erasure of a student replaces names in subjects. A temporary table would hide the log in its session.
GRANTS = """
GRANT USAGE ON SCHEMA public TO {service};
GRANT SELECT, INSERT, UPDATE, DELETE{maintain} ON ALL TABLES IN SCHEMA public TO {service};
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {service};
REVOKE ALL ON submissions_auditentry FROM {service};
GRANT SELECT, INSERT, UPDATE (subject) ON submissions_auditentry TO {service};
REVOKE TEMPORARY ON DATABASE {database} FROM PUBLIC;
"""
MAINTAIN_SINCE = 170000  # before, only the owner vacuums; Postgres does so by itself, later


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
