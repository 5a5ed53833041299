"""Backups of the containers: into a folder, encrypted for a recipient, and restored with the private key."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from moss.cli import main
from moss.operations.backups import FORM, delete_old
from submissions.models import Course, Report
from tests.moss.backups.test_backups import decide_first_pair, other_database, what_is_shown
from tests.support.paths import ROOT

COMPOSE = yaml.safe_load((ROOT / "compose.backup.yaml").read_text())["services"]["backup"]


@pytest.fixture
def key_of_age(tmp_path: Path) -> tuple[str, Path]:
    """Return a recipient of age and the file with its private key."""
    if not shutil.which("age-keygen"):
        pytest.skip("age is not installed")
    file = tmp_path / "identity"
    subprocess.run(["age-keygen", "--output", str(file)], check=True, capture_output=True)
    recipient = subprocess.run(["age-keygen", "-y", str(file)], check=True, capture_output=True, text=True)
    return recipient.stdout.strip(), file


@pytest.fixture
def key_of_gnupg(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Make a key in a keyring of the test; yield its address."""
    if not shutil.which("gpg"):
        pytest.skip("gpg is not installed")
    # The path of the agent's socket has to be short.
    with tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as home:
        monkeypatch.setenv("GNUPGHOME", home)
        options = [
            "--batch", "--passphrase", "", "--quick-generate-key", "backup@example.org", "default",
            "default",
        ]  # fmt: skip
        subprocess.run(["gpg", *options], check=True, capture_output=True)
        yield "backup@example.org"
        subprocess.run(["gpgconf", "--kill", "gpg-agent"], check=False, capture_output=True)


def moss(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)])


@pytest.mark.usefixtures("no_worker")
@pytest.mark.django_db(transaction=True)
def test_the_command_of_the_container_writes_what_only_the_private_key_restores(
    report: Report, alice_client: Client, key_of_age: tuple[str, Path], tmp_path: Path, settings: Settings
) -> None:
    settings.BACKUP_RECIPIENT, identity = key_of_age
    folder = tmp_path / "backups"
    folder.mkdir()
    decide_first_pair(report)
    before = what_is_shown(alice_client, report)
    _program, *command = [str(folder) if part == "/backups" else part for part in COMPOSE["command"]]
    written = moss(*command)
    assert written.exit_code == 0, written.output
    [file] = folder.iterdir()
    assert file.name.endswith(".moss.age")
    assert file.stat().st_mode & 0o777 == 0o600
    assert b"age-encryption.org" in file.read_bytes()[:40]
    with other_database():
        refused = moss("restore", file)
        assert (refused.exit_code, "--identity" in refused.output) == (1, True)
        restored = moss("restore", "--identity", identity, file)
        assert restored.exit_code == 0, restored.output
        assert what_is_shown(alice_client, report) == before
        assert alice_client.get(reverse("assignment", args=[report.assignment_id])).status_code == 200


@pytest.mark.usefixtures("no_worker")
@pytest.mark.django_db(transaction=True)
def test_a_key_of_gnupg_encrypts_and_restores(key_of_gnupg: str, tmp_path: Path, report: Report) -> None:
    refused = moss("backup", "--for", key_of_gnupg, tmp_path / "plain.moss")
    assert "The name of an encrypted backup ends with .gpg." in refused.output
    file = tmp_path / "b.moss.gpg"
    written = moss("backup", "--for", key_of_gnupg, file)
    assert written.exit_code == 0, written.output
    name = report.assignment.course.name
    assert name.encode() not in file.read_bytes()
    with other_database():
        restored = moss("restore", file)
        assert restored.exit_code == 0, restored.output
        assert Course.objects.filter(name=name).exists()


@pytest.mark.usefixtures("no_worker")
@pytest.mark.django_db(transaction=True)
def test_a_changed_or_foreign_file_is_refused(key_of_age: tuple[str, Path], tmp_path: Path, report: Report) -> None:
    recipient, identity = key_of_age
    file = tmp_path / "b.moss.age"
    assert moss("backup", "--for", recipient, file).exit_code == 0
    data = bytearray(file.read_bytes())
    data[-100] ^= 1
    file.write_bytes(data)
    refused = moss("restore", "--replace", "--identity", identity, file)
    assert (refused.exit_code, "age refused" in refused.output) == (1, True)
    assert Course.objects.filter(pk=report.assignment.course_id).exists()
    assert moss("backup", "--for", "age1nobody", tmp_path / "other.moss.age").exit_code == 1
    assert not (tmp_path / "other.moss.age").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"identity", "b.moss.age"}


def test_old_backups_of_a_folder_are_deleted_and_the_newest_and_other_files_stay(tmp_path: Path) -> None:
    now = timezone.now()

    def named(days: int, suffix: str = "") -> str:
        return f"{(now - timedelta(days=days)).strftime(FORM)}.moss{suffix}"

    kept = [named(3, ".age"), named(29), "moss-before-upgrade.moss", "identity"]
    old = [named(31), named(400, ".gpg")]
    for name in (*kept, *old):
        (tmp_path / name).touch()
    assert {file.name for file in delete_old(tmp_path, 30)} == set(old)
    assert {file.name for file in tmp_path.iterdir()} == set(kept)
    assert delete_old(tmp_path, 1) == [tmp_path / named(29)]
    assert (tmp_path / named(3, ".age")).exists()


def test_the_container_has_the_programs_and_the_rights_of_what_migrates() -> None:
    text = (ROOT / "Dockerfile.backup").read_text()
    assert text.splitlines()[-1] == "USER moss"
    assert "age gnupg" in text
    lock = (ROOT / "requirements.lock").read_text()
    assert "\nembedded-postgres==18." in lock
    assert COMPOSE["extends"] == {"file": "compose.yaml", "service": "migrate"}
    assert COMPOSE["build"]["dockerfile"] == "Dockerfile.backup"
    assert os.fspath(COMPOSE["volumes"][0]).endswith(":/backups")
