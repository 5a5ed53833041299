"""`moss manage`: Django's command line, for an installation without a checkout."""

from __future__ import annotations

from smtplib import SMTPException

import click

from moss.embedded.paths import EmbeddedError
from moss.installation import run


@click.command(
    short_help="Run one of Django's commands, such as createsuperuser.",
    context_settings={"ignore_unknown_options": True, "help_option_names": []},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def manage(arguments: tuple[str, ...]) -> None:
    """Run one of Django's commands on this installation, such as `moss manage createsuperuser`."""
    from django.db import DatabaseError

    try:
        run(["moss manage", *arguments])
    except EmbeddedError as error:
        raise click.ClickException(str(error)) from error
    except DatabaseError as error:
        first_line = str(error).partition("\n")[0]
        raise click.ClickException(
            f"The database refused it: {first_line}. moss doctor says more."
        ) from error
    except SMTPException as error:
        raise click.ClickException(
            f"The mail could not be sent: {error}. The server for it is that of MOSS_MAIL_HOST."
        ) from error
