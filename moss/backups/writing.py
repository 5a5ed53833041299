"""Write a backup, and delete the old ones of a folder."""

from __future__ import annotations

import os
import re
import shutil
import tarfile
import tempfile
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path

from django.core.files.storage import default_storage
from django.db import connection, transaction
from django.utils import timezone

from moss.backups import postgres
from moss.backups.contents import (
    DATABASE,
    FILES,
    FORMAT,
    MANIFEST,
    Manifest,
    applied_migrations,
    checksum,
    row_counts,
    stored_files,
)
from moss.backups.encryption import encrypt
from moss.database_locale import database_locale
from moss.release import commit
from submissions.uploads.files import DatabaseStorage


def write(target: Path, recipient: str = "") -> Manifest:
    """Write a backup; the file appears whole or not at all, readable by its owner only.

    The database and the counts are of one moment. A file that is read and deleted meanwhile is left out. With
    a recipient the file is encrypted, and nothing that can be read is written beside it.
    """
    if target.exists():
        raise postgres.BackupError(f"{target} exists: name another file.")
    with tempfile.TemporaryDirectory(
        prefix=".moss-backup-", dir=None if recipient else target.parent
    ) as name:
        folder = Path(name)
        with transaction.atomic():
            snapshot = _snapshot()
            postgres.dump(folder / DATABASE, snapshot)
            _copy_files(folder)
            manifest = _manifest(folder)
        (folder / MANIFEST).write_text(manifest.model_dump_json(indent=2))
        _pack(folder, folder / "backup.tar", [MANIFEST, *manifest.checksums])
        if recipient:
            _encrypt(folder / "backup.tar", target, recipient)
        else:
            (folder / "backup.tar").rename(target)
    return manifest


def _encrypt(plain: Path, target: Path, recipient: str) -> None:
    with tempfile.TemporaryDirectory(prefix=".moss-backup-", dir=target.parent) as name:
        whole = Path(name, target.name)
        encrypt(plain, whole, recipient)
        whole.chmod(0o600)
        whole.rename(target)


def _snapshot() -> str:
    """Return the name of the snapshot that this transaction sees from now on."""
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        cursor.execute("SELECT pg_export_snapshot()")
        return str(cursor.fetchone()[0])


def _copy_files(folder: Path) -> None:
    """Copy the stored files, unless they are in the database."""
    if isinstance(default_storage, DatabaseStorage):
        return
    for name in stored_files():
        if default_storage.exists(name):
            copy = folder / FILES / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            with default_storage.open(name) as source, copy.open("wb") as target:
                shutil.copyfileobj(source, target)


def _manifest(folder: Path) -> Manifest:
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return Manifest(
        format=FORMAT,
        version=version("moss-server"),
        commit=commit(),
        locale=database_locale().name,
        written=timezone.now().isoformat(),
        migrations=applied_migrations(),
        counts=row_counts(),
        checksums={file.relative_to(folder).as_posix(): checksum(file) for file in files},
    )


def _pack(folder: Path, target: Path, names: list[str]) -> None:
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file, tarfile.open(fileobj=file, mode="w") as archive:
        for name in names:
            archive.add(folder / name, arcname=name)


FORM = "moss-%Y%m%dT%H%M%SZ"
NAME = re.compile(r"(moss-\d{8}T\d{6}Z)\.moss(?:\.age|\.gpg)?")


def name_of_now(suffix: str) -> str:
    return f"{timezone.now().astimezone(UTC).strftime(FORM)}.moss{suffix}"


def delete_old(folder: Path, days: int) -> list[Path]:
    """Delete the backups of a folder that are older than some days by their names; return them.

    The newest stays however old it is, and so do files of other names.
    """
    named = {file: match[1] for file in folder.iterdir() if (match := NAME.fullmatch(file.name))}
    oldest = timezone.now() - timedelta(days=days)
    files = sorted(named, key=lambda file: named[file])[:-1]
    old = [file for file in files if datetime.strptime(named[file], FORM).replace(tzinfo=UTC) < oldest]
    for file in old:
        file.unlink(missing_ok=True)  # another backup may delete old ones, too
    return old
