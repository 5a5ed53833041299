"""Every migration stays as it is, says whether the release before may run meanwhile, and is what it says."""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, migrations, models, transaction
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.models import NOT_PROVIDED, Field

from moss.operations.doctor import need_stop, phase_of
from submissions.models import Course

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


LOADER = MigrationLoader(None)
OURS = {
    f"{app}.{name}": migration
    for (app, name), migration in sorted(LOADER.disk_migrations.items())
    if apps.get_app_config(app).name.partition(".")[0] in {"moss", "submissions"}
}
DIGESTS = Path(__file__).with_name("migration_digests.txt")
IMPORT = re.compile(r"^import ((?:moss|submissions)\.[\w.]+)\n", re.MULTILINE)


def digest_of(migration: migrations.Migration) -> str:
    source = Path(inspect.getfile(type(migration))).read_text(encoding="utf-8")
    return hashlib.sha256(without_modules(source).encode()).hexdigest()


def without_modules(source: str) -> str:
    """Return a migration without the paths of the product's modules in it, which may move."""
    for module in sorted(IMPORT.findall(source), key=len, reverse=True):
        source = source.replace(f"{module}.", "")
    return IMPORT.sub("", source)


def migration_of(phase: str | None, *operations: Any) -> migrations.Migration:
    declared = {"phase": phase} if phase else {}
    kind = type("Migration", (migrations.Migration,), {"operations": operations, **declared})
    return cast("migrations.Migration", kind("0002", "app"))


def test_no_migration_was_edited_or_removed_since_it_was_listed(request: pytest.FixtureRequest) -> None:
    """Installations have applied it and do not apply it again: add a migration instead.

    `--update-goldens` lists those that are new, and leaves what is listed as it is.
    """
    lines = [line.split() for line in DIGESTS.read_text().splitlines()]
    listed = {name: digest for digest, name in lines}
    digests = {name: digest_of(migration) for name, migration in OURS.items()}
    if request.config.getoption("--update-goldens"):
        listed = digests | listed
        DIGESTS.write_text("".join(f"{listed[name]}  {name}\n" for name in sorted(listed)))
    assert digests == listed, "migrations are only added: undo the edit, and add another migration"


def test_a_digest_is_of_the_contents_and_not_of_where_other_modules_are() -> None:
    former = "import moss.hooks.models\n\nmigrations.RunSQL(moss.hooks.models.SQL)\n"
    moved = "import moss.models\n\nmigrations.RunSQL(moss.models.SQL)\n"
    assert without_modules(former) == without_modules(moved) == "\nmigrations.RunSQL(SQL)\n"
    assert without_modules(moved.replace("SQL", "OTHER")) != without_modules(moved)


@pytest.mark.parametrize("name", OURS)
def test_every_migration_declares_its_phase_and_is_what_it_says(name: str) -> None:
    assert vars(type(OURS[name])).get("phase") in PHASES
    assert contradictions(OURS[name]) == []


def test_there_are_migrations_of_every_app_with_tables() -> None:
    assert {name.partition(".")[0] for name in OURS} >= {"submissions", "corpus"}


def test_what_takes_away_or_refuses_is_no_expansion() -> None:
    kept = migrations.AddField("course", "note", models.TextField(null=True))
    refused = (
        migrations.AddField("course", "note", models.TextField(default="")),
        migrations.RemoveField("course", "name"),
        migrations.AlterField("course", "name", models.TextField()),
        migrations.RenameField("course", "name", "title"),
        migrations.AddConstraint("course", models.UniqueConstraint("name", name="one")),
    )
    assert contradictions(migration_of("expand", kept)) == []
    for operation in refused:
        assert contradictions(migration_of("expand", operation)) == [operation.describe()]


def test_what_leaves_the_models_alone_is_no_removal() -> None:
    removal = migrations.RemoveField("course", "name")
    state_only = migrations.SeparateDatabaseAndState(state_operations=[removal])
    assert contradictions(migration_of("expand", state_only)) == []
    assert contradictions(migration_of("contract", removal)) == []
    assert contradictions(migration_of("contract", migrations.RunSQL("SELECT 1")))


def test_a_migration_without_a_declaration_needs_a_stop() -> None:
    plan = [migration_of(None), migration_of("expand"), migration_of("contract"), migration_of("stop")]
    assert need_stop(plan) == ["app.0002", "app.0002"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("field", "works"),
    [
        (models.TextField(null=True), True),
        (models.IntegerField(db_default=3), True),
        (models.IntegerField(default=3), False),
    ],
)
def test_code_of_the_release_before_writes_into_an_expanded_table(
    field: Any, *, works: bool, django_user_model: Any
) -> None:
    """The models of this process are the old code: they do not know the column that is added."""
    owner = django_user_model.objects.create_user("old code")
    field.set_attributes_from_name("of_the_next_release")
    field.model = Course
    with transaction.atomic(), connection.schema_editor() as editor:
        editor.add_field(Course, field)
    assert is_filled_without_the_code(field) == works
    if works:
        assert Course.objects.create(owner=owner, name="Compilers").pk
    else:
        with pytest.raises(IntegrityError, match="of_the_next_release"), transaction.atomic():
            Course.objects.create(owner=owner, name="Compilers")
