"""A changed backup runs nothing: its signature, its statements and the rights of a role each refuse that."""

import io
import json
import tarfile
from collections.abc import Callable
from hashlib import sha256
from importlib import import_module
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone
from pytest_django.fixtures import Settings

from moss.cli import main
from moss.operations import backups as restoring, dumps
from moss.operations.backups import MANIFEST, SIGNATURE, _signature
from moss.operations.dumps import BackupError
from submissions.models import Assignment, Report
from submissions.work.heartbeats import Worker, delete_worker, save_worker
from tests.moss.backups.test_backups import changed, other_database
from tests.support.long_rows import rest_is_long
from tests.support.template_database import NAME

# Restoring refuses beside a worker, and one of earlier tests may still run.
pytestmark = [pytest.mark.services, pytest.mark.usefixtures("no_worker")]
commits = pytest.mark.django_db(transaction=True)

# A statement that makes each kind of thing that no backup has.
KINDS = {
    "function": "CREATE FUNCTION evil() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "function of a trigger": "CREATE FUNCTION evil() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN END$$",
    "procedure": "CREATE PROCEDURE evil() LANGUAGE sql AS 'SELECT 1'",
    "aggregate": "CREATE AGGREGATE evil(int) (sfunc = int4pl, stype = int)",
    "rule": "CREATE RULE evil AS ON INSERT TO submissions_course DO ALSO DELETE FROM auth_user",
    "view": "CREATE VIEW evil AS SELECT pg_read_file('PG_VERSION')",
    "materialized view": "CREATE MATERIALIZED VIEW evil AS SELECT pg_ls_dir('.')",
    "operator": "CREATE OPERATOR === (leftarg = int, rightarg = int, function = int4eq)",
    "domain": "CREATE DOMAIN evil AS text CHECK (pg_read_file(VALUE) IS NOT NULL)",
    "type": "CREATE TYPE evil AS ENUM ('a')",
    "sequence": "CREATE SEQUENCE evil",
    "policy": "CREATE POLICY evil ON auth_user USING (pg_read_file('PG_VERSION') <> '')",
    "row security": "ALTER TABLE auth_user ENABLE ROW LEVEL SECURITY",
    "statistics": "CREATE STATISTICS evil ON id, name FROM submissions_course",
    "default that calls": "ALTER TABLE submissions_course ADD evil text DEFAULT pg_read_file('PG_VERSION')",
    "default of a schema": "ALTER TABLE submissions_course ADD evil text DEFAULT pg_catalog.version()",
    "generated column": "ALTER TABLE submissions_course ADD evil int GENERATED ALWAYS AS (abs(1)) STORED",
    "check that calls": "ALTER TABLE submissions_course ADD CHECK (pg_read_file(name) <> '') NOT VALID",
    "index of a call": "CREATE INDEX evil ON submissions_course (abs(id))",
    "index with a condition": "CREATE INDEX evil ON submissions_course (id) WHERE length(name) > 1",
    "trigger with a condition": (
        "CREATE TRIGGER evil BEFORE UPDATE ON submissions_auditentry FOR EACH ROW "
        "WHEN (pg_read_file('PG_VERSION') <> '') EXECUTE FUNCTION submissions_refuse_change()"
    ),
    "trigger that is off": "ALTER TABLE submissions_auditentry DISABLE TRIGGER append_only",
    "inherited table": "CREATE TABLE evil () INHERITS (submissions_course)",
    "partitioned table": "CREATE TABLE evil (id int) PARTITION BY RANGE (id)",
    "clustered table": "ALTER TABLE submissions_course CLUSTER ON submissions_course_pkey",
    "options of a table": "ALTER TABLE submissions_course SET (fillfactor = 10)",
    "comment": "COMMENT ON TABLE submissions_course IS 'evil'",
    "other body": "CREATE OR REPLACE FUNCTION submissions_refuse_change() RETURNS trigger LANGUAGE plpgsql "
    "AS $$BEGIN RETURN NEW; END$$",
    "quoted name": 'CREATE TABLE "x"";y" (id int)',
}  # fmt: skip
# What is in no schema, or in another one: backups leave it out.
ELSEWHERE = {
    "schema": "CREATE SCHEMA evil CREATE TABLE x (id int)",
    "cast": "CREATE CAST (int AS uuid) WITH INOUT AS IMPLICIT",
    "event trigger": "CREATE SCHEMA evil; CREATE FUNCTION evil.evil() RETURNS event_trigger LANGUAGE plpgsql "
    "AS $$BEGIN END$$; CREATE EVENT TRIGGER evil ON ddl_command_end EXECUTE FUNCTION evil.evil()",
    "publication": "CREATE PUBLICATION evil FOR ALL TABLES",
    "foreign data": "CREATE FOREIGN DATA WRAPPER evil",
    "large object": "SELECT lo_from_bytea(0, 'evil')",
    "extension": "CREATE SCHEMA evil; CREATE EXTENSION {} SCHEMA evil",
}
EXTENSION = "SELECT name FROM pg_available_extensions WHERE installed_version IS NULL ORDER BY name LIMIT 1"


