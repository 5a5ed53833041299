"""The tables of the database, compared with the tables that the migrations of this version make.

The names of the applied migrations do not prove that the tables are right: a migration may have had other
contents, and people change tables by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from django.apps import apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader

# What the migrations of the product's own apps make, a line for each object. It is kept in a file because
# the roles of an installation need not be allowed to create another database and to migrate that; a test
# compares the file with a migrated database.
FILE = Path(__file__).with_suffix(".txt")
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


def own_schema() -> dict[str, str]:
    """Return a description of each object of the product's own tables, as the database has it."""
    return {name: text for name, text in _schema().items() if _is_own(name)}


def written(schema: dict[str, str]) -> str:
    """Return what the file has for a schema."""
    return "".join(f"{name}{SEPARATOR}{text}\n" for name, text in schema.items())


def schema_problem() -> str:
    """Return how the tables differ from this version's tables, in one phrase; "" if they do not.

    Tables of a newer version are not compared: it adds to them while this version still runs.
    """
    if unknown_migrations():
        return ""
    found = differences()
    more = f", and {len(found) - 1} more differences" if len(found) > 1 else ""
    return f"the tables are not those of this version: {found[0]}{more}" if found else ""


def unknown_migrations() -> list[str]:
    """Return the applied migrations of installed apps that this version does not have."""
    loader = MigrationLoader(connection)
    known = {*loader.disk_migrations, *loader.replacements}
    labels = {label for label, _name in known}
    return [".".join(key) for key in loader.applied_migrations if key[0] in labels and key not in known]


def differences() -> list[str]:
    """Return each difference between the tables and the tables that this version's migrations make.

    Tables of other packages change with the versions of these packages, and `FILE` may have been written with
    other versions. So only the columns of their models are looked for.
    """
    schema = _schema()
    return [*_own_differences(schema), *(f"there is no {name}" for name in _others() if name not in schema)]


def _own_differences(schema: dict[str, str]) -> Iterator[str]:
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
