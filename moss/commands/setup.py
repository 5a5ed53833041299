"""`moss setup`: the steps that are needed once after an installation or an upgrade."""

from __future__ import annotations

import click
from django.core.management.base import CommandError

from moss.embedded.paths import EmbeddedError
from moss.installation import prepare


@click.command(short_help="Prepare the database, the static files and the engine.")
def setup() -> None:
    """Migrate the database, collect the static files and compile the engine.

    `moss serve` and `moss demo` do this themselves when they start.
    """
    try:
        prepare()
    except (EmbeddedError, CommandError) as error:
        raise click.ClickException(str(error)) from error
