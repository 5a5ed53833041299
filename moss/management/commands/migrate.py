"""Migrate as the owner of the tables, and then let the service use them."""

from __future__ import annotations

from typing import Any

from django.core.management.commands import migrate
from django.db import connection

from moss.database_pooling import refuse_shared_sessions
from moss.database_roles import as_owner, grant_rights, has_owner

LOG = "submissions_auditentry"


class Command(migrate.Command):
    def handle(self, *arguments: Any, **options: Any) -> None:
        refuse_shared_sessions()
        if options.get("check_unapplied") or options.get("plan"):
            super().handle(*arguments, **options)
            return
        with as_owner():
            super().handle(*arguments, **options)
            # Migrated backwards, or one app alone, there may be no log.
            if has_owner() and LOG in connection.introspection.table_names():
                grant_rights()
