"""Restore a backup: everything is checked before anything is changed."""

from __future__ import annotations

import shutil
import tarfile
import tempfile
from pathlib import Path, PurePosixPath
from typing import IO, cast

from django.core.files import File
from django.core.files.storage import default_storage
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from pydantic import ValidationError

from moss.backups import postgres
from moss.backups.contents import DATABASE, FILES, FORMAT, MANIFEST, Manifest, Origin, checksum
from moss.backups.encryption import decrypt, is_encrypted
from moss.database_locale import note_restored
from moss.database_roles import as_owner
from moss.database_schema import schema_problem
from moss.installation import migrate
from moss.release import release, this_release
from submissions.uploads.files import DatabaseStorage

BROKEN = "is no whole backup of moss-server, so nothing was changed: use another one"
INSTALL = "Install that version, restore the backup with it, and upgrade it then."


def restore(source: Path, *, replace: bool = False, identity: Path | None = None) -> Manifest:
    """Replace the database by that of a backup, bring it to this version, and store its files.

    `identity` is the file with the private key of a backup that age encrypted.

    Raises
    ------
    BackupError
        When the file is broken or of a version that this one cannot migrate, or the installation has accounts
        and `replace` is not set; nothing was changed then. Also when the restored tables are not those of
        this version.
    """
    with tempfile.TemporaryDirectory(prefix="moss-restore-") as name:
        folder = Path(name)
        if is_encrypted(source):
            decrypt(source, folder / "decrypted.tar", identity)
        manifest = _unpack(folder / "decrypted.tar" if is_encrypted(source) else source, folder)
        _refuse_unknown_migrations(manifest)
        postgres.list_contents(folder / DATABASE)
        if not replace and _has_accounts():
            raise postgres.BackupError("This installation has accounts: --replace deletes all that it holds.")
        with as_owner():
            connection.close()
            postgres.load(folder / DATABASE)
            note_restored(manifest.locale)
        _migrate(manifest)
        _store_files(folder / FILES)
    return manifest


def _unpack(source: Path, folder: Path) -> Manifest:
    """Unpack a backup into a folder and compare every file with its checksum."""
    try:
        with tarfile.open(source, "r:") as archive:
            _extract(archive, folder)
        text = (folder / MANIFEST).read_bytes()
        origin = Origin.model_validate_json(text)
    except (tarfile.TarError, OSError, EOFError, ValidationError) as error:
        raise postgres.BackupError(f"{source} {BROKEN} ({type(error).__name__}).") from error
    manifest = _manifest(origin, text)
    for name, expected in {DATABASE: "", **manifest.checksums}.items():
        file = folder / name
        if not file.is_file() or checksum(file) != expected:
            raise postgres.BackupError(f"{source} {BROKEN} ({name} differs).")
    return manifest


def _extract(archive: tarfile.TarFile, folder: Path) -> None:
    """Write the members that a backup of this version has into a folder; its manifest says whether it is one.

    `extractall` is safe with its filters only, which came in Python 3.11.4.
    """
    for member in archive:
        if member.name in {MANIFEST, DATABASE} or member.name.startswith(FILES):
            place = PurePosixPath(member.name)
            if not member.isreg() or ".." in place.parts:
                raise tarfile.ExtractError(f"{member.name!r} is no file of a backup")
            target = folder / place
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as file:
                shutil.copyfileobj(cast("IO[bytes]", archive.extractfile(member)), file)


def _manifest(origin: Origin, text: bytes) -> Manifest:
    """Read the manifest of a backup, or say which version can."""
    if origin.format != FORMAT:
        raise postgres.BackupError(_other(origin, f"its format is {origin.format}, not {FORMAT}"))
    try:
        return Manifest.model_validate_json(text)
    except ValidationError as error:
        fields = ", ".join(sorted({str(one["loc"][0]) for one in error.errors()}))
        raise postgres.BackupError(_other(origin, f"its manifest has another form ({fields})")) from error


def _refuse_unknown_migrations(manifest: Manifest) -> None:
    """Refuse a backup with a migration that this version does not have."""
    loader = MigrationLoader(connection)
    known = {*loader.disk_migrations, *loader.replacements}
    unknown = [".".join(migration) for migration in manifest.migrations if migration not in known]
    if unknown:
        difference = f"it has migrations that this one does not have ({', '.join(unknown)})"
        raise postgres.BackupError(_other(manifest, difference))


def _other(origin: Origin, difference: str) -> str:
    """Return why a backup of another version is refused, and which version that was."""
    there, here = release(origin.version, origin.commit), this_release()
    which = f"{there}; this is {here}" if there != here else here
    return f"The backup was written by another moss-server than this ({which}): {difference}. {INSTALL}"


def _migrate(manifest: Manifest) -> None:
    """Bring the restored database to this version, and compare its tables with those of this version."""
    try:
        migrate()
    except CommandError as error:
        there = release(manifest.version, manifest.commit)
        message = f"The database is restored, but {schema_problem() or error}. moss-server {there} wrote it."
        raise postgres.BackupError(f"{message} {INSTALL}") from error


def _has_accounts() -> bool:
    if "auth_user" not in connection.introspection.table_names():
        return False
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM auth_user)")
        return bool(cursor.fetchone()[0])


def _store_files(folder: Path) -> None:
    """Store the files of a backup under their names."""
    for path in sorted(file for file in folder.rglob("*") if file.is_file()):
        name = path.relative_to(folder).as_posix()
        if default_storage.exists(name) and not isinstance(default_storage, DatabaseStorage):
            default_storage.delete(name)
        with path.open("rb") as opened:
            default_storage.save(name, File(opened))
