"""The role that the service connects as can add entries to the audit log, and can take none away."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.urls import reverse
from psycopg.errors import InsufficientPrivilege, RaiseException

from moss.embedded.client import OWNER_ROLE, PACKAGE, SERVICE_ROLE
from moss.operations.doctor import audit, rights
from submissions.models import AuditEntry
from tests.moss.embedded.test_embedded import environment
from tests.moss.test_settings import evaluate

pytestmark = pytest.mark.django_db(transaction=True)

LOG = "submissions_auditentry"
ADD = f"""
    INSERT INTO {LOG} (created, number, digest, who, action, course, assignment, subject, page)
    VALUES (now(), 1, '', 'alice', 'saw', '', '', 'Ada Lovelace', 'pair')
"""
ATTACKS = (
    f"TRUNCATE {LOG}",
    f"DELETE FROM {LOG}",
    f"UPDATE {LOG} SET who = 'bob'",
    f"SET moss.erases_a_student = 'on'; UPDATE {LOG} SET subject = '[erased]'",
    f"DROP TABLE {LOG}",
    f"ALTER TABLE {LOG} DISABLE TRIGGER ALL",
    f"ALTER TABLE {LOG} OWNER TO CURRENT_USER",
    f"ALTER TABLE {LOG} ALTER COLUMN who TYPE text",
    f"DROP TRIGGER append_only ON {LOG}",
    f"CREATE RULE nothing AS ON INSERT TO {LOG} DO INSTEAD NOTHING",
    f"CREATE TRIGGER other BEFORE INSERT ON {LOG} EXECUTE FUNCTION submissions_refuse_change()",
    f"CREATE TEMPORARY TABLE {LOG} (who text)",
    "CREATE OR REPLACE FUNCTION submissions_refuse_change() RETURNS trigger LANGUAGE sql AS ''",
    "DROP FUNCTION submissions_refuse_change() CASCADE",
    "SET session_replication_role = replica",
    "DROP SCHEMA public CASCADE",
    f"SET ROLE {OWNER_ROLE}",
    f"GRANT ALL ON {LOG} TO PUBLIC",
    "ALTER ROLE CURRENT_USER SUPERUSER",
)
# What the documents say to a foreign database.
SQL_BLOCK = re.compile(r"## The two roles of the database\n.*?```sql\n(.*?)```", re.DOTALL)


def address(url: str, database: str) -> str:
    return urlsplit(url)._replace(path=f"/{database}").geturl()


@pytest.fixture
def service() -> Iterator[psycopg.Connection]:
    """Yield a session of the role that the private server gives to the service."""
    url = address(settings.PATHS.database_url, connection.settings_dict["NAME"])
    with psycopg.connect(url, autocommit=True) as session:
        session.execute(ADD)
        yield session


@pytest.mark.parametrize("statement", ATTACKS)
def test_no_statement_of_the_service_takes_an_entry_or_the_protection_away(
    service: psycopg.Connection, statement: str
) -> None:
    if "GRANT" in statement:
        service.execute(statement)  # Postgres warns that nothing was granted.
        assert not any(grantee == "-" for (grantee,) in service.execute(GRANTEES).fetchall())
        return
    with pytest.raises(InsufficientPrivilege):
        service.execute(statement)
    assert service.execute(f"SELECT who FROM {LOG}").fetchall() == [("alice",)]


GRANTEES = f"""
    SELECT grantee::regrole::text FROM pg_class, aclexplode(relacl) WHERE oid = '{LOG}'::regclass
