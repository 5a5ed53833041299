"""Every migration says whether the release before may run meanwhile, and is what it says."""

from __future__ import annotations

from typing import Any, cast

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, migrations, models, transaction
from django.db.migrations.loader import MigrationLoader

from moss.doctor.services import need_stop
from submissions.models import Course
from tests.support.migration_phases import PHASES, contradictions, is_filled_without_the_code

LOADER = MigrationLoader(None)
OURS = {
    f"{app}.{name}": migration
    for (app, name), migration in sorted(LOADER.disk_migrations.items())
    if apps.get_app_config(app).name.partition(".")[0] in {"moss", "submissions"}
}


def migration_of(phase: str | None, *operations: Any) -> migrations.Migration:
    declared = {"phase": phase} if phase else {}
    kind = type("Migration", (migrations.Migration,), {"operations": operations, **declared})
    return cast("migrations.Migration", kind("0002", "app"))


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
@pytest.mark.django_db
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