def repacked(backup: Path, target: Path, change: Callable[[bytes], bytes], *, signed: bool = True) -> Path:
    """Write a backup with another dump, right checksums and, as by who has the key, a right signature."""
    with tarfile.open(backup) as old:
        parts = {member.name: old.extractfile(member).read() for member in old}  # type: ignore[union-attr]
    parts["database.dump"] = change(parts["database.dump"])
    manifest = json.loads(parts[MANIFEST])
    manifest["checksums"]["database.dump"] = sha256(parts["database.dump"]).hexdigest()
    parts[MANIFEST] = json.dumps(manifest).encode()
    parts[SIGNATURE] = _signature(parts[MANIFEST], settings.SECRET_KEY if signed else "another").encode()
    with tarfile.open(target, "w") as new:
        for name, content in parts.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            new.addfile(member, io.BytesIO(content))
    return target


def put(old: str, new: str) -> Callable[[bytes], bytes]:
    """Return a change of one text in a dump, whose length is written before it."""

    def change(content: bytes) -> bytes:
        assert old.encode() in content
        assert len(new) <= len(old)
        return content.replace(old.encode(), new.ljust(len(old)).encode())

    return change


def dumped(folder: Path) -> bytes:
    """Return a dump of the database as anybody can make it."""
    dumps._run("pg_dump", ["--format=custom", "--no-owner", "--no-privileges"], folder / "dump")
    return (folder / "dump").read_bytes()


@commits
@pytest.mark.parametrize("kind", rest_is_long(KINDS, first=2))
def test_what_no_dump_of_the_service_has_is_neither_written_nor_restored(kind: str, tmp_path: Path) -> None:
    """The dump is one of Postgres, of a database to which somebody added it, under a right signature."""
    with other_database(template=NAME):
        restoring.write(tmp_path / "backup")
        with connection.cursor() as cursor:
            cursor.execute(KINDS[kind])
        with pytest.raises(BackupError, match=r"that none of moss-server has: .*Move it into another schema"):
            restoring.write(tmp_path / "refused")
        content = dumped(tmp_path)
        other = repacked(tmp_path / "backup", tmp_path / "other", lambda _content: content)
        with pytest.raises(BackupError, match=r"that none of moss-server has: [A-Z]+ "):
            restoring.restore(other, replace=True)
        assert "submissions_course" in connection.introspection.table_names()
    assert not (tmp_path / "refused").exists()


@commits
@pytest.mark.parametrize("kind", rest_is_long(ELSEWHERE))
def test_what_is_in_another_schema_is_not_written_and_not_restored(kind: str, tmp_path: Path) -> None:
    with other_database(template=NAME):
        with connection.cursor() as cursor:
            cursor.execute(EXTENSION)
            name = (cursor.fetchone() or ("none",))[0]
            cursor.execute(ELSEWHERE[kind].replace("{}", name))
        restoring.write(tmp_path / "backup")
        restoring.restore(tmp_path / "backup", replace=True)
        content = dumped(tmp_path)
        other = repacked(tmp_path / "backup", tmp_path / "other", lambda _content: content)
        with pytest.raises(BackupError, match=r"that none of moss-server has: [A-Z]+ "):
            restoring.restore(other, replace=True)


TABLE = "CREATE TABLE public.submissions_course (\n    id bigint"
COPY = "COPY public.submissions_course (id, name, keep_months, keep"


