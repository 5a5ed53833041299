"""Phases of an upgrade without a stop: each migration declares its own, in `phase` of its class.

expand
    It adds only what the code of the release before does not notice: run it while that code runs.
contract
    It removes only what the release before does not use any more: run it while that code runs, too. The
    release before took it out of the models (`SeparateDatabaseAndState`), and left it in the database.
stop
    Neither: the release before must not run meanwhile. CHANGELOG says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import migrations
from django.db.migrations import Migration
from django.db.migrations.operations.base import Operation
from django.db.models import NOT_PROVIDED, Field

from moss.operations.doctor import phase_of

PHASES = ("expand", "contract", "stop")
ADDING = (migrations.CreateModel, migrations.AddIndex)
REMOVING = (
    migrations.DeleteModel, migrations.RemoveField, migrations.RemoveIndex, migrations.RemoveConstraint,
)  # fmt: skip


def contradictions(migration: Migration) -> list[str]:
    """Return the operations that are not what a migration declares, in words of Django."""
    if phase_of(migration) == "stop" or getattr(migration, "initial", False):
        return []
    fits = _expands if phase_of(migration) == "expand" else _contracts
    return [one.describe() for one in _in_database(migration.operations) if not fits(one)]


def _in_database(operations: Iterable[Operation]) -> Iterable[Operation]:
    for one in operations:
        if isinstance(one, migrations.SeparateDatabaseAndState):
            yield from one.database_operations
        else:
            yield one


def _expands(operation: Operation) -> bool:
    if isinstance(operation, migrations.AddField):
        return is_filled_without_the_code(operation.field)
    if isinstance(operation, migrations.RunSQL):
        return str(operation.sql).lstrip().startswith("CREATE FUNCTION ")
    return isinstance(operation, ADDING)


def _contracts(operation: Operation) -> bool:
    return isinstance(operation, REMOVING)


def is_filled_without_the_code(field: Field[Any, Any]) -> bool:
    """Return whether a row can be inserted by code that does not know the column.

    Django takes a `default` out of the database again once the column is filled.
    """
    return field.null or field.many_to_many or field.db_default is not NOT_PROVIDED
