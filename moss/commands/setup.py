"""`moss setup`: everything that has to be done once after an installation or an upgrade."""

from __future__ import annotations

import click

from moss.embedded.paths import EmbeddedError
from moss.installation import prepare


@click.command(short_help="Prepare the database, the static files and the engine.")
def setup() -> None:
    """Migrate the database, collect static files and compile the engine; `moss serve` does it by itself."""
    try:
        prepare()
    except EmbeddedError as error:
        raise click.ClickException(str(error)) from error