@commits
@pytest.mark.parametrize(
    ("old", "new"),
    rest_is_long(
        [
            (COPY, "COPY submissions_entry FROM PROGRAM 'touch {}' --"),
            (COPY, "\\! touch {}\n--"),
            (COPY, "COPY auth_user TO PROGRAM 'touch {}'; --"),
            (TABLE, "\\! touch {}\n--"),
            (TABLE, "DO $$BEGIN END$$; --"),
            ("    created timestamp with time zone NOT NULL", "    created text DEFAULT version()"),
            ("CREATE INDEX submissions_course_owner_id", "DROP TABLE auth_user; --"),
        ],
        first=2,
    ),
)
def test_a_dump_with_other_text_where_a_known_entry_stands_is_refused(old: str, new: str, tmp_path: Path) -> None:
    """Its list of contents, as `pg_restore --list` shows it, is that of an honest one."""
    with other_database(template=NAME):
        restoring.write(tmp_path / "backup")
        other = repacked(tmp_path / "backup", tmp_path / "other", put(old, new.format("/tmp/x")))
        with pytest.raises(BackupError, match="that none of moss-server has"):
            restoring.restore(other, replace=True)
        assert "submissions_course" in connection.introspection.table_names()


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT pg_catalog.set_config('search_path', 'evil', false);",
        "SELECT pg_catalog.setval('public.x', 1, true), pg_sleep(1);",
        "SET x = '1'; DROP TABLE auth_user;",
        "SET ROLE postgres;\nRESET ROLE;",
        "COPY public.x (id) FROM '/etc/passwd';",
        "COPY public.x (id) FROM stdin; SELECT 1;",
        "COPY public.x (id) FROM PROGRAM 'id';",
        "COPY public.x (id) TO stdout;",
        "CREATE TABLE public.x (id text DEFAULT \"pg_read_file\"('x'));",
        "CREATE TABLE public.x (id text DEFAULT '''' || pg_read_file('x') || '''');",
        "CREATE TABLE public.x (id text DEFAULT E'\\'' || pg_read_file('x') || '');",
        "CREATE TABLE public.x (id text DEFAULT $$a$$);",
        "CREATE TABLE public.x (id text /* ' */ DEFAULT pg_read_file('x') /* ' */);",
        "CREATE TABLE public.x (id text DEFAULT public.dblink_exec('x'));",
        "CREATE TABLE public.x (a) AS SELECT pg_read_file ('x');",
        "CREATE TABLE public.x (id text DEFAULT pg_read_file\n('x'));",
        "CREATE TABLE evil.x (id text);",
        "CREATE TABLE public.x AS TABLE pg_catalog.pg_authid;",
        "CREATE TABLE public.x (a) AS TABLE pg_catalog.pg_shadow WITH NO DATA;",
        "CREATE TABLE public.x (LIKE pg_catalog.pg_authid INCLUDING ALL);",
        "CREATE TABLE public.x PARTITION OF public.y DEFAULT;",
        "CREATE TABLE public.x OF public.y;",
        "CREATE INDEX x ON public.x USING btree (public.evil(id));",
        "ALTER TABLE public.x OWNER TO postgres;",
        "CREATE EXTENSION dblink;",
        "CREATE CAST (text AS int) WITH FUNCTION evil(text);",
        "CREATE FUNCTION public.x() RETURNS int LANGUAGE c AS 'libc.so.6', 'system';\n$$;",
        "LOAD 'evil';",
        "x" * 200_000,
        "\\! id",
        "\\restrict a b",
        "\\connect evil",
        "SET never = ended",
    ],
)
def test_a_statement_is_taken_only_in_a_form_that_dumps_have(statement: str, tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_text(f"SET row_security = off;\n{statement}\n")
    with pytest.raises(BackupError, match="that none of moss-server has"):
        dumps.check(script)


BODY = import_module("submissions.migrations.0001_initial").APPEND_ONLY.split("$$")[1]
HONEST = {"name": "submissions_refuse_change()", "returns": "trigger", "options": "", "body": BODY}


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ("name", "evil()"),
        ("name", "submissions_replace_subjects(entry jsonb, numbers bigint[], subjects text[])"),
        ("name", "submissions_refuse_change(evil text DEFAULT pg_read_file('x'))"),
        ("returns", "event_trigger"),
        ("options", " SECURITY DEFINER"),
        ("options", "\n    SECURITY DEFINER\n    SET search_path TO 'pg_catalog', 'pg_temp'"),
        ("options", " SET search_path TO evil"),
        ("options", " COST 1"),
        ("body", "BEGIN RETURN NEW; END"),
    ],
)
def test_a_function_is_taken_only_whole_as_this_version_has_it(part: str, other: str) -> None:
    def text(name: str, returns: str, options: str, body: str) -> str:
        return f"CREATE FUNCTION public.{name} RETURNS {returns}\n    LANGUAGE plpgsql{options}\n    AS $${body}$$;\n"

    assert dumps._checked(text(**HONEST))
    with pytest.raises(BackupError, match="that none of moss-server has"):
        dumps._checked(text(**HONEST | {part: other}))


