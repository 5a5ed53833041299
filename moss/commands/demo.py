"""`moss demo`: rank the bundled sample class with the real service, then keep serving."""

from __future__ import annotations

import csv
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

import click
from django.core.management.base import CommandError

from moss.commands.serve import port_option
from moss.embedded.paths import EmbeddedError, installation_paths
from moss.sample import SAMPLE
from moss.serving.supervisor import AlreadyServing, Supervisor

if TYPE_CHECKING:
    from pathlib import Path

    from django.contrib.auth.models import User

    from submissions.matches.ranked_pairs import PairRow
    from submissions.models import Assignment, Batch, Pair

USER = "instructor"
LISTED_PAIRS = 16
POLL_SECONDS = 0.15


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
    try:
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
    except (AlreadyServing, EmbeddedError, CommandError) as error:
        raise click.ClickException(str(error)) from error


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
            bar.update(
                task, description=batch.get_state_display(), total=total, completed=batch.documents_done
            )
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
    from moss.commands.table import pairs_text
    from submissions.models import Report

    report = assignment.reports.filter(state=Report.State.DONE).latest("pk")
    rows = [_pair_row(pair) for pair in report.pairs.select_related("left", "right")[:LISTED_PAIRS]]
    planted = planted_pairs()
    count = len(planted)
    top = {(row.left, row.right) for row in rows[:count]}
    summary = f"The top {count} pairs contain {len(top & planted.keys())} of the {count} planted pairs."
    table = "".join(pairs_text(rows, {pair: f"planted, {kind}" for pair, kind in planted.items()}))
    return f"{table}\n{summary}"


def _pair_row(pair: Pair) -> PairRow:
    """Return the figures of a stored pair, which must be loaded with its submissions."""
    from submissions.matches.ranked_pairs import PairRow, pair_mark

    return PairRow(
        left=pair.left.name,
        right=pair.right.name,
        similarity=pair.similarity,
        left_share=pair.left_share,
        right_share=pair.right_share,
        tokens=pair.tokens,
        lines=pair.lines,
        longest=pair.longest,
        mark=pair_mark(translated=pair.translated, structure=pair.structure),
        left_with_common=pair.left_with_common,
        right_with_common=pair.right_with_common,
    )
