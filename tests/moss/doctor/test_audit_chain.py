"""Whoever removes, changes or inserts an entry of the audit log in the database is found out."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from django.db import connection

from moss.cli import main
from moss.doctor.checks import audit
from submissions.models import AuditEntry

if TYPE_CHECKING:
    from pytest_django.fixtures import Settings

pytestmark = pytest.mark.django_db
ADDRESSES = ("127.0.0.1", "::1", "::ffff:10.0.0.1", "2001:DB8::1", None)


def write(count: int = 5) -> None:
    for number in range(count):
        AuditEntry.objects.create(
            who=f"al\0ice {number}", action="saw", course="größer", page="pair", address=ADDRESSES[number % 5]
        )


def in_the_database(statement: str) -> None:
    """Do what the role of the service can do to the table, past its trigger."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(statement)
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")


def test_a_log_that_nobody_changed_is_whole() -> None:
    write()
    assert audit().message.startswith("5 entries without a gap, up to ")
    assert AuditEntry.objects.values_list("number", flat=True).order_by("pk")[4] == 5


@pytest.mark.parametrize(
    ("statement", "broken"),
    [
        ("DELETE FROM submissions_auditentry WHERE number = 3", 3),
        ("DELETE FROM submissions_auditentry WHERE number = 1", 1),
        ("UPDATE submissions_auditentry SET who = 'bob' WHERE number = 2", 2),
        ("UPDATE submissions_auditentry SET created = created - interval '1 day' WHERE number = 4", 4),
        ("UPDATE submissions_auditentry SET address = '10.0.0.9' WHERE number = 5", 5),
        ("UPDATE submissions_auditentry SET number = number - 1 WHERE number > 3", 4),
    ],
)
def test_an_entry_that_was_removed_or_changed_is_found(statement: str, broken: int) -> None:
    write()
    in_the_database(statement)
    assert (audit().state, audit().message) == ("problem", f"the log is broken at entry {broken}")
    result = CliRunner().invoke(main, ["doctor", "--audit"])
    assert f"problem  audit: the log is broken at entry {broken}" in result.stdout
    assert "audit:" not in CliRunner().invoke(main, ["doctor"]).stdout


def test_a_digest_is_right_with_the_key_of_the_service_only(settings: Settings) -> None:
    write()
    former, settings.SECRET_KEY = settings.SECRET_KEY, "another key"
    assert audit().message == "the log is broken at entry 1"
    settings.SECRET_KEY_FALLBACKS = [former]
    write(2)
    assert audit().message.startswith("7 entries")


def test_who_could_cut_the_end_off_is_said() -> None:
    write()
    assert audit().state == "warning"
    assert "Keep this line" in audit().advice


@pytest.mark.django_db(transaction=True)
def test_entries_that_are_written_at_once_follow_each_other() -> None:
    def write_in_own_session() -> None:
        try:
            write(20)
        finally:
            connection.close()

    writers = [Thread(target=write_in_own_session) for _ in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert audit().message.startswith("80 entries without a gap")
