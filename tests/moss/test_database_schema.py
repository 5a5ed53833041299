"""The tables are compared with those that the migrations make, by doctor, by what migrates and by healthz."""

from collections.abc import Iterator

import pytest
from click.testing import CliRunner
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from moss.cli import main
from moss.embedded.client import SERVICE_ROLE
from moss.operations import database, doctor as services, monitoring as health
from moss.operations.database import FILE, OWN, schema_differences, schema_problem
from tests.moss.backups.test_backups import other_database
from tests.moss.test_database_roles import as_service
from tests.support.golden import Golden
from tests.support.template_database import NAME

LOG, PAIR, COURSE = "submissions_auditentry", "submissions_pair", "submissions_course"
REPLACE = "CREATE OR REPLACE FUNCTION submissions_refuse_change() RETURNS trigger LANGUAGE plpgsql"
# Each change, and what is said of it.
CHANGES = (
    (f"ALTER TABLE {PAIR} DROP longest", f"there is no column {PAIR}.longest (integer NOT NULL)"),
    (f"ALTER TABLE {PAIR} ALTER longest TYPE bigint", "longest is bigint NOT NULL, not integer NOT NULL"),
    (f"ALTER TABLE {PAIR} ALTER longest DROP NOT NULL", "longest is integer, not integer NOT NULL"),
    (f"ALTER TABLE {PAIR} ALTER longest SET DEFAULT 0", "longest is integer NOT NULL DEFAULT 0, not"),
    (f"ALTER TABLE {PAIR} ALTER id DROP IDENTITY", "id is bigint NOT NULL, not bigint NOT NULL IDENTITY"),
    ("ALTER TABLE submissions_filechunk ALTER data SET STORAGE EXTENDED", "data is bytea NOT NULL, not"),
    (f"ALTER TABLE {COURSE} ADD later text", f"this version knows no column {COURSE}.later (text)"),
    (f"ALTER TABLE {COURSE} ADD UNIQUE (name)", f"this version knows no constraint {COURSE}."),
    (f"CREATE UNIQUE INDEX one ON {COURSE} (name)", f"this version knows no index {COURSE}.one (CREATE"),
    (
        "ALTER TABLE submissions_upload DROP CONSTRAINT upload_has_one_owner",
        "there is no constraint submissions_upload.upload_has_one_owner (CHECK",
    ),
    ("DROP INDEX corpus_text_digest", "there is no index corpus_corpustext.corpus_text_digest (CREATE INDEX"),
    ("DROP TABLE webhooks_delivery", "there is no table webhooks_delivery"),
    ("CREATE TABLE submissions_former (id int)", "this version knows no table submissions_former"),
    (f"ALTER TABLE {LOG} DISABLE TRIGGER append_only", f"trigger {LOG}.append_only is CREATE TRIGGER"),
    (f"DROP TRIGGER append_only ON {LOG}", f"there is no trigger {LOG}.append_only"),
    (f"{REPLACE} AS 'BEGIN RETURN NEW; END'", "function submissions_refuse_change() is returns trigger"),
    (
        "ALTER TABLE account_emailaddress DROP COLUMN verified",
        "there is no column account_emailaddress.verified",
    ),
)
HARMLESS = (
    "CREATE INDEX of_an_administrator ON submissions_pair (lines)",
    "CREATE TABLE of_another_program (id int PRIMARY KEY)",
    "CREATE FUNCTION of_another_program() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "ALTER TABLE submissions_pair ADD later int; ALTER TABLE submissions_pair DROP COLUMN later",
)
DROP, MISSING = CHANGES[0]


@pytest.fixture(autouse=True)
def _compared_anew() -> Iterator[None]:
    health._schema_fits.cache_clear()
    yield
    health._schema_fits.cache_clear()


def change(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.django_db
def test_the_file_describes_what_the_migrations_make(golden: Golden) -> None:
    schema = database._schema()
    golden(FILE, "".join(f"{name}: {text}\n" for name, text in schema.items() if database._is_own(name)))
    assert schema_differences() == []


@pytest.mark.django_db
def test_every_column_of_our_models_is_in_the_file() -> None:
    names = {line.partition(": ")[0] for line in FILE.read_text().splitlines()}
    ours = [
        f"column {model._meta.db_table}.{field.column}"
        for app in apps.get_app_configs()
        if app.name.startswith(OWN)
        for model in app.get_models(include_auto_created=True)
        for field in model._meta.local_concrete_fields
    ]
    assert (len(ours) > 400, [name for name in ours if name not in names]) == (True, [])


@pytest.mark.parametrize(("statement", "said"), CHANGES)
@pytest.mark.django_db
def test_every_kind_of_change_is_found_and_named(statement: str, said: str) -> None:
    change(statement)
    assert said in " ".join(schema_differences())
    finding = services.migrations()
    assert finding.state == "problem"
    assert finding.message.startswith("the tables are not those of this version: ")
    assert "go back to the version" in finding.advice


@pytest.mark.parametrize("statement", HARMLESS)
@pytest.mark.django_db
def test_what_changes_no_answer_is_not_reported(statement: str) -> None:
    change(statement)
    assert schema_differences() == []


@pytest.mark.django_db
def test_the_tables_of_a_newer_version_are_not_compared() -> None:
    """It adds columns while this version still runs, and must not be stopped for them."""
    change("ALTER TABLE submissions_course ADD later text")
    assert schema_problem()
    MigrationRecorder(connection).record_applied("submissions", "9999_of_a_newer_version")
    assert schema_problem() == ""


@pytest.mark.django_db(transaction=True)
def test_the_service_sees_the_same_tables_as_their_owner_and_misses_its_rights() -> None:
    with as_service():
        assert schema_differences() == []
    change(f"REVOKE SELECT ON submissions_pair FROM {SERVICE_ROLE}")
    try:
        with as_service():
            assert schema_differences() == ["table submissions_pair is closed to this role, not open to this role"]
    finally:
        change(f"GRANT SELECT ON submissions_pair TO {SERVICE_ROLE}")


@pytest.mark.django_db(transaction=True)
def test_a_column_that_is_missing_while_its_migration_is_recorded_stops_what_starts(client: Client) -> None:
    """An installation whose migrations were edited afterwards: everything was fine, and pages were 500."""
    with other_database(template=NAME):
        call_command("migrate", "--check", verbosity=0)
        assert client.get("/healthz").json()["schema"] is True
        change(DROP)
        for arguments in (["setup"], ["doctor"]):
            result = CliRunner().invoke(main, arguments)
            assert (result.exit_code, MISSING in result.output) == (1, True), result.output
        for options in ([], ["--check"]):
            with pytest.raises(CommandError, match=r"there is no column submissions_pair\.longest"):
                call_command("migrate", *options, verbosity=0)
        health._schema_fits.cache_clear()
        response = client.get("/healthz")
        assert (response.status_code, response.json()["schema"]) == (503, False)
