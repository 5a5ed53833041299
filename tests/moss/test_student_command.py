"""The commands `moss student`, `moss token` and `moss manage`."""

import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from django.db import connection
from pytest_django.fixtures import Settings

from moss.cli import main
from moss.commands.operations import student
from submissions.models import Assignment, AuditEntry, Erasure, Submission
from submissions.uploads.change import create_batch
from tests.support.every_column import places_of
from tests.support.one_student import ID, NAME, TRACES, Planted
from tests.support.sample_class import COPIED, zipped
from tests.support.uploads import Committing

pytestmark = pytest.mark.services


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(student, arguments)
    return result.exit_code, result.output


def test_a_student_is_found_with_what_would_be_erased(planted: Planted) -> None:
    Assignment.objects.filter(pk=planted.first.pk).update(hold="Case 12")
    status, output = run("find", ID)
    assert status == 0
    assert f"{planted.first.course_id}  Programming 1: 77123456; {NAME}; zquartz@example.edu: 1 assig" in output
    assert "Held, and kept: Programming 1 / Statistics (Case 12)" in output
    assert "1 submissions of groups stay, without this student." in output
    assert run("find", "Nobody")[0] == 1


def test_an_export_is_written_once_and_logged(planted: Planted, tmp_path: Path) -> None:
    target = tmp_path / "student.zip"
    arguments = ("export", NAME, str(target), "--reason", "A letter.")
    assert run(*arguments)[0] == 0
    assert "data.json" in zipfile.ZipFile(target).namelist()
    assert target.stat().st_mode & 0o777 == 0o600
    assert AuditEntry.objects.latest("pk").subject == f"{NAME}: A letter."
    status, output = run(*arguments)
    assert (status, "exists: name another file." in output) == (1, True)


@pytest.mark.long
def test_an_erasure_takes_a_reason_and_leaves_nothing(
    planted: Planted, django_capture_on_commit_callbacks: Committing
) -> None:
    assert run("erase", ID, "--yes")[0] == 2
    with django_capture_on_commit_callbacks(execute=True):
        status, output = run("erase", ID, "--reason", "A letter.", "--yes")
    assert status == 0, output
    assert f"Receipt {Erasure.objects.get().pk}: " in output
    assert places_of(TRACES) == set()


def test_similar_names_are_decided_before_the_receipt(
    planted: Planted, django_capture_on_commit_callbacks: Committing
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        files = zipped({"zquartz_late.py": COPIED, "quartzovsky-2.py": COPIED}, "late.zip")
        create_batch(planted.second, planted.owner, [files])
    arguments = ("erase", NAME, "--reason", "A letter.", "--yes")
    status, output = run(*arguments)
    assert (status, output.count("Similar: ")) == (1, 2)
    assert "Compilers / Parsers: zquartz_late.py" in output
    assert not Erasure.objects.exists()
    lines = [line.split() for line in output.splitlines() if line.startswith("Similar: ")]
    keys = {line[-1]: line[1] for line in lines}
    assert run(*arguments, "--same", "s0")[0] == 1
    status, output = run(*arguments, "--same", keys["zquartz_late.py"], "--others-are-not")
    assert status == 0, output
    assert "Left in Compilers: 1 entries, because somebody decided" in output
    names = set(Submission.objects.filter(batch__assignment=planted.second).values_list("name", flat=True))
    assert "quartzovsky-2.py" in names
    assert "zquartz_late.py" not in names


@pytest.mark.long
def test_only_the_named_courses_are_erased(planted: Planted) -> None:
    course = str(planted.second.course_id)
    assert run("erase", NAME, "--reason", "A letter.", "--yes", "--course", course)[0] == 0
    assert planted.first.batches.filter(submissions__name=NAME).exists()


@pytest.mark.django_db(transaction=True)  # the command closes its connection
def test_a_mail_that_no_server_takes_is_one_sentence(settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST = ""
    result = CliRunner().invoke(main, ["manage", "sendtestemail", "ada@example.org"])
    assert result.exit_code == 1
    assert result.output.startswith("Error: The mail could not be sent: ")
    assert "MOSS_MAIL_HOST" in result.output


@pytest.mark.django_db(transaction=True)
def test_a_table_that_is_not_there_is_one_sentence() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE axes_accessattempt RENAME TO renamed")
    try:
        result = CliRunner().invoke(main, ["manage", "axes_list_attempts"])
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE renamed RENAME TO axes_accessattempt")
    assert result.exit_code == 1
    assert 'The database refused it: relation "axes_accessattempt" does not exist.' in result.output
    assert len(result.output.splitlines()) == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "command", ["account list", "token list", "links", "backup FILE", "setup", "student find Ada", "manage migrate"]
)
def test_a_database_that_does_not_answer_is_one_sentence(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    connection.close()
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "HOST", str(tmp_path))
        result = CliRunner().invoke(main, command.replace("FILE", f"{tmp_path}/backup").split())
        connection.close()
    assert (result.exit_code, len(result.output.splitlines())) == (1, 1), result.output
    assert "moss doctor says more." in result.output
