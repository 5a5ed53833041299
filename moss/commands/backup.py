"""`moss backup` and `moss restore`: everything that an installation holds, as one file."""

from __future__ import annotations

from pathlib import Path

import click

from moss.commands import start_django


@click.command(short_help="Write everything that this installation holds to FILE.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--for",
    "recipient",
    help="Encrypt it for this recipient of age or key of GnuPG.  [default: MOSS_BACKUP_RECIPIENT]",
)
def backup(file: Path, recipient: str | None) -> None:
    """Write the database and the stored files of one moment to FILE, while the server runs or not.

    FILE holds students' work and must be kept like it. SECRET_KEY is not in it. Where FILE is a folder, the
    backup gets the time as its name, and those that are older than MOSS_BACKUP_DAYS are deleted there.
    """
    start_django()
    from django.conf import settings

    from moss.backups.encryption import suffix_for
    from moss.backups.postgres import BackupError
    from moss.backups.writing import name_of_now, write

    recipient = recipient or settings.BACKUP_RECIPIENT
    target = file / name_of_now(suffix_for(recipient)) if file.is_dir() else file
    if suffix_for(recipient) and target.suffix != suffix_for(recipient):
        raise click.ClickException(f"The name of an encrypted backup ends with {suffix_for(recipient)}.")
    try:
        manifest = write(target, recipient)
    except (BackupError, OSError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{target}: version {manifest.version}, {sum(manifest.counts.values()):,} rows.")
    if file.is_dir():
        _delete_old(file)


def _delete_old(folder: Path) -> None:
    from django.conf import settings

    from moss.backups.writing import delete_old

    if settings.BACKUP_DAYS:
        for old in delete_old(folder, settings.BACKUP_DAYS):
            click.echo(f"{old}: deleted after {settings.BACKUP_DAYS} days.")


@click.command(short_help="Replace what this installation holds by a backup.")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--replace", is_flag=True, help="Delete what this installation holds.")
@click.option(
    "--identity",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="File with the private key of a backup that age encrypted.",
)
def restore(file: Path, *, replace: bool, identity: Path | None) -> None:
    """Restore FILE, written by `moss backup` of this version or an older one.

    Stop the server and its workers first. A file that is broken or of a newer version changes nothing.
    """
    start_django()
    from moss.backups.postgres import BackupError
    from moss.backups.restoring import restore as restore_backup
    from moss.database_locale import OTHER_ORDER, database_locale, differences

    try:
        manifest = restore_backup(file, replace=replace, identity=identity)
    except BackupError as error:
        raise click.ClickException(str(error)) from error
    for text in differences(database_locale()):
        click.echo(f"{text}. {OTHER_ORDER}", err=True)
    click.echo(f"Restored what version {manifest.version} wrote on {manifest.written[:10]}.")
