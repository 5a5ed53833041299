"""Backups of an installation as one file: the database and the uploads that are stored elsewhere.

A backup is signed with the installation's key, and everything is checked before it is restored. A recipient
whose private key is kept elsewhere can open an encrypted one.
"""

from __future__ import annotations

import errno
import hashlib
import os
import pwd
import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import IO, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files import File
from django.core.files.storage import default_storage
from django.core.management.base import CommandError
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from pydantic import AliasChoices, BaseModel, Field, ValidationError

from moss.installation import migrate
from moss.operations import dumps
from moss.operations.database import as_owner, database_locale, note_restored, schema_problem, scratch_database
from moss.operations.dumps import BackupError
from moss.release import commit, release, this_release
from submissions.intake.limits import is_disk_full
from submissions.models import Upload
from submissions.uploads.files import DatabaseStorage

# Recipients of age, and keys of SSH, which age takes too; any other text names a key of GnuPG.
OF_AGE = ("age1", "ssh-ed25519 ", "ssh-rsa ")
AGE, GPG = ".age", ".gpg"
PACKAGES = {"age": "age", "gpg": "gnupg"}
GPG_OPTIONS = ("--batch", "--yes", "--no-tty")
NO_IDENTITY = "{file} is encrypted with age: name the file with the private key (--identity)."

MANIFEST, SIGNATURE = "manifest.json", "manifest.hmac"
DATABASE, FILES = "database.dump", "files/"
PURPOSE = "moss.operations.backups"
FORMAT = 1
LONGEST_WRITING = timedelta(days=1)

FORM = "moss-%Y%m%dT%H%M%SZ"
NAME = re.compile(r"(moss-\d{8}T\d{6}Z)\.moss(?:\.age|\.gpg)?")

BROKEN = "is no whole backup of moss-server, so nothing was changed: use another one"
UNSIGNED = (
    "{file} is not signed with this installation's SECRET_KEY: an older version wrote it, or another "
    "installation, or somebody changed it. Nothing was restored. If you know who kept it since it was "
    "written, add --unsigned."
)
RENAMED = "{file} was written on {written}, not when its name says. Nothing was restored: give it another name first."
INSTALL = "Install that version, restore the backup with it, and upgrade it then."


def suffix_for(recipient: str) -> str:
    """Return what the name of a backup ends with; empty where there is no recipient."""
    if not recipient:
        return ""
    return AGE if recipient.startswith(OF_AGE) else GPG


def encrypt(plain: Path, target: Path, recipient: str) -> None:
    """Write a file for the owner of a private key; it appears whole or not at all."""
    with tempfile.TemporaryDirectory(prefix=".moss-backup-", dir=target.parent) as name:
        whole = Path(name, target.name)
        if suffix_for(recipient) == AGE:
            _run_encryption(["age", "--encrypt", "--recipient", recipient, "--output", str(whole), str(plain)])
        else:
            # Whoever runs the service chose the key by the setting: no web of trust is asked.
            options = [*GPG_OPTIONS, "--trust-model", "always", "--recipient", recipient]
            _run_encryption(["gpg", *options, "--output", str(whole), "--encrypt", str(plain)])
        whole.chmod(0o600)
        whole.rename(target)


def decrypt(source: Path, target: Path, identity: Path | None) -> None:
    """Write what an encrypted backup holds; GnuPG finds the private key itself.

    Raises BackupError, with the program that refused, for want of a private key or for a changed file.
    """
    if source.suffix == GPG:
        _run_encryption(["gpg", *GPG_OPTIONS, "--output", str(target), "--decrypt", str(source)])
    elif identity is None:
        raise BackupError(NO_IDENTITY.format(file=source))
    else:
        _run_encryption(["age", "--decrypt", "--identity", str(identity), "--output", str(target), str(source)])


def _run_encryption(command: Sequence[str]) -> None:
    program = command[0]
    if shutil.which(program) is None:
        raise BackupError(f"{program} was not found: install it (Debian: apt install {PACKAGES[program]}).")
    done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - a program by its name
    if done.returncode:
        raise BackupError(f"{program} refused: {dumps.first_line(done.stderr)}")


class Origin(BaseModel):
    """Which version wrote a backup, and in which format: the part of the manifest that every format has."""

    format: int
    version: str
    commit: str = ""


class Manifest(Origin):
    """The manifest of a backup; `checksums` has the SHA-256 of every other member."""

    # How the database ordered texts; see `moss.operations.database`.
    locale: str = ""
    # `made` is its name in backups before commit 92f5d33c, which have the same format.
    written: str = Field(validation_alias=AliasChoices("written", "made"))
    migrations: list[tuple[str, str]]
    counts: dict[str, int]
    checksums: dict[str, str]


def row_counts() -> dict[str, int]:
    """Return the number of rows of each table, also of those that this version does not know."""
    counts = {}
    with connection.cursor() as cursor:
        for table in sorted(connection.introspection.table_names(cursor)):
            cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")  # noqa: S608 - a table's name
            counts[table] = cursor.fetchone()[0]
    return counts


