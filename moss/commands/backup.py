"""`moss backup` and `moss restore`: everything that an installation holds, as one file."""

from __future__ import annotations

from pathlib import Path

import click

from moss.embedded.paths import EmbeddedError


@click.command(short_help="Write everything that this installation holds to FILE.")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def backup(file: Path) -> None:
    """Write the database and the stored files of one moment to FILE, while the server runs or not.

    FILE holds students' work and must be kept like it. SECRET_KEY is not in it.
    """
    _start()
    from moss.backups.postgres import BackupError
    from moss.backups.writing import write

    try:
        manifest = write(file)
    except (BackupError, OSError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{file}: version {manifest.version}, {sum(manifest.counts.values()):,} rows.")


@click.command(short_help="Replace what this installation holds by a backup.")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--replace", is_flag=True, help="Delete what this installation holds.")
def restore(file: Path, *, replace: bool) -> None:
    """Restore FILE, written by `moss backup` of this version or an older one.

    Stop the server and its workers first. A file that is broken or of a newer version changes nothing.
    """
    _start()
    from moss.backups.postgres import BackupError
    from moss.backups.restoring import restore as restore_backup
    from moss.database_locale import OTHER_ORDER, database_locale, differences

    try:
        manifest = restore_backup(file, replace=replace)
    except BackupError as error:
        raise click.ClickException(str(error)) from error
    for text in differences(database_locale()):
        click.echo(f"{text}. {OTHER_ORDER}", err=True)
    click.echo(f"Restored what version {manifest.version} wrote on {manifest.made[:10]}.")


def _start() -> None:
    from moss.installation import start_django

    try:
        start_django()
    except EmbeddedError as error:
        raise click.ClickException(str(error)) from error
