"""A backup of a class with a report and decisions, restored into an empty database, shows the same report."""

import io
import json
import os
import re
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from django.core.cache import cache
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from moss.cli import main
from moss.operations import backups as restoring, doctor as services
from moss.operations.database import OTHER_ORDER, database_locale
from moss.operations.doctor import ok, warning
from moss.operations.dumps import BackupError
from moss.release import this_release
from submissions.models import Assignment, Decision, Pair, Report, Upload
from submissions.work import heartbeats
from tests.support.rights import as_nobody, let_others_enter
from tests.support.small_disks import BYTES, fill
from tests.support.template_database import NAME

# Restoring refuses beside a worker, and one of earlier tests may still run.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("no_worker")]
# One that every Postgres has.
OTHER_LOCALE = "LOCALE_PROVIDER libc LOCALE 'C'"


@contextmanager
def other_database(locale: str = "", template: str = "template0") -> Iterator[None]:
    """Use an empty database for a while; the processes of a test run share the server."""
    name = f"restored_{os.getpid()}"
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {name}")
        cursor.execute(f"CREATE DATABASE {name} TEMPLATE {template} {locale}")
    usual = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = name
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = usual
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name}")


def what_is_shown(client: Client, report: Report) -> list[object]:
    tables = [reverse("table", args=[report.assignment_id, "pairs", suffix]) for suffix in ("csv", "json")]
    return [
        *(b"".join(client.get(table)).decode() for table in tables),
        list(Pair.objects.order_by("pk").values_list()),
        list(Decision.objects.order_by("pk").values_list()),
    ]


def decide_first_pair(report: Report) -> None:
    pair = report.pairs.select_related("left", "right")[0]
    left, right = sorted((pair.left.name, pair.right.name))
    report.assignment.decisions.create(left=left, right=right, state="confirmed")


def changed(backup: Path, target: Path, **values: object) -> Path:
    """Write the backup with other values in its manifest."""
    return _rewritten(backup, target, lambda manifest: manifest | values)


def renamed(backup: Path, target: Path, name: str, former: str) -> Path:
    """Write the backup with another name for a field of its manifest."""
    return _rewritten(backup, target, lambda all_: {former if key == name else key: all_[key] for key in all_})


def _rewritten(backup: Path, target: Path, change: Callable[[dict[str, object]], dict[str, object]]) -> Path:
    with tarfile.open(backup) as old, tarfile.open(target, "w") as new:
        for member in old:
            data = old.extractfile(member)
            assert data is not None
            content = data.read()
            if member.name == "manifest.json":
                content = json.dumps(change(json.loads(content))).encode()
                member.size = len(content)
            new.addfile(member, io.BytesIO(content))
    return target


def test_a_restored_class_shows_the_same_report_and_decisions(
    report: Report, alice_client: Client, tmp_path: Path
) -> None:
    decide_first_pair(report)
    default_storage.save("uploads/kept.zip", ContentFile(b"bytes of an upload"))
    before = what_is_shown(alice_client, report)
    manifest = restoring.write(tmp_path / "backup")
    assert manifest.counts["submissions_pair"] == report.pairs.count() > 0
    assert (tmp_path / "backup").stat().st_mode & 0o077 == 0
    with other_database():
        restoring.restore(tmp_path / "backup")
        assert what_is_shown(alice_client, report) == before
        with default_storage.open("uploads/kept.zip") as file:
            assert file.read() == b"bytes of an upload"


def test_an_older_backup_under_the_name_of_a_newer_one_is_refused(assignment: Assignment, tmp_path: Path) -> None:
    """Both have the right signature."""
    older, now = tmp_path / "moss-20200102T030405Z.moss", tmp_path / restoring.name_of_now("")
    restoring.write(now)
    now.rename(older)
    with pytest.raises(BackupError, match=r"not when its name says\. Nothing was restored"):
        restoring.restore(older, replace=True)
    older.rename(now)
    assert restoring.check(now)
    assert Assignment.objects.get() == assignment


def test_an_installation_with_accounts_is_replaced_only_when_told(report: Report, tmp_path: Path) -> None:
    restoring.write(tmp_path / "backup")
    with other_database():
        restoring.restore(tmp_path / "backup")
        Report.objects.all().delete()
        with pytest.raises(BackupError, match="--replace"):
            restoring.restore(tmp_path / "backup")
        assert not Report.objects.exists()
        restoring.restore(tmp_path / "backup", replace=True)
        assert Report.objects.exists()