def checksum(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def write(target: Path, recipient: str = "") -> Manifest:
    """Write a backup; the file appears whole or not at all, readable by its owner only.

    The database and the counts are of one moment. A file that is read and deleted meanwhile is left out. With
    a recipient the file is encrypted, and nothing that can be read is written beside it.
    """
    with tempfile.TemporaryDirectory(prefix=".moss-backup-", dir=None if recipient else target.parent) as name:
        folder = Path(name)
        with transaction.atomic():
            snapshot = _snapshot()
            dumps.dump(folder / DATABASE, snapshot)
            _copy_files(folder)
            manifest = _manifest(folder)
        text = manifest.model_dump_json(indent=2).encode()
        (folder / MANIFEST).write_bytes(text)
        (folder / SIGNATURE).write_text(_signature(text, settings.SECRET_KEY))
        _pack(folder, folder / "backup.tar", [MANIFEST, SIGNATURE, *manifest.checksums])
        if recipient:
            encrypt(folder / "backup.tar", target, recipient)
        else:
            (folder / "backup.tar").rename(target)
    return manifest


def _snapshot() -> str:
    """Return the name of the snapshot that this transaction sees from now on."""
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        cursor.execute("SELECT pg_export_snapshot()")
        return str(cursor.fetchone()[0])


def _copy_files(folder: Path) -> None:
    """Copy the stored files that rows name, unless they are in the database."""
    if isinstance(default_storage, DatabaseStorage):
        return
    for name in Upload.objects.values_list("file", flat=True).distinct():
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
        migrations=sorted(MigrationRecorder(connection).applied_migrations()),
        counts=row_counts(),
        checksums={file.relative_to(folder).as_posix(): checksum(file) for file in files},
    )


def _pack(folder: Path, target: Path, names: list[str]) -> None:
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file, tarfile.open(fileobj=file, mode="w") as archive:
        for name in names:
            archive.add(folder / name, arcname=name)


def why_not(error: OSError, folder: Path, recipient: str = "") -> str:
    """Return why a folder could not be written, and what to do."""
    if is_disk_full(error):
        return dumps.NO_ROOM.format(folder=tempfile.gettempdir() if recipient else folder)
    if not error.filename or Path(error.filename).resolve().parent != folder.resolve():
        return f"{error}."
    if isinstance(error, FileNotFoundError):
        return f"There is no folder {folder}."
    advice = ""
    if error.errno == errno.EROFS:
        advice = "; it is read-only here (ReadWritePaths of the unit, :ro of the volume)"
    elif isinstance(error, PermissionError):
        user = {one.pw_uid: one.pw_name for one in pwd.getpwall()}.get(os.geteuid(), os.geteuid())
        advice = f". As root, `install -d -o {user} -m 700 FOLDER` makes a new folder for this user"
    return f"{folder}: {error.strerror}{advice}."


def name_of_now(suffix: str) -> str:
    return f"{timezone.now().astimezone(UTC).strftime(FORM)}.moss{suffix}"


def _time_of(file: Path) -> datetime | None:
    """Return the time that a backup has as its name; None for any other name."""
    match = NAME.fullmatch(file.name)
    try:
        return datetime.strptime(match[1], FORM).replace(tzinfo=UTC) if match else None
    except ValueError:  # such as a month 13
        return None


def delete_old(folder: Path, days: int) -> list[Path]:
    """Delete the backups of a folder that are older than some days by their names, but the newest; return them."""
    named = sorted((time, file) for file in folder.iterdir() if (time := _time_of(file)))
    oldest = timezone.now() - timedelta(days=days)
    old = [file for time, file in named[:-1] if time < oldest]
    for file in old:
        file.unlink(missing_ok=True)  # another backup may delete old ones, too
    return old


def restore(source: Path, *, replace: bool = False, identity: Path | None = None, unsigned: bool = False) -> Manifest:
    """Replace the database by the backup's, migrate it to this version, and store the backup's files.

    `identity` is the file with the private key of a backup that age encrypted. With `unsigned`, a backup is
    taken that was not signed with this installation's key. Raises BackupError when the file is broken,
    changed or of a version that this program cannot migrate, or the installation has accounts and `replace`
    is not set; nothing was changed then. Also when the restored tables differ from this version's tables.
    """
    with _opened(source, identity, unsigned=unsigned) as (folder, manifest):
        if not replace and "auth_user" in connection.introspection.table_names() and User.objects.exists():
            raise BackupError("This installation has accounts: --replace deletes all that it holds.")
        _load(folder, manifest)
        _store_files(folder / FILES)
    return manifest


def check(source: Path, *, identity: Path | None = None, unsigned: bool = False) -> Manifest:
    """Restore a backup into a database of its own, which is dropped afterwards; raises as `restore` does."""
    with _opened(source, identity, unsigned=unsigned) as (folder, manifest), scratch_database():
        _load(folder, manifest)
    return manifest


