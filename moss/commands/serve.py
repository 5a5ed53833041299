"""`moss serve`: run the whole service with one command."""

from __future__ import annotations

import os
import sys

import click
from django.core.management.base import CommandError

from fingerprint.kernels import usable_cores
from moss.embedded.paths import EmbeddedError
from moss.serving.supervisor import AlreadyServing, Supervisor

port_option = click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="Port to listen on.  [default: the first free one from 8000 on]",
)


@click.command(short_help="Run the web server, the workers and maintenance until Ctrl-C.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@port_option
@click.option(
    "--workers",
    default=0,
    type=click.IntRange(0, 256),
    envvar="MOSS_WORKERS",
    help="Number of worker processes; one more takes only short work.  [default: one for each core]",
)
@click.option(
    "--listen",
    is_flag=True,
    envvar="MOSS_LISTEN",
    help="Also take the uploads of MOSS clients, as `moss listen` does.",
)
def serve(host: str, port: int | None, workers: int, *, listen: bool) -> None:
    """Run the web server, the workers and maintenance until Ctrl-C.

    A private Postgres is started if DATABASE_URL is not set, and a private Valkey if REDIS_URL is not set.
    Both stop with the service.
    """
    if listen:
        os.environ["MOSS_LISTEN"] = "true"  # for the page of the account
    try:
        with Supervisor(host, port, workers or usable_cores(), listens=listen) as supervisor:
            supervisor.start()
            offer_account()
            click.echo(f"MOSS serves at {supervisor.address} until Ctrl-C.")
            supervisor.run()
    except (AlreadyServing, EmbeddedError, CommandError) as error:
        raise click.ClickException(str(error)) from error


def offer_account() -> None:
    """Offer to create the first account of a service that has none, if somebody is at the terminal."""
    # Django's models need the services that were just started.
    from django.contrib.auth.models import User
    from django.core.management import call_command

    if User.objects.exists():
        return
    if sys.stdin.isatty() and click.confirm("Nobody has an account yet. Create the first one?", default=True):
        call_command("createsuperuser")
        return
    click.echo("Nobody has an account yet. Create the first one with: moss manage createsuperuser")