def test_broken_backups_change_nothing(report: Report, tmp_path: Path) -> None:
    restoring.write(tmp_path / "backup")
    content = (tmp_path / "backup").read_bytes()
    (tmp_path / "cut").write_bytes(content[: len(content) // 2])
    middle = len(content) // 2
    flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    (tmp_path / "flipped").write_bytes(flipped)
    (tmp_path / "text").write_text("no backup")
    for name in ("cut", "flipped", "text"):
        with pytest.raises(BackupError, match="no whole backup"):
            restoring.restore(tmp_path / name, replace=True)
    assert Report.objects.get() == report


@pytest.mark.parametrize(
    ("name", "kind", "error"),
    [
        ("files/../../outside", tarfile.REGTYPE, "ExtractError"),
        ("files/link", tarfile.SYMTYPE, "ExtractError"),
        ("files/hard", tarfile.LNKTYPE, "ExtractError"),
        ("files/pipe", tarfile.FIFOTYPE, "ExtractError"),
        ("files/folder", tarfile.DIRTYPE, "ExtractError"),
        ("files/twice", tarfile.REGTYPE, "FileExistsError"),
        ("../outside", tarfile.REGTYPE, "ExtractError"),
        ("/outside", tarfile.REGTYPE, "ExtractError"),
        ("decrypted.tar", tarfile.REGTYPE, "ExtractError"),
        ("link", tarfile.SYMTYPE, "ExtractError"),
    ],
)
def test_members_that_no_backup_has_are_not_unpacked(tmp_path: Path, name: str, kind: bytes, error: str) -> None:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, "manifest.json"
    with tarfile.open(tmp_path / "backup", "w") as archive:
        for one in ("manifest.json", "files/twice"):
            archive.addfile(tarfile.TarInfo(one))
        archive.addfile(member)
    target = tmp_path / "a" / "folder"
    target.mkdir(parents=True)
    with pytest.raises(BackupError, match=rf"no whole backup .*\({error}\)"):
        restoring._unpack(tmp_path / "backup", target, unsigned=True)
    assert {path.name for path in tmp_path.rglob("*")} == {
        "backup", "a", "folder", "manifest.json", "files", "twice",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"format": 2, "checksums": None}, "its format is 2, not 1"),
        ({"format": 0}, "its format is 0, not 1"),
        ({"counts": [], "written": None}, "its manifest has another form (counts, written)"),
        ({"migrations": [["submissions", "9999_later"]]}, "this one does not have (submissions.9999_later)"),
    ],
)
def test_a_backup_of_another_version_says_which_one_and_changes_nothing(
    assignment: Assignment, tmp_path: Path, values: dict[str, object], said: str
) -> None:
    restoring.write(tmp_path / "backup")
    other = changed(tmp_path / "backup", tmp_path / "other", **values)
    with pytest.raises(BackupError) as same:
        restoring.restore(other, replace=True, unsigned=True)
    assert f"({this_release()}): it" in str(same.value)  # no two names for one release
    other = changed(tmp_path / "backup", tmp_path / "other", version="0.0.7", commit="abc1234", **values)
    with pytest.raises(BackupError) as refused:
        restoring.restore(other, replace=True, unsigned=True)
    assert f"(0.0.7, commit abc1234; this is {this_release()}): it" in str(refused.value)
    assert said in str(refused.value)
    assert "Install that version" in str(refused.value)
    assert Assignment.objects.get() == assignment


def test_a_backup_whose_manifest_has_former_names_is_restored(report: Report, tmp_path: Path) -> None:
    manifest = restoring.write(tmp_path / "backup")
    former = renamed(tmp_path / "backup", tmp_path / "former", "written", "made")
    with other_database():
        assert restoring.restore(former, unsigned=True).written == manifest.written
        assert Report.objects.exists()


def test_restored_tables_that_are_not_those_of_this_version_are_named(assignment: Assignment, tmp_path: Path) -> None:
    """Its migrations have the names of this version's; they were edited afterwards."""
    with other_database(template=NAME):
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE submissions_pair DROP COLUMN longest")
        restoring.write(tmp_path / "backup")
    other = changed(tmp_path / "backup", tmp_path / "other", version="0.0.7", commit="abc1234")
    with other_database():
        result = CliRunner().invoke(main, ["restore", "--unsigned", str(other)])
    assert result.exit_code == 1
    assert "there is no column submissions_pair.longest" in result.output
    assert "moss-server 0.0.7, commit abc1234 wrote it. Install that version" in result.output


@pytest.mark.long
def test_a_backup_of_an_older_schema_is_brought_to_this_one(tmp_path: Path) -> None:
    with other_database():
        call_command("migrate", "submissions", verbosity=0)
        assert "webhooks_webhook" not in connection.introspection.table_names()
        restoring.write(tmp_path / "older")
        restoring.restore(tmp_path / "older", replace=True)
        assert "webhooks_webhook" in connection.introspection.table_names()


