"""Restore a backup: everything is checked before anything is changed."""

from __future__ import annotations

import tarfile
import tempfile
from pathlib import Path

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from pydantic import ValidationError

from moss.backups import postgres
from moss.backups.contents import DATABASE, FILES, FORMAT, MANIFEST, Manifest, checksum
from moss.backups.encryption import decrypt, is_encrypted
from moss.database_locale import note_restored
from moss.database_roles import as_owner
from moss.installation import migrate
from moss.release import release, this_release
from submissions.storage.database_files import DatabaseStorage

BROKEN = "is no whole backup of moss-server, so nothing was changed: use another one"


def restore(source: Path, *, replace: bool = False, identity: Path | None = None) -> Manifest:
    """Replace the database by that of a backup, bring it to this version, and store its files.

    `identity` is the file with the private key of a backup that age encrypted.

    Raises
    ------
    BackupError
        When the file is broken or of a newer version, or the installation has accounts and `replace` is not
        set; nothing was changed then.
    """
    with tempfile.TemporaryDirectory(prefix="moss-restore-") as name:
        folder = Path(name)
        if is_encrypted(source):
            decrypt(source, folder / "decrypted.tar", identity)
        manifest = _unpack(folder / "decrypted.tar" if is_encrypted(source) else source, folder)
        _refuse_newer(manifest)
        postgres.list_contents(folder / DATABASE)
        if not replace and _has_accounts():
            raise postgres.BackupError("This installation has accounts: --replace deletes all that it holds.")
        with as_owner():
            connection.close()
            postgres.load(folder / DATABASE)
            note_restored(manifest.locale)
        migrate()
        _store_files(folder / FILES)
    return manifest


def _unpack(source: Path, folder: Path) -> Manifest:
    """Unpack a backup into a folder and compare every file with its checksum."""
    try:
        with tarfile.open(source, "r:") as archive:
            archive.extractall(folder, filter="data")
        manifest = Manifest.model_validate_json((folder / MANIFEST).read_bytes())
    except (tarfile.TarError, OSError, EOFError, ValidationError) as error:
        raise postgres.BackupError(f"{source} {BROKEN} ({type(error).__name__}).") from error
    if manifest.format > FORMAT:
        raise postgres.BackupError(_newer(manifest, f"its format is {manifest.format}, not {FORMAT}"))
    for name, expected in {DATABASE: "", **manifest.checksums}.items():
        file = folder / name
        if not file.is_file() or checksum(file) != expected:
            raise postgres.BackupError(f"{source} {BROKEN} ({name} differs).")
    return manifest


def _refuse_newer(manifest: Manifest) -> None:
    """Refuse a backup with a migration that this version does not have."""
    loader = MigrationLoader(connection)
    known = {*loader.disk_migrations, *loader.replacements}
    unknown = [".".join(migration) for migration in manifest.migrations if migration not in known]
    if unknown:
        raise postgres.BackupError(_newer(manifest, f"it has the migrations {', '.join(unknown)}"))


def _newer(manifest: Manifest, difference: str) -> str:
    """Return why a backup is of a newer version, whose number may be the same."""
    there, here = release(manifest.version, manifest.commit), this_release()
    which = f"{there}; this is {here}" if there != here else here
    return f"The backup is of a newer moss-server than this ({which}): {difference}. Install the newer one."


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
