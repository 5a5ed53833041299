"""`moss demo`: the bundled sample class through the real service, then the service itself."""

from __future__ import annotations

import csv
import io
import secrets
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from moss.embedded.paths import EmbeddedError, installation_paths
from moss.serving.supervisor import AlreadyServing, Supervisor

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from submissions.models import Assignment, Batch, Pair
    from submissions.ranking.pair_rows import PairRow

SAMPLE = Path(__file__).resolve().parent.parent / "sample"
USER = "instructor"
COURSE, ASSIGNMENT, ARCHIVE = "Sample course", "Library fines", "sample-class.zip"
LISTED = 16
POLL_SECONDS = 0.15


@dataclass(frozen=True, slots=True)
class SignIn:
    user: User
    password: str


@click.command(short_help="Run everything on the bundled sample class and keep serving.")
@click.option(
    "--port", default=8000, show_default=True, type=click.IntRange(1, 65535), help="Port to try first."
)
def demo(port: int) -> None:
    """Upload the sample class, rank it, print the pairs, and serve the pages until Ctrl-C.

    Uses the same database as `moss serve`; what you add while it runs is there the next time.
    """
    try:
        with _log() as log, Supervisor("127.0.0.1", port, workers=2, log=log) as supervisor:
            log.truncate(0)
            click.echo(f"Starting Postgres, Valkey, the worker and the web server; they write to {log.name}")
            supervisor.start()
            signed = _account(supervisor.paths.home / "demo-password")
            assignment = _assignment(signed.user)
            batch = _upload(assignment, signed.user)
            _watch(batch, supervisor)
            click.echo(_result(assignment))
            click.echo(f"Open {supervisor.address} and sign in as {USER} with password {signed.password}")
            click.echo("Ctrl-C stops every process that this started.")
            supervisor.run()
    except (AlreadyServing, EmbeddedError) as error:
        raise click.ClickException(str(error)) from error


def _log() -> TextIO:
    """Open the log of the servers, so that the table stays in sight.

    A demo that still runs may have written it: only the process that locked the installation may empty it.
    """
    paths = installation_paths()
    paths.create()
    return (paths.log / "demo.log").open("a", encoding="utf-8")


def _account(file: Path) -> SignIn:
    """Make the instructor; the password is made once and stays the same."""
    from django.contrib.auth.models import User

    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(secrets.token_urlsafe(9))
    password = file.read_text()
    user, _ = User.objects.get_or_create(username=USER)
    if not user.check_password(password):
        user.set_password(password)
        user.save()
    return SignIn(user, password)


def _assignment(user: User) -> Assignment:
    """Find or make the sample assignment, without what an earlier demo uploaded to it."""
    from django.core.files.uploadedfile import SimpleUploadedFile

    from submissions import actions
    from submissions.models import Assignment, Course

    course, _ = Course.objects.get_or_create(owner=user, name=COURSE)
    assignment, _ = Assignment.objects.get_or_create(course=course, name=ASSIGNMENT)
    for earlier in assignment.batches.filter(name=ARCHIVE):
        actions.delete_batch(earlier)
    starter = sorted((SAMPLE / "starter").iterdir())
    actions.add_boilerplate(assignment, [SimpleUploadedFile(f.name, f.read_bytes()) for f in starter])
    return assignment


def sample_zip() -> bytes:
    """Pack the sample class as an instructor would upload it."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        folder = SAMPLE / "submissions"
        for file in sorted(file for file in folder.rglob("*") if file.is_file()):
            archive.writestr(str(file.relative_to(folder)), file.read_bytes())
    return packed.getvalue()


def _upload(assignment: Assignment, user: User) -> Batch:
    """Upload the class through the form of the assignment page."""
    from django.core.files.uploadedfile import SimpleUploadedFile
    from django.utils.datastructures import MultiValueDict

    from submissions import actions
    from submissions.pages.forms.uploads import UploadForm

    file = SimpleUploadedFile(ARCHIVE, sample_zip(), "application/zip")
    form = UploadForm({}, MultiValueDict({"files": [file]}))
    if not form.is_valid():
        raise click.ClickException(f"The sample class was refused: {form.errors.as_text()}")
    return actions.create_batch(assignment, user, form.cleaned_data["files"])


def _watch(batch: Batch, supervisor: Supervisor) -> None:
    """Show how far the worker has come, until the batch has ended."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    with Progress(TextColumn("{task.description:14}"), BarColumn(), MofNCompleteColumn()) as bar:
        task = bar.add_task("waiting", total=None)
        while batch.is_running:
            total = batch.documents_total or None
            bar.update(
                task, description=batch.get_state_display(), total=total, completed=batch.documents_done
            )
            supervisor.tick()
            time.sleep(POLL_SECONDS)
            batch.refresh_from_db()
        bar.update(task, description=batch.get_state_display(), completed=batch.documents_done)
    if batch.state != batch.State.DONE:
        raise click.ClickException(f"The sample class was not ranked: {batch.message}")


def planted() -> dict[tuple[str, str], str]:
    """Read the key: what was done to make the copy, by pair."""
    with (SAMPLE / "key.csv").open(newline="") as file:
        return {(row["left"], row["right"]): row["kind"] for row in csv.DictReader(file)}


def _result(assignment: Assignment) -> str:
    """Give the top of the ranking as a table, and how many of the planted pairs it found."""
    from moss.commands.table import as_table
    from submissions.models import Report

    report = assignment.reports.filter(state=Report.State.DONE).latest("pk")
    rows = [_stored_row(pair) for pair in report.pairs.select_related("left", "right")[:LISTED]]
    key = planted()
    top = {(row.left, row.right) for row in rows[: len(key)]}
    found = f"The top {len(key)} pairs hold {len(top & key.keys())} of the {len(key)} planted ones."
    return f"{as_table(rows, {pair: f'planted, {kind}' for pair, kind in key.items()})}\n{found}"


def _stored_row(pair: Pair) -> PairRow:
    """Return the row of a stored pair that was loaded with its submissions."""
    from submissions.ranking.pair_rows import PairRow

    return PairRow(
        left=pair.left.name,
        right=pair.right.name,
        similarity=pair.similarity,
        left_share=pair.left_share,
        right_share=pair.right_share,
        tokens=pair.tokens,
        lines=pair.lines,
        longest=pair.longest,
    )
