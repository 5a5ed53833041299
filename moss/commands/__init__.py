"""The subcommands of `moss`, one module each; a module is imported when its command runs."""

from __future__ import annotations

import click


def start_django() -> None:
    """Load Django's settings and apps; end the command with a message where a private server is missing."""
    from moss.embedded.client import EmbeddedError
    from moss.installation import start_django as start

    try:
        start()
    except EmbeddedError as error:
        raise click.ClickException(str(error)) from error


def caller(command: str) -> str:
    """Return who runs a command, for the audit log."""
    import getpass

    return f"{getpass.getuser()} (moss {command})"[:150]
