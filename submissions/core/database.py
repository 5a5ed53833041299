"""The database: texts that it can store or holds sealed, many rows with one statement, and its errors.

Secrets that have to be read again are sealed. NUL and lone surrogates are replaced. Django's INSERT takes
ten times as long for large values. Conflicts, a full disk and a lost database are recognised.
"""

from __future__ import annotations

import json
import logging
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
import psycopg
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, InterfaceError, OperationalError, models, transaction
from django.db.models import Field, Model
from django.db.models.fields.related_lookups import RelatedIn
from django.db.models.lookups import In
from django.utils import timezone
from django.utils.translation import gettext as _
from psycopg import sql
from psycopg.errors import DeadlockDetected, DiskFull, ForeignKeyViolation, SerializationFailure, UniqueViolation
from psycopg.types import json as json_types, string as string_types
from psycopg.types.json import Jsonb

from fingerprint.engine import storable
from submissions.intake.limits import FIRST_YEAR, LAST_YEAR, is_disk_full, outside_time

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

    Result = TypeVar("Result")

    Columns = Mapping[str, Sequence[Any]]
    Cursor = psycopg.Cursor[tuple[Any, ...]]

logger = logging.getLogger(__name__)

ATTEMPTS = 5

# While work waits for room, and when it was tried often enough.
WAITS_FOR_ROOM = "The disk of the server is full. This is tried again"
NO_ROOM = "The disk of the server is full. Ask whoever runs it to make room, and then upload this again."

# How JSON text writes NUL, and what each surrogate, alone or in a pair, begins with.
_SUSPECTS: Final = (b"\\u0000", b"\\ud")

PURPOSE = b"moss.sealed"
KEY_BYTES = 32

INSERT = "INSERT INTO {table} ({names}) SELECT {values} FROM unnest({arrays}) AS new_rows ({columns})"
NEW_ROWS = " ON CONFLICT DO NOTHING RETURNING {columns}"

COPY = "COPY {table} ({columns}) FROM STDIN (FORMAT binary)"
COPY_HEADER, COPY_END = b"PGCOPY\n\xff\r\n\0" + bytes(8), b"\xff\xff"
COPY_TYPES = {"bigint": ">i8", "integer": ">i4", "double precision": ">f8", "boolean": "?"}

UPDATE = (
    "UPDATE {table} SET {changes} FROM unnest(%b::bigint[], {arrays}) AS new_rows (pk, {columns}) "
    "WHERE {table}.id = new_rows.pk"
)
CHANGE = "{name} = new_rows.{name}"
ARRAY = "ANY(%s::bigint[])"

# The driver takes the values of these as they are; converting each of them took longer than all the rest.
NUMBERS = (models.IntegerField, models.FloatField, models.BooleanField, models.ForeignKey)


def is_conflict(error: BaseException | None) -> bool:
    """Return whether an error of the database came from what others did at the same time."""
    kinds = (DeadlockDetected, ForeignKeyViolation, SerializationFailure, UniqueViolation)
    return isinstance(error, IntegrityError | OperationalError) and isinstance(error.__cause__, kinds)


def done_again(act: Callable[[], Result]) -> Result:
    """Return what `act` returns; call it again where others made its transaction impossible.

    It looks for its rows itself each time: after a failed commit, Django's objects have no key any more.
    """
    for attempt in range(1, ATTEMPTS):
        try:
            return act()
        except (IntegrityError, OperationalError) as error:
            if not is_conflict(error):
                raise
            logger.info("done again after attempt %d: %s", attempt, error)
    return act()


def is_no_room(error: BaseException | None) -> bool:
    """Return whether an error, or one of its causes, says that a disk or Postgres has no room."""
    seen = set[int]()
    while error is not None and id(error) not in seen:
        if isinstance(error, DiskFull) or is_disk_full(error):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def is_database_away(error: BaseException) -> bool:
    """Return whether an error says that the database ended a session or does not answer."""
    return isinstance(error, OperationalError | InterfaceError)


