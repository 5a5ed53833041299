"""Whoever removes, changes or inserts an entry of the audit log in the database is found out."""

from datetime import timedelta

import pytest
from click.testing import CliRunner
from django.db import DatabaseError, connection, transaction
from pytest_django.fixtures import Settings

from moss.cli import main
from moss.operations.doctor import OTHER_LOG, audit, sealed
from submissions.audit.models import digest_of
from submissions.models import AuditEntry
from tests.support.other_sessions import in_other_sessions

pytestmark = pytest.mark.django_db
FORGE = "UPDATE submissions_auditentry SET assignment = replace(assignment, 'to 3', 'to 4')"
ADDRESSES = ("127.0.0.1", "::1", "::ffff:10.0.0.1", "2001:DB8::1", None)


def write(count: int = 5) -> None:
    for number in range(count):
        AuditEntry.objects.create(
            who=f"al\0ice {number}",
            action="saw",
            course="größer",
            page="pair",
            subject=f"Ada {number}",
            address=ADDRESSES[number % 5],
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


@pytest.mark.long
@pytest.mark.parametrize(
    ("statement", "broken"),
    [
        ("DELETE FROM submissions_auditentry WHERE number = 3", 3),
        ("DELETE FROM submissions_auditentry WHERE number = 1", 1),
        ("UPDATE submissions_auditentry SET who = 'bob' WHERE number = 2", 2),
        ("UPDATE submissions_auditentry SET created = created - interval '1 day' WHERE number = 4", 4),
        ("UPDATE submissions_auditentry SET address = '10.0.0.9' WHERE number = 5", 5),
        ("UPDATE submissions_auditentry SET number = number - 1 WHERE number > 3", 4),
        ("UPDATE submissions_auditentry SET subject = '[erased]' WHERE number = 3", 3),
        ("UPDATE submissions_auditentry SET subject = '[erased]', subject_digest = '' WHERE number = 3", 3),
    ],
)
def test_an_entry_that_was_removed_or_changed_is_found(statement: str, broken: int) -> None:
    write()
    in_the_database(statement)
    assert (audit().state, audit().message) == ("problem", f"the log is broken at entry {broken}")
    result = CliRunner().invoke(main, ["doctor", "--audit"])
    assert f"problem  audit: the log is broken at entry {broken}" in result.stdout
    assert "audit:" not in CliRunner().invoke(main, ["doctor"]).stdout


def test_a_replaced_subject_is_proved_and_no_other_change_of_it_is() -> None:
    write()
    AuditEntry.replace_subjects({2: "[erased]", 4: "[erased], Bob"}, "admin", "receipt 1")
    assert audit().message.startswith("6 entries without a gap")
    AuditEntry.replace_subjects({4: "[erased], [erased]"}, "admin", "receipt 2")
    assert audit().message.startswith("7 entries without a gap")
    assert [*AuditEntry.objects.order_by("number").values_list("subject", flat=True)][:5] == [
        *("Ada 0", "[erased]", "Ada 2", "[erased], [erased]", "Ada 4")
    ]
    for subject, number, broken in (("Ada 1", 2, 2), ("[erased], Bob", 4, 4), ("receipt 2", 7, 4)):
        with transaction.atomic():
            in_the_database(f"UPDATE submissions_auditentry SET subject = '{subject}' WHERE number = {number}")
            assert audit().message == f"the log is broken at entry {broken}"
            transaction.set_rollback(True)


def test_subjects_of_a_version_before_stay_right_and_are_proved_once_replaced() -> None:
    write()
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        before = ""
        for entry in AuditEntry.objects.order_by("number"):
            entry.subject_digest = ""
            before = digest_of(entry, before)
            cursor.execute(
                "UPDATE submissions_auditentry SET subject_digest = '', digest = %s WHERE number = %s",
                [before, entry.number],
            )
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")
    write(1)
    assert audit().message.startswith("6 entries without a gap")
    AuditEntry.replace_subjects({2: "[erased]"}, "admin", "receipt 1")
    assert audit().message.startswith("7 entries without a gap")
    in_the_database("UPDATE submissions_auditentry SET subject = '[erased] again' WHERE number = 2")
    assert audit().message == "the log is broken at entry 2"


def test_a_digest_is_right_with_the_key_of_the_service_only(settings: Settings) -> None:
    write()
    former, settings.SECRET_KEY = settings.SECRET_KEY, "another key"
    assert audit().message == "the log is broken at entry 1"
    assert audit().advice.startswith(OTHER_LOG)
    assert (sealed().state, sealed().message) == ("warning", OTHER_LOG)
    assert "`moss links`" in sealed().advice
    settings.SECRET_KEY_FALLBACKS = [former]
    write(2)
    assert audit().message.startswith("7 entries")
    assert sealed().state == "ok"


def test_who_could_cut_the_end_off_is_said() -> None:
    write()
    assert audit().state == "warning"
    assert "Keep this line" in audit().advice


@pytest.mark.django_db(transaction=True)
def test_entries_that_are_written_at_once_follow_each_other() -> None:
    in_other_sessions(lambda: write(20), number=4)
    assert audit().message.startswith("80 entries without a gap")


def aged(number: int) -> None:
    """Make the entries up to a number two years old, with digests that are right."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        before = ""
        for entry in AuditEntry.objects.order_by("number"):
            if entry.number <= number:
                entry.created -= timedelta(days=730)
            entry.digest = before = digest_of(entry, before)
            cursor.execute(
                "UPDATE submissions_auditentry SET created = %s, digest = %s WHERE number = %s",
                [entry.created, entry.digest, entry.number],
            )
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")


def numbers() -> list[int]:
    return list(AuditEntry.objects.order_by("number").values_list("number", flat=True))


def shorten(*options: str) -> str:
    result = CliRunner().invoke(main, ["audit", "shorten", "--months", "12", *options])
    assert result.exit_code == 0, result.output
    return result.output


def test_old_entries_are_deleted_and_the_rest_is_still_proved() -> None:
    write()
    aged(3)
    assert "3 entries from before" in shorten("--yes")
    assert numbers() == [4, 5, 6]
    assert AuditEntry.objects.get(number=6).action == "shortened"
    assert audit().message.startswith("3 entries without a gap")
    write(1)
    assert "0 entries" in shorten("--yes")
    assert numbers() == [4, 5, 6, 7]
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        connection.cursor().execute("DELETE FROM submissions_auditentry WHERE number = 4")


@pytest.mark.parametrize(
    ("statement", "broken"),
    [
        ("DELETE FROM submissions_auditentry WHERE number = 4", 1),
        ("DELETE FROM submissions_auditentry WHERE number = 5", 5),
        (f"{FORGE} WHERE number = 6; DELETE FROM submissions_auditentry WHERE number = 4", 5),
    ],
)
def test_whoever_deletes_more_of_a_shortened_log_is_found(statement: str, broken: int) -> None:
    write()
    aged(3)
    shorten("--yes")
    in_the_database(statement)
    assert audit().message == f"the log is broken at entry {broken}"


def test_a_log_that_is_old_as_a_whole_keeps_the_entry_that_says_so() -> None:
    write()
    aged(5)
    shorten("--yes")
    assert numbers() == [6]
    assert audit().message.startswith("1 entries without a gap")
