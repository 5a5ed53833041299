"""Commands that run the service: `serve`, `demo`, `stop`, `setup`, `manage`, `web`, `worker` and others.

The others are `moss listen` and `moss maintain`.
"""

from __future__ import annotations

import contextlib
import csv
import os
import secrets
import signal
import sys
import time
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from smtplib import SMTPException
from typing import TYPE_CHECKING, NoReturn, TextIO

import click

from fingerprint.kernels import usable_cores
from moss.embedded.client import installation_paths
from moss.environment import without_owner
from moss.installation import SETTINGS, prepare, run
from moss.sample import SAMPLE
from moss.serving.supervisor import WEB_COMMAND, Supervisor, serving_process, wait_until_stopped, worker_command
from submissions.work.kinds import INTERACTIVE, QUEUES

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from submissions.models import Assignment, Batch

port_option = click.option(
    "--port", type=click.IntRange(1, 65535), help="Port to listen on.  [default: the first free one from 8000 on]"
)

USER = "instructor"
LISTED_PAIRS = 16
POLL_SECONDS = 0.15

NEEDED = ("DATABASE_URL", "REDIS_URL")
ALONE = "Set {names}: a part that runs alone shares them with the others. `moss serve` runs all parts."


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
    "--listen", is_flag=True, envvar="MOSS_LISTEN", help="Also take the uploads of MOSS clients, as `moss listen` does."
)
def serve(host: str, port: int | None, workers: int, *, listen: bool) -> None:
    """Run the web server, the workers and maintenance until Ctrl-C.

    A private Postgres is started if DATABASE_URL is not set, and a private Valkey if REDIS_URL is not set.
    Both stop with the service.
    """
    if listen:
        os.environ["MOSS_LISTEN"] = "true"  # for the page of the account
    with Supervisor(host, port, workers or usable_cores(), listens=listen) as supervisor:
        supervisor.start()
        offer_account()
        click.echo(f"MOSS serves at {supervisor.address} until Ctrl-C.")
        supervisor.run()


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


@dataclass(frozen=True, slots=True)
class DemoAccount:
    user: User
    password: str


@click.command(short_help="Run everything on the bundled sample class and keep serving.")
@port_option
def demo(port: int | None) -> None:
    """Upload the sample class, rank it, print the best pairs, and serve the pages until Ctrl-C.

    The demo uses the same database as `moss serve`: what you add while it runs is stored permanently.
    """
    with _open_log() as log, Supervisor("127.0.0.1", port, workers=2, log=log) as supervisor:
        log.truncate(0)
        click.echo(f"Starting Postgres, Valkey, the worker and the web server. Their log is {log.name}")
        supervisor.start()
        # It imports Django's models, which need the services that were just started.
        from moss.sample_class import sample_assignment, upload_sample

        account = _account(supervisor.paths.home / "demo-password")
        assignment = sample_assignment(account.user)
        batch = upload_sample(assignment, account.user)
        _wait_for_ranking(batch, supervisor)
        click.echo(_result(assignment))
        click.echo(f"Open {supervisor.address} and sign in as {USER} with password {account.password}")
        click.echo("Ctrl-C stops all processes of the demo.")
        supervisor.run()


def _open_log() -> TextIO:
    """Open the log file of the servers, so that their messages do not hide the printed table.

    It is opened for appending: another demo may still write to it, and only the process that has locked the
    installation may truncate it.
    """
    paths = installation_paths()
    paths.create()
    return (paths.log / "demo.log").open("a", encoding="utf-8")


def _account(file: Path) -> DemoAccount:
    """Return the instructor's account, created if necessary; the password is generated once, in `file`."""
    from django.contrib.auth.models import User

    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(secrets.token_urlsafe(9))
    password = file.read_text()
    user, _ = User.objects.get_or_create(username=USER)
    if not user.check_password(password):
        user.set_password(password)
        user.save()
    return DemoAccount(user, password)