def storable_json(value: Any) -> Any:
    """Return a value of JSON with each text and each key in it as `storable` returns it."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [storable_json(one) for one in value]
    if isinstance(value, dict):
        return {storable(key): storable_json(one) for key, one in value.items()}
    return value


def replace_unstorable(connection: BaseDatabaseWrapper, **_: object) -> None:
    """Have a new connection replace what Postgres cannot store; Django calls this for each connection."""
    adapters = connection.connection.adapters
    for dumper in _TEXT_DUMPERS:
        adapters.register_dumper(str, dumper)
    for dumper in _JSON_DUMPERS:
        adapters.register_dumper(Jsonb, dumper)


def _text_dumper(base: Any) -> Any:
    def dump(self: Any, obj: str) -> Any:
        return base.dump(self, storable(obj))

    return type(f"Storable{base.__name__}", (base,), {"dump": dump})


def _json_dumper(base: Any) -> Any:
    def dump(self: Any, obj: Any) -> Any:
        data = bytes(base.dump(self, obj))
        if not any(suspect in data for suspect in _SUSPECTS):
            return data
        # The first byte of the binary form is a version.
        start = data.find(b"\x01") + 1
        return data[:start] + json.dumps(storable_json(json.loads(data[start:]))).encode()

    return type(f"Storable{base.__name__}", (base,), {"dump": dump})


# As psycopg registers dumpers: the last dumper of a format is used for a value whose type is not known.
_TEXT_DUMPERS = [
    _text_dumper(getattr(string_types, f"Str{name}"))
    for name in (
        "BinaryDumperName", "BinaryDumperVarchar", "BinaryDumper", "DumperName", "DumperVarchar", "Dumper",
        "DumperUnknown",
    )
]  # fmt: skip
_JSON_DUMPERS = [_json_dumper(json_types.JsonbBinaryDumper), _json_dumper(json_types.JsonbDumper)]

if TYPE_CHECKING:
    TextField = models.TextField[str, str]
else:
    TextField = models.TextField  # takes no parameters at run time


class _KeysIn(In):  # type: ignore[type-arg] # it takes no parameter at run time
    """`__in` of numbers as one parameter, the text of an array; thousands of parameters take the driver long."""

    def get_prep_lookup(self) -> Any:
        # Checking keys one by one takes longer than many a query with them.
        return list(self.rhs) if _are_keys(self.rhs) else super().get_prep_lookup()

    def process_rhs(self, compiler: Any, connection: Any) -> Any:
        if self.rhs and _are_keys(self.rhs):
            return ARRAY, [f"{{{','.join(map(str, self.rhs))}}}"]
        return super().process_rhs(compiler, connection)

    def get_rhs_op(self, connection: Any, rhs: str) -> str:
        return f"= {rhs}" if rhs == ARRAY else super().get_rhs_op(connection, rhs)


def _are_keys(values: Any) -> bool:
    """Return whether these are numbers that Postgres has."""
    is_list = isinstance(values, list | tuple | set | frozenset | dict)
    return is_list and {*map(type, values)} <= {int} and max(map(abs, values), default=0) < 1 << 63


class _RelatedKeysIn(_KeysIn, RelatedIn):
    """The same for the keys of a relation."""


models.IntegerField.register_lookup(_KeysIn)
models.ForeignKey.register_lookup(_RelatedKeysIn)


class OtherKey(Exception):
    """A text was sealed with another SECRET_KEY."""


def seal(text: str) -> str:
    """Return a text that says nothing without the key."""
    return _keys(settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS).encrypt(storable(text).encode()).decode()


def opened(sealed: str) -> str:
    """Return the text that was sealed; raise OtherKey when it was sealed with no key of the settings."""
    try:
        return _keys(settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS).decrypt(sealed).decode()
    except InvalidToken as error:
        raise OtherKey("Sealed with another SECRET_KEY: add that to SECRET_KEY_FALLBACKS.") from error


def opened_or_empty(sealed: str) -> str:
    """Return the text that was sealed; an empty one, with an error in the log, where no key opens it."""
    try:
        return opened(sealed)
    except OtherKey as error:
        logger.error("%s", error)  # noqa: TRY400 - the key is missing, wherever this is
        return ""


class SealedTextField(TextField):
    """A TextField that the database holds sealed: no query finds it. Migrations see a TextField.

    A text that was sealed with another key is read as an empty one, so that its row can be listed.
    """

    def deconstruct(self) -> Any:
        name, _, args, options = super().deconstruct()
        return name, "django.db.models.TextField", args, options

    def from_db_value(self, value: Any, *_: Any) -> Any:
        return value if value is None else opened_or_empty(value)

    def get_prep_value(self, value: Any) -> Any:
        prepared = super().get_prep_value(value)
        return prepared if prepared is None else seal(prepared)


def check_year(time: datetime) -> None:
    """Raise ValidationError for a time whose year is not one of `outside_time`."""
    if outside_time(time) is None:
        text = _("Write a year from {first} to {last}.")
        raise ValidationError(text.format(first=FIRST_YEAR, last=LAST_YEAR))


if TYPE_CHECKING:
    OutsideTimeField = models.DateTimeField
else:

    class OutsideTimeField(models.DateTimeField):
        """A field for times from outside: no other years are stored. Migrations see a DateTimeField."""

        default_validators = (check_year,)

        def deconstruct(self) -> Any:
            name, _path, args, options = super().deconstruct()
            return name, "django.db.models.DateTimeField", args, options

        def get_db_prep_save(self, value: Any, connection: Any) -> Any:
            if isinstance(value, datetime):
                check_year(value)
            return super().get_db_prep_save(value, connection)


@lru_cache(maxsize=4)
def _keys(*secrets: str) -> MultiFernet:
    return MultiFernet([Fernet(_derived(secret)) for secret in secrets])


def _derived(secret: str) -> bytes:
    key = HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=PURPOSE).derive(secret.encode())
    return urlsafe_b64encode(key)


def insert(
    connection: BaseDatabaseWrapper, model: type[Model], columns: Columns, returning: Sequence[str] = ()
) -> list[tuple[Any, ...]]:
    """Insert rows; with `returning` not those that a unique constraint forbids.

    connection : Django's database connection; an open transaction is continued
    model : its other fields get their defaults
    columns : names of columns and their values, one a row
    returning : columns to return of the rows that were inserted, in any order
    """
    fields = {field.column: field for field in model._meta.concrete_fields if not field.primary_key}  # noqa: SLF001
    constants = {
        name: timezone.now() if getattr(field, "auto_now_add", False) else field.get_default()
        for name, field in fields.items()
        if name not in columns
    }
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


def copy(connection: BaseDatabaseWrapper, model: type[Model], columns: Mapping[str, Any]) -> None:
    """Insert rows of numbers and one column of bytes, in a tenth of the processor time of `insert`.

    columns : names of columns, and a list of bytes or an array of numbers, one a row, or one number for all
        rows; all columns without a default of the database

    Raises ValueError where a number is none of its column, such as NULL or one that is too large.
    """
    fields = {field.column: field for field in model._meta.concrete_fields}  # noqa: SLF001
    types = {name: fields[name].db_type(connection) or "" for name in columns}
    [packed] = [name for name in columns if types[name] == "bytea"]
    names = [*(name for name in columns if name != packed), packed]
    # Each value follows its length in bytes.
    layout = [part for name in names[:-1] for part in ((f"length of {name}", ">i4"), (name, COPY_TYPES[types[name]]))]
    rows = np.zeros(len(columns[packed]), dtype=[("columns", ">i2"), *layout, ("last length", ">i4")])
    rows["columns"], rows["last length"] = len(names), [len(value) for value in columns[packed]]
    for name in names[:-1]:
        rows[name], rows[f"length of {name}"] = columns[name], rows.dtype[name].itemsize
        if not np.all(rows[name] == np.asarray(columns[name])):
            raise ValueError(f"A value of {name} is no {types[name]}.")
    parts = [part for row, value in zip(rows, columns[packed], strict=True) for part in (row.tobytes(), value)]
    table = sql.Identifier(model._meta.db_table)  # noqa: SLF001
    statement = sql.SQL(COPY).format(table=table, columns=_listed(map(sql.Identifier, names)))
    with transaction.atomic(using=connection.alias), open_cursor(connection) as cursor, cursor.copy(statement) as out:
        out.write(b"".join([COPY_HEADER, *parts, COPY_END]))


def flush_later(connection: BaseDatabaseWrapper) -> None:
    """Let the commit of this transaction not wait for the disk.

    For rows that only a later transaction makes use of: when that one is on the disk, so are they.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit TO off")


def update(connection: BaseDatabaseWrapper, model: type[Model], keys: Sequence[int], columns: Columns) -> None:
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


def _listed(parts: Iterable[sql.Composable]) -> sql.Composed:
    return sql.SQL(", ").join(parts)


@contextmanager
def open_cursor(connection: BaseDatabaseWrapper) -> Iterator[Cursor]:
    """Yield a cursor of psycopg, for binary values and results; its errors are raised as Django's."""
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        yield cursor