def test_uploads_that_are_stored_in_a_folder_are_restored_too(
    assignment: Assignment, folder_storage: Path, tmp_path: Path
) -> None:
    batch = assignment.batches.create(name="class.zip")
    upload = Upload.objects.create(batch=batch, name="class.zip", file=ContentFile(b"bytes", "class.zip"))
    restoring.write(tmp_path / "backup")
    default_storage.delete(upload.file.name)
    with other_database():
        restoring.restore(tmp_path / "backup")
        with default_storage.open(Upload.objects.get().file.name) as file:
            assert file.read() == b"bytes"


def test_another_order_of_texts_is_said_and_loses_nothing(report: Report, alice_client: Client, tmp_path: Path) -> None:
    decide_first_pair(report)
    before, here = what_is_shown(alice_client, report), database_locale().name
    restoring.write(tmp_path / "backup")
    assert services.collation() == ok("collation", here)
    with other_database(OTHER_LOCALE):
        restored = CliRunner().invoke(main, ["restore", str(tmp_path / "backup")])
        assert restored.exit_code == 0, restored.output
        assert database_locale().name == "UTF8, libc, collate C, ctype C"
        said = f"this database has {database_locale().name}; the one of the backup had {here}"
        assert f"{said}. Nothing is lost" in restored.stderr
        assert services.collation() == warning("collation", said, OTHER_ORDER)
        assert what_is_shown(alice_client, report) == before
        # A backup of it is restored where it came from: nothing is said.
        restoring.write(tmp_path / "back")
    with other_database(OTHER_LOCALE):
        restoring.restore(tmp_path / "back")
        assert services.collation().state == "ok"


@pytest.mark.long
def test_a_backup_that_names_no_locale_says_nothing(report: Report, tmp_path: Path) -> None:
    restoring.write(tmp_path / "backup")
    older = changed(tmp_path / "backup", tmp_path / "older", locale="")
    with other_database():
        restoring.restore(older, unsigned=True)
        assert services.collation().state == "ok"


@pytest.mark.parametrize("room", [0, 60_000])
def test_a_full_disk_is_named_and_nothing_has_to_be_stopped(small_disk: Path, room: int) -> None:
    os.truncate(fill(small_disk), BYTES - room)
    result = CliRunner().invoke(main, ["backup", str(small_disk)])
    assert result.exit_code == 1
    sentences = f"The disk is full: free space at {small_disk}, and try again. Nothing has to be stopped for it."
    assert result.output == f"Error: {sentences}\n"
    assert heartbeats.last_end(heartbeats.FAILED)


def test_a_folder_that_may_not_be_written_is_named_and_another_one_advised(tmp_path: Path) -> None:
    let_others_enter(tmp_path)
    folder = tmp_path / "backups"
    folder.mkdir(mode=0o700)
    for target in (folder, folder / "today.moss"):
        with as_nobody():
            result = CliRunner().invoke(main, ["backup", str(target)])
        assert result.exit_code == 1
        advice = "As root, `install -d -o nobody -m 700 FOLDER` makes a new folder for this user."
        assert result.output == f"Error: {folder}: Permission denied. {advice}\n"


def test_a_read_only_folder_lacks_no_rights(small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    result = CliRunner().invoke(main, ["backup", str(small_disk)])
    assert result.output.startswith(f"Error: {small_disk}: Read-only file system; it is read-only here (ReadWritePaths")


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["backup", str(tmp_path / "none" / "today.moss")])
    assert (result.exit_code, result.output) == (1, f"Error: There is no folder {tmp_path / 'none'}.\n")


def test_only_a_failed_writing_is_a_failed_backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    cache.delete_many((heartbeats.WRITTEN, heartbeats.FAILED))
    (tmp_path / "exists.moss").touch()
    for arguments in (["exists.moss"], ["today.moss", "--for", "age1somebody"]):
        assert CliRunner().invoke(main, ["backup", str(tmp_path / arguments[0]), *arguments[1:]]).exit_code == 1
    monkeypatch.setattr(restoring, "write", interrupt)
    assert CliRunner().invoke(main, ["backup", str(tmp_path)]).exit_code == 1
    assert heartbeats.last_end(heartbeats.FAILED) is None


def test_the_end_of_a_backup_is_a_figure_of_the_service(client: Client, tmp_path: Path, settings: Settings) -> None:
    settings.METRICS_TOKEN = "a-token-of-twenty-and-more"
    cache.delete_many((heartbeats.WRITTEN, heartbeats.FAILED))
    figures = []
    for target in ("backup.moss", "none/backup.moss"):  # there is no such folder
        CliRunner().invoke(main, ["backup", str(tmp_path / target)])
        answer = client.get("/metrics", headers={"Authorization": f"Bearer {settings.METRICS_TOKEN}"})
        figures.append(
            re.findall(r'^moss_backup_age_seconds\{outcome="(\w+)"\} 0\.\d', answer.content.decode(), re.MULTILINE)
        )
    assert figures == [["written"], ["written", "failed"]]