def _wait_for_ranking(batch: Batch, supervisor: Supervisor) -> None:
    """Show the progress of the worker until the batch is ranked without the boilerplate."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from submissions.reports.progress import activity_of
    from submissions.reports.read import report_state

    with Progress(TextColumn("{task.description:14}"), BarColumn(), MofNCompleteColumn()) as bar:
        task = bar.add_task("waiting", total=None)
        while activity_of(batch.assignment, report_state(batch.assignment)).is_live:
            total = batch.documents_total or None
            bar.update(task, description=batch.get_state_display(), total=total, completed=batch.documents_done)
            supervisor.tick()
            time.sleep(POLL_SECONDS)
            batch.refresh_from_db()
        batch.refresh_from_db()  # The work may have ended after it was read last.
        bar.update(task, description=batch.get_state_display(), completed=batch.documents_done)
    if batch.state != batch.State.DONE:
        raise click.ClickException(f"The sample class was not ranked: {batch.message}")


def planted_pairs() -> dict[tuple[str, str], str]:
    """Return the pairs of planted copies, each with the kind of disguise."""
    with (SAMPLE / "key.csv").open(newline="") as file:
        return {(row["left"], row["right"]): row["kind"] for row in csv.DictReader(file)}


def _result(assignment: Assignment) -> str:
    """Return the first pairs of the ranking as a table, and the number of planted pairs at its top."""
    from moss.commands.tables import pairs_text
    from submissions.matches.ranked_pairs import PairRow
    from submissions.models import Report

    report = assignment.reports.filter(state=Report.State.DONE).latest("pk")
    listed = report.pairs.select_related("left", "right")[:LISTED_PAIRS]
    rows = [PairRow.of(pair, pair.left.name, pair.right.name) for pair in listed]
    planted = planted_pairs()
    count = len(planted)
    top = {(row.left, row.right) for row in rows[:count]}
    summary = f"The top {count} pairs contain {len(top & planted.keys())} of the {count} planted pairs."
    table = "".join(pairs_text(rows, {pair: f"planted, {kind}" for pair, kind in planted.items()}))
    return f"{table}\n{summary}"


@click.command(short_help="Stop the server that runs in this MOSS_HOME.")
@click.option(
    "--patience", default=60, show_default=True, type=click.IntRange(1), help="Highest number of seconds to wait."
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


@click.command(short_help="Prepare the database, the static files and the engine.")
def setup() -> None:
    """Migrate the database, collect the static files and compile the engine.

    `moss serve` and `moss demo` do this themselves when they start.
    """
    prepare()


@click.command(
    short_help="Run one of Django's commands, such as createsuperuser.",
    context_settings={"ignore_unknown_options": True, "help_option_names": []},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def manage(arguments: tuple[str, ...]) -> None:
    """Run one of Django's commands on this installation, such as `moss manage createsuperuser`."""
    try:
        run(["moss manage", *arguments])
    except SMTPException as error:
        message = f"The mail could not be sent: {error}. The server for it is that of MOSS_MAIL_HOST."
        raise click.ClickException(message) from error


@click.command(short_help="Run the web server alone until Ctrl-C.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535), help="Port to listen on.")
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
    import_module(SETTINGS)  # what is wrong in the variables is said by this process
    sys.stdout.flush()
    os.execve(command[0], command, without_owner())  # noqa: S606 - a command of this package


def _without_owner() -> None:
    """Begin again without the variables of the owner of the tables, where they are set."""
    if without_owner().keys() != os.environ.keys():
        os.execve(sys.executable, sys.orig_argv, without_owner())  # noqa: S606 - this command


@click.command(short_help="Take the uploads of MOSS clients until Ctrl-C.")
@click.option("--host", help="Address to listen on.  [default: MOSS_LISTEN_HOST, or 127.0.0.1]")
@click.option("--port", type=click.IntRange(1, 65535), help="Port to listen on.  [default: MOSS_LISTEN_PORT, or 7690]")
@click.option(
    "--results-at",
    help="Address of the web pages for the clients.  [default: MOSS_RESULTS_URL, or http://127.0.0.1:8000]",
)
def listen(host: str | None, port: int | None, results_at: str | None) -> None:
    """Take the uploads of MOSS clients, which scripts of the MOSS service are, until Ctrl-C.

    The web server and the workers must run: `moss serve --listen` runs all of them. The user id for a script
    is on the page of the account.
    """
    _without_owner()
    from moss.installation import start_django

    start_django()
    from django.conf import settings

    from moss.integrations.moss_protocol.server import listen_forever
    from moss.serving import supervisor as ports

    host, port = host or settings.LISTEN_HOST, port or settings.LISTEN_PORT
    with ports.listen(host, port) as listener:
        click.echo(f"MOSS clients can connect to {host}, port {port}, until Ctrl-C.")
        listen_forever(listener, results_at or settings.RESULTS_URL)


@click.command(short_help="Re-enqueue lost work and end stuck work until Ctrl-C.")
@click.option("--check", is_flag=True, help="Only exit, with status 0 if the maintenance runs, else 1.")
def maintain(*, check: bool) -> None:
    """Re-enqueue work lost to a crash and end work that is stuck, every 10 seconds, until Ctrl-C.

    `moss serve` runs this as one of its processes.
    """
    _without_owner()
    from moss.installation import start_django
    from moss.operations.database import refuse_shared_sessions

    start_django()
    # Imported after Django's start: it needs the models.
    from moss.operations.maintenance import is_maintained, maintain as maintain_forever

    if check:
        raise SystemExit(not is_maintained())
    refuse_shared_sessions()
    maintain_forever()
