"""A backup of a class with a report and decisions, restored into an empty database, shows the same report."""

from __future__ import annotations

import io
import json
import os
import tarfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import connection
from django.urls import reverse

from moss.backups import restoring, writing
from moss.backups.postgres import BackupError
from moss.release import this_release
from submissions.models import Decision, Pair, Report, Upload

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from django.test import Client

    from submissions.models import Assignment

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def other_database() -> Iterator[None]:
    """Use an empty database for a while; the processes of a test run share the server."""
    name = f"restored_{os.getpid()}"
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {name}")
        cursor.execute(f"CREATE DATABASE {name} TEMPLATE template0")
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
    with tarfile.open(backup) as old, tarfile.open(target, "w") as new:
        for member in old:
            data = old.extractfile(member)
            assert data is not None
            content = data.read()
            if member.name == "manifest.json":
                content = json.dumps({**json.loads(content), **values}).encode()
                member.size = len(content)
            new.addfile(member, io.BytesIO(content))
    return target


def test_a_restored_class_shows_the_same_report_and_decisions(
    report: Report, alice_client: Client, tmp_path: Path
) -> None:
    decide_first_pair(report)
    default_storage.save("uploads/kept.zip", ContentFile(b"bytes of an upload"))
    before = what_is_shown(alice_client, report)
    manifest = writing.write(tmp_path / "backup")
    assert manifest.counts["submissions_pair"] == report.pairs.count() > 0
    assert (tmp_path / "backup").stat().st_mode & 0o077 == 0
    with other_database():
        restoring.restore(tmp_path / "backup")
        assert what_is_shown(alice_client, report) == before
        with default_storage.open("uploads/kept.zip") as file:
            assert file.read() == b"bytes of an upload"


def test_an_installation_with_accounts_is_replaced_only_when_told(report: Report, tmp_path: Path) -> None:
    writing.write(tmp_path / "backup")
    with other_database():
        restoring.restore(tmp_path / "backup")
        Report.objects.all().delete()
        with pytest.raises(BackupError, match="--replace"):
            restoring.restore(tmp_path / "backup")
        assert not Report.objects.exists()
        restoring.restore(tmp_path / "backup", replace=True)
        assert Report.objects.exists()


def test_broken_and_newer_backups_change_nothing(report: Report, tmp_path: Path) -> None:
    writing.write(tmp_path / "backup")
    content = (tmp_path / "backup").read_bytes()
    (tmp_path / "cut").write_bytes(content[: len(content) // 2])
    middle = len(content) // 2
    flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    (tmp_path / "flipped").write_bytes(flipped)
    (tmp_path / "text").write_text("no backup")
    newer = changed(tmp_path / "backup", tmp_path / "newer", migrations=[["submissions", "9999_later"]])
    for name in ("cut", "flipped", "text"):
        with pytest.raises(BackupError, match="no whole backup"):
            restoring.restore(tmp_path / name, replace=True)
    with pytest.raises(BackupError, match=r"migrations submissions\.9999_later") as refused:
        restoring.restore(newer, replace=True)
    assert f"({this_release()}): it has" in str(refused.value)  # no two names for one release
    assert Report.objects.get() == report


@pytest.mark.long
def test_a_backup_of_an_older_schema_is_brought_to_this_one(tmp_path: Path) -> None:
    with other_database():
        call_command("migrate", "submissions", verbosity=0)
        assert "webhooks_webhook" not in connection.introspection.table_names()
        writing.write(tmp_path / "older")
        restoring.restore(tmp_path / "older", replace=True)
        assert "webhooks_webhook" in connection.introspection.table_names()


def test_uploads_that_are_stored_in_a_folder_are_restored_too(
    assignment: Assignment, folder_storage: Path, tmp_path: Path
) -> None:
    batch = assignment.batches.create(name="class.zip")
    upload = Upload.objects.create(batch=batch, name="class.zip", file=ContentFile(b"bytes", "class.zip"))
    writing.write(tmp_path / "backup")
    default_storage.delete(upload.file.name)
    with other_database():
        restoring.restore(tmp_path / "backup")
        with default_storage.open(Upload.objects.get().file.name) as file:
            assert file.read() == b"bytes"