"""


def test_the_service_replaces_a_subject_only_with_a_proof_of_the_erasure(service: psycopg.Connection) -> None:
    call = "SELECT submissions_replace_subjects(%s, '{1}', '{[erased]}')"
    proof = {"action": "erased", "page": "replace_subjects", "number": 2, "subject_digest": "0" * 64}
    for wrong in ({"action": "saw"}, {"page": "pair"}, {"number": 3}, {"subject_digest": ""}):
        with pytest.raises(RaiseException, match="no proof of an erasure"):
            service.execute(call, [json.dumps(proof | wrong)])
    with as_service():
        AuditEntry.objects.create(who="alice", action="saw", subject="Ada Lovelace", page="pair")
        AuditEntry.replace_subjects({2: "[erased]"}, "admin", "receipt 1")
        subjects = [*AuditEntry.objects.order_by("number").values_list("subject", flat=True)]
    assert subjects[:2] == ["Ada Lovelace", "[erased]"]
    assert subjects[2].startswith("receipt 1; 2 ")


def test_the_service_reads_and_writes_the_rows_of_every_other_table(service: psycopg.Connection) -> None:
    tables = {*connection.introspection.table_names()} - {LOG}
    allowed = "SELECT bool_and(has_table_privilege(%s, r)) FROM unnest(%s::text[]) r"
    each = ["SELECT", "INSERT", "UPDATE", "DELETE", "MAINTAIN"]
    refused = [name for name in tables if service.execute(allowed, [name, each]).fetchone() != (True,)]
    assert (len(tables) > 60, refused) == (True, [])


def test_a_service_that_owns_its_tables_is_told_so(admin_client: Client) -> None:
    assert rights().state == "warning"
    assert "The two roles of the database" in rights().advice
    assert audit().state == "warning"
    assert "could change or erase entries" in admin_client.get(reverse("audit_log")).content.decode()


def test_a_service_of_the_private_database_is_not(admin_client: Client, tmp_path: Path) -> None:
    with as_service():
        assert rights().state == "ok"
        assert audit().state == "ok"
        assert "could change or erase" not in admin_client.get(reverse("audit_log")).content.decode()
    assert evaluate(tmp_path, "s.DATABASES['default']['USER']") == SERVICE_ROLE


class as_service:  # noqa: N801 - used as a function
    """Connect as the service in this thread."""

    def __enter__(self) -> None:
        self.user = connection.settings_dict["USER"]
        connection.close()
        connection.settings_dict["USER"] = SERVICE_ROLE

    def __exit__(self, *_: object) -> None:
        connection.close()
        connection.settings_dict["USER"] = self.user


@pytest.fixture
def foreign() -> Iterator[dict[str, str]]:
    """Yield the addresses of a database whose roles were made as the documents say."""
    text = (PACKAGE.parent / "docs" / "do" / "running.md").read_text()
    (statements,) = SQL_BLOCK.findall(text)
    suffix = f"_{os.getpid()}"
    renamed = re.sub(r"\b(moss_owner|moss_service|DATABASE moss|TO moss)\b", rf"\g<1>{suffix}", statements)
    server = urlsplit(settings.DATABASE_URL)
    with psycopg.connect(address(settings.DATABASE_URL, "postgres"), autocommit=True) as session:
        for statement in filter(str.strip, renamed.split(";")):
            session.execute(statement)
        urls = {
            "DATABASE_URL": f"postgresql://moss_service{suffix}:secret@/moss{suffix}?{server.query}",
            "DATABASE_OWNER_URL": f"postgresql://moss_owner{suffix}:secret@/moss{suffix}?{server.query}",
        }
        yield urls
        session.execute(f"DROP DATABASE moss{suffix} WITH (FORCE)")
        for role in ("service", "owner"):
            session.execute(f"DROP ROLE moss_{role}{suffix}")


@pytest.mark.long
def test_a_foreign_database_is_prepared_as_the_documents_say(foreign: dict[str, str], tmp_path: Path) -> None:
    variables = environment(tmp_path, **foreign, SECRET_KEY="secret", REDIS_URL=settings.REDIS_URL)
    migrate = [sys.executable, "-m", "moss", "manage", "migrate", "--no-input", "-v0"]
    subprocess.run(migrate, env=variables, cwd=PACKAGE.parent, check=True)
    with psycopg.connect(foreign["DATABASE_URL"], autocommit=True) as service:
        service.execute(ADD)
        for statement in ATTACKS[:5]:
            with pytest.raises(InsufficientPrivilege):
                service.execute(statement)
    doctor = [sys.executable, "-m", "moss", "doctor"]
    checked = subprocess.run(doctor, env=variables, cwd=PACKAGE.parent, stdout=subprocess.PIPE, check=False)
    assert b"ok       rights: the service can only add entries" in checked.stdout
