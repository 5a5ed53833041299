"""`moss web` and `moss worker`: one part of the service alone, for systemd units and containers."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import click

from fingerprint.kernels import usable_cores
from moss.serving.supervisor import WEB_COMMAND, worker_command
from submissions.work.kinds import INTERACTIVE, QUEUES

NEEDED = ("DATABASE_URL", "REDIS_URL")
ALONE = "Set {names}: a part that runs alone shares them with the others. `moss serve` runs all parts."


@click.command(short_help="Run the web server alone until Ctrl-C.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", default=8000, show_default=True, type=click.IntRange(1, 65535), help="Port to listen on."
)
def web(host: str, port: int) -> None:
    """Run the web server alone until Ctrl-C; `moss worker` and `moss maintain` are the other parts.

    It needs DATABASE_URL and REDIS_URL. Run `moss setup` once before.
    """
    host = f"[{host}]" if ":" in host else host
    _become([*WEB_COMMAND, f"--bind={host}:{port}"])


@click.command(short_help="Run a worker alone until Ctrl-C.")
@click.option("--interactive", is_flag=True, help="Take only short work, which so never waits for long work.")
@click.option(
    "--processes",
    default=0,
    type=click.IntRange(0, 256),
    envvar="MOSS_WORKERS",
    help="Number of processes; one with --interactive.  [default: one for each core]",
)
@click.option("--name", help="Name, unlike any other on this machine.  [default: worker, or interactive]")
def worker(*, interactive: bool, processes: int, name: str | None) -> None:
    """Run a worker alone until Ctrl-C; SIGTERM lets it finish its tasks first.

    It needs DATABASE_URL and REDIS_URL. Each installation needs one for any work and one for short work.
    """
    queues, number = ((INTERACTIVE,), 1) if interactive else (QUEUES, processes or usable_cores())
    _become(worker_command(name or ("interactive" if interactive else "worker"), queues, number))


def _become(command: list[str]) -> NoReturn:
    """Replace this process, so that signals reach the server itself."""
    if missing := [name for name in NEEDED if not os.environ.get(name)]:
        raise click.ClickException(ALONE.format(names=" and ".join(missing)))
    sys.stdout.flush()
    os.execv(command[0], command)  # noqa: S606 - a command of this package