@commits
def test_two_statements_in_one_text_are_refused_by_the_server_too() -> None:
    connection.ensure_connection()
    cursor = psycopg.Cursor(connection.connection)
    with pytest.raises(psycopg.errors.SyntaxError, match="multiple commands"):
        cursor.execute("SELECT 1; SELECT 2", binary=True)


def run_as_restored(statement: str) -> None:
    cursor = psycopg.Cursor(connection.connection)
    with dumps._unprivileged(cursor):
        cursor.execute("CREATE TABLE public.x (id text)")
        cursor.execute(statement.encode())


@commits
def test_a_dump_is_loaded_as_a_role_that_runs_no_program_and_reads_no_file(tmp_path: Path) -> None:
    for statement in (f"COPY x FROM PROGRAM 'touch {tmp_path}/ran'", "SELECT pg_read_file('PG_VERSION')"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege), transaction.atomic():
            run_as_restored(statement)
    assert list(tmp_path.iterdir()) == []


@commits
def test_a_role_without_superuser_restores_and_owns_what_it_restored(
    report: Report, tmp_path: Path, settings: Settings
) -> None:
    restoring.write(tmp_path / "backup")
    settings.DATABASE_OWNER = {}
    with other_database():
        superuser, name = connection.settings_dict, connection.settings_dict["NAME"]
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE ROLE plain LOGIN; ALTER DATABASE {name} OWNER TO plain")
        connection.close()
        connection.settings_dict = superuser | {"USER": "plain"}
        try:
            restoring.restore(tmp_path / "backup")
            restoring.restore(tmp_path / "backup", replace=True)
            assert Report.objects.get() == report
        finally:
            connection.close()
            connection.settings_dict = superuser
            with connection.cursor() as cursor:
                cursor.execute("REASSIGN OWNED BY plain TO CURRENT_USER; DROP OWNED BY plain; DROP ROLE plain")


@commits
def test_a_backup_that_this_installation_did_not_sign_needs_a_word(
    assignment: Assignment, tmp_path: Path, settings: Settings
) -> None:
    restoring.write(tmp_path / "backup")
    other = repacked(tmp_path / "backup", tmp_path / "other", bytes, signed=False)
    with pytest.raises(BackupError, match=r"is not signed with this installation's SECRET_KEY.*--unsigned"):
        restoring.restore(other, replace=True)
    restoring.restore(other, replace=True, unsigned=True)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "a new one"
    restoring.restore(tmp_path / "backup", replace=True)
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(BackupError, match="--unsigned"):
        restoring.check(tmp_path / "backup")
    assert Assignment.objects.get() == assignment


@commits
def test_a_backup_is_restored_as_a_test_and_changes_nothing(report: Report, tmp_path: Path) -> None:
    counts = restoring.write(tmp_path / "backup").counts
    Report.objects.all().delete()
    result = CliRunner().invoke(main, ["restore", "--check", str(tmp_path / "backup")])
    assert (result.exit_code, "Restored as a test, and dropped" in result.output) == (0, True), result.output
    assert not Report.objects.exists()
    fewer = changed(tmp_path / "backup", tmp_path / "fewer", counts=counts | {"submissions_report": 7})
    result = CliRunner().invoke(main, ["restore", "--check", "--unsigned", str(fewer)])
    assert (result.exit_code, "submissions_report: not as many rows" in result.output) == (1, True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_database WHERE datname LIKE 'moss_scratch%'")
        assert cursor.fetchone() == (0,)


@commits
def test_nothing_is_restored_while_workers_answer_or_other_processes_use_the_database(
    assignment: Assignment, tmp_path: Path
) -> None:
    restoring.write(tmp_path / "backup")
    arguments = ["restore", "--replace", str(tmp_path / "backup")]
    worker = Worker("worker@host", 7, ["celery"], 2, "0.1.0", "moss host 7", timezone.now().isoformat())
    save_worker(worker)
    parameters = connection.get_connection_params() | {"application_name": "moss web-1 77"}
    try:
        with psycopg.connect(**parameters):
            refused = CliRunner().invoke(main, arguments)
    finally:
        delete_worker(worker.name)
    assert refused.exit_code == 1
    assert (
        "Stop these first: worker@host (0.1.0), moss web-1 77. Run `moss stop`. Nothing was changed." in refused.output
    )
    with psycopg.connect(**parameters | {"application_name": "psql"}):
        restored = CliRunner().invoke(main, arguments)
    assert restored.exit_code == 0, restored.output
    assert "Connected, too, which may delay the restoring: psql." in restored.output
