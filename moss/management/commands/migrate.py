"""Migrate as the owner of the tables, let the service use them, and compare them with this version's."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connection

from moss.operations.database import MEND, as_owner, grant_rights, has_owner, refuse_shared_sessions, schema_problem

LOG = "submissions_auditentry"


class Command(migrate.Command):
    def handle(self, *arguments: Any, **options: Any) -> None:
        refuse_shared_sessions()
        if options.get("check_unapplied") or options.get("plan"):
            super().handle(*arguments, **options)
            if options.get("check_unapplied"):
                refuse_other_schema()
            return
        with as_owner():
            super().handle(*arguments, **options)
            # Migrated backwards, or one app alone, there may be no log.
            if has_owner() and LOG in connection.introspection.table_names():
                grant_rights()
        # Databases of tests are made with `run_syncdb`: one of them writes what others are compared with.
        if not (options.get("app_label") or options.get("run_syncdb")):
            refuse_other_schema()


def refuse_other_schema() -> None:
    if problem := schema_problem():
        raise CommandError(f"{problem[0].upper()}{problem[1:]}. {MEND}")
