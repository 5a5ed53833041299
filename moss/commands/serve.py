"""`moss serve`: the whole service as one command."""

from __future__ import annotations

import os

import click

from moss.embedded.paths import EmbeddedError
from moss.serving.supervisor import AlreadyServing, Supervisor


@click.command(short_help="Run the web server, the worker and the scheduler until Ctrl-C.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", default=8000, show_default=True, type=click.IntRange(1, 65535), help="Port to try first."
)
@click.option(
    "--workers",
    default=os.cpu_count() or 1,
    type=click.IntRange(1, 256),
    help="Processes that fingerprint and rank.  [default: one a core]",
)
def serve(host: str, port: int, workers: int) -> None:
    """Run the web server, the worker and the scheduler until Ctrl-C.

    Starts a private Postgres or Valkey where DATABASE_URL or REDIS_URL is not set, and stops it again.
    """
    try:
        with Supervisor(host, port, workers) as supervisor:
            supervisor.start()
            click.echo(f"MOSS serves at {supervisor.address} (Ctrl-C stops it).")
            supervisor.run()
    except (AlreadyServing, EmbeddedError) as error:
        raise click.ClickException(str(error)) from error
