"""Insert or change many rows with one statement; Django's INSERT takes ten times as long for large values."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg
from django.db import models, transaction
from django.utils import timezone
from psycopg import sql

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.models import Field, Model

    Columns = Mapping[str, Sequence[Any]]
    Cursor = psycopg.Cursor[tuple[Any, ...]]

INSERT = "INSERT INTO {table} ({names}) SELECT {values} FROM unnest({arrays}) AS new_rows ({columns})"
NEW_ROWS = " ON CONFLICT DO NOTHING RETURNING {columns}"

UPDATE = (
    "UPDATE {table} SET {changes} FROM unnest(%b::bigint[], {arrays}) AS new_rows (pk, {columns}) "
    "WHERE {table}.id = new_rows.pk"
)
CHANGE = "{name} = new_rows.{name}"

# The driver takes the values of these as they are; converting each of them took longer than all the rest.
NUMBERS = (models.IntegerField, models.FloatField, models.BooleanField, models.ForeignKey)


def insert(
    connection: BaseDatabaseWrapper, model: type[Model], columns: Columns, returning: Sequence[str] = ()
) -> list[tuple[Any, ...]]:
    """Insert rows; with `returning` not those that a unique constraint forbids.

    Parameters
    ----------
    connection : Django's database connection; an open transaction is continued
    model : its other fields get their defaults
    columns : names of columns and their values, one a row
    returning : columns to return of the rows that were inserted, in any order
    """
    fields = {field.column: field for field in model._meta.concrete_fields if not field.primary_key}  # noqa: SLF001
    constants = {name: _default(field) for name, field in fields.items() if name not in columns}
    types = {name: sql.SQL(field.db_type(connection) or "") for name, field in fields.items()}
    identifiers = [sql.Identifier(name) for name in columns]
    statement = sql.SQL(INSERT).format(
        table=sql.Identifier(model._meta.db_table),  # noqa: SLF001
        names=_listed([*identifiers, *map(sql.Identifier, constants)]),
        values=_listed([*identifiers, *(sql.SQL("%s::{}").format(types[name]) for name in constants)]),
        arrays=_listed(sql.SQL("%b::{}[]").format(types[name]) for name in columns),
        columns=_listed(identifiers),
    )
    if returning:
        statement += sql.SQL(NEW_ROWS).format(columns=_listed(map(sql.Identifier, returning)))
    prepared = _prepared(connection, fields, columns)
    with transaction.atomic(using=connection.alias), open_cursor(connection) as cursor:
        cursor.execute(statement, [*constants.values(), *prepared])
        return cursor.fetchall() if returning else []


def flush_later(connection: BaseDatabaseWrapper) -> None:
    """Let the commit of this transaction not wait for the disk.

    For rows that only a later transaction makes use of: when that one is on the disk, so are they.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit TO off")


def update(
    connection: BaseDatabaseWrapper, model: type[Model], keys: Sequence[int], columns: Columns
) -> None:
    """Set columns of the rows with the primary keys `keys`; `columns` has their values in this order."""
    if not keys:
        return
    fields = {field.column: field for field in model._meta.concrete_fields}  # noqa: SLF001
    types = [sql.SQL(fields[name].db_type(connection) or "") for name in columns]
    names = [sql.Identifier(name) for name in columns]
    statement = sql.SQL(UPDATE).format(
        table=sql.Identifier(model._meta.db_table),  # noqa: SLF001
        changes=_listed(sql.SQL(CHANGE).format(name=name) for name in names),
        arrays=_listed(sql.SQL("%b::{}[]").format(kind) for kind in types),
        columns=_listed(names),
    )
    prepared = _prepared(connection, fields, columns)
    with transaction.atomic(using=connection.alias), open_cursor(connection) as cursor:
        cursor.execute(statement, [list(keys), *prepared])


def _prepared(
    connection: BaseDatabaseWrapper, fields: Mapping[str, Field[Any, Any]], columns: Columns
) -> list[list[Any]]:
    """Return the values of each column as the database driver takes them."""
    return [
        list(values)
        if isinstance(fields[name], NUMBERS)
        else [fields[name].get_db_prep_save(value, connection) for value in values]
        for name, values in columns.items()
    ]


def _default(field: Field[Any, Any]) -> object:
    return timezone.now() if getattr(field, "auto_now_add", False) else field.get_default()


def _listed(parts: Iterable[sql.Composable]) -> sql.Composed:
    return sql.SQL(", ").join(parts)


@contextmanager
def open_cursor(connection: BaseDatabaseWrapper) -> Iterator[Cursor]:
    """Yield a cursor of psycopg, for binary values and results; its errors are raised as Django's."""
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        yield cursor
