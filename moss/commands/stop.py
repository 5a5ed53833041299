"""`moss stop`: stop a server that runs in another process."""

from __future__ import annotations

import contextlib
import os
import signal

import click

from moss.embedded.paths import installation_paths
from moss.serving.supervisor import serving_process, wait_until_stopped


@click.command(short_help="Stop the server that runs in this MOSS_HOME.")
@click.option(
    "--patience",
    default=60,
    show_default=True,
    type=click.IntRange(1),
    help="Highest number of seconds to wait.",
)
def stop(patience: int) -> None:
    """Stop the `moss serve` or `moss demo` that runs in this MOSS_HOME, and wait until it has ended."""
    paths = installation_paths()
    pid = serving_process(paths)
    if pid is None:
        click.echo(f"No server runs in {paths.home}.")
        return
    with contextlib.suppress(ProcessLookupError):  # It has just ended by itself.
        os.kill(pid, signal.SIGTERM)
    if not wait_until_stopped(paths, patience):
        raise click.ClickException(f"Process {pid} did not stop within {patience} seconds.")
    click.echo("Stopped.")