@contextmanager
def _opened(source: Path, identity: Path | None, *, unsigned: bool) -> Iterator[tuple[Path, Manifest]]:
    """Unpack a backup into a folder, and check everything in it."""
    with tempfile.TemporaryDirectory(prefix="moss-restore-") as name:
        folder, plain = Path(name), source
        if source.suffix in {AGE, GPG}:
            plain = Path(name, "decrypted.tar")
            decrypt(source, plain, identity)
        manifest = _unpack(plain, folder, unsigned=unsigned)
        if not unsigned:
            _refuse_other_name(source, manifest)
        _refuse_unknown_migrations(manifest)
        dumps.check(dumps.write_script(folder / DATABASE))
        yield folder, manifest


def _load(folder: Path, manifest: Manifest) -> None:
    """Replace the database by an unpacked backup's, compare it with the manifest, and migrate it."""
    with as_owner(), dumps.loaded((folder / DATABASE).with_suffix(".sql")):
        counts = row_counts()
        if other := sorted(dict(counts.items() ^ manifest.counts.items())):
            raise BackupError(f"{', '.join(other[:3])}: not as many rows as were written. Nothing was changed.")
        note_restored(manifest.locale)
    _migrate(manifest)


def _signature(text: bytes, key: str) -> str:
    return salted_hmac(PURPOSE, text, secret=key, algorithm="sha256").hexdigest()


def _is_signed(file: Path, text: bytes) -> bool:
    """Return whether this installation's key signed the manifest, which has the checksums of all parts."""
    signature = file.read_text(errors="replace") if file.exists() else ""
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(constant_time_compare(signature, _signature(text, key)) for key in keys)


def _unpack(source: Path, folder: Path, *, unsigned: bool) -> Manifest:
    """Unpack a backup into a folder; check its signature, and that it has the files of its manifest alone."""
    try:
        with tarfile.open(source, "r:") as archive:
            names = {*_extract(archive, folder)}
        text = (folder / MANIFEST).read_bytes()
        if not (unsigned or _is_signed(folder / SIGNATURE, text)):
            raise BackupError(UNSIGNED.format(file=source))
        origin = Origin.model_validate_json(text)
    except (tarfile.TarError, OSError, EOFError, ValueError) as error:
        raise BackupError(f"{source} {BROKEN} ({type(error).__name__}).") from error
    manifest = _restoring_manifest(origin, text)
    expected = {DATABASE: "", **manifest.checksums}
    for name in sorted((names - {MANIFEST, SIGNATURE}) | expected.keys()):
        if name not in names or checksum(folder / name) != expected.get(name):
            raise BackupError(f"{source} {BROKEN} ({name} differs).")
    return manifest


def _extract(archive: tarfile.TarFile, folder: Path) -> Iterator[str]:
    """Write the members into a folder; yield their names there.

    `extractall` is safe with its filters only, which came in Python 3.11.4.
    """
    for member in archive:
        name, place = member.name, PurePosixPath(member.name)
        is_part = name in {MANIFEST, SIGNATURE, DATABASE} or name.startswith(FILES)
        # A part of a file that is only said to be zeros would fill the disk; Python may not end at a size below 0.
        if not (is_part and member.isreg()) or member.issparse() or member.size < 0 or ".." in place.parts:
            raise tarfile.ExtractError(f"{name!r} is no file of a backup")
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:
            shutil.copyfileobj(cast("IO[bytes]", archive.extractfile(member)), file)
        yield place.as_posix()


def _restoring_manifest(origin: Origin, text: bytes) -> Manifest:
    """Read the manifest of a backup, or say which version can."""
    if origin.format != FORMAT:
        raise BackupError(_other(origin, f"its format is {origin.format}, not {FORMAT}"))
    try:
        return Manifest.model_validate_json(text)
    except ValidationError as error:
        fields = ", ".join(sorted({str(one["loc"][0]) for one in error.errors()}))
        raise BackupError(_other(origin, f"its manifest has another form ({fields})")) from error


def _refuse_other_name(source: Path, manifest: Manifest) -> None:
    """Refuse an older backup under the name of a newer one: both have a right signature."""
    named, written = _time_of(source), datetime.fromisoformat(manifest.written)
    if named and not timedelta() <= written - named <= LONGEST_WRITING:
        raise BackupError(RENAMED.format(file=source, written=f"{written:%Y-%m-%d}"))


def _refuse_unknown_migrations(manifest: Manifest) -> None:
    loader = MigrationLoader(connection)
    known = {*loader.disk_migrations, *loader.replacements}
    unknown = [".".join(migration) for migration in manifest.migrations if migration not in known]
    if unknown:
        difference = f"it has migrations that this one does not have ({', '.join(unknown)})"
        raise BackupError(_other(manifest, difference))


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
        raise BackupError(f"{message} {INSTALL}") from error


def _store_files(folder: Path) -> None:
    for path in sorted(file for file in folder.rglob("*") if file.is_file()):
        name = path.relative_to(folder).as_posix()
        if default_storage.exists(name) and not isinstance(default_storage, DatabaseStorage):
            default_storage.delete(name)
        with path.open("rb") as opened:
            default_storage.save(name, File(opened))
