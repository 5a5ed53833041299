"""`moss check`: rank a folder or an archive here and now."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from submissions.local import LocalReport

FORMATS = ("table", "csv", "json", "html")


@click.command()
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option(
    "-l", "--language", default="", help="Read every file as LANGUAGE; default: told from each file."
)
@click.option(
    "-b",
    "--boilerplate",
    "boilerplate",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Code that was handed out; it counts nowhere. May be repeated.",
)
@click.option(
    "-m",
    "--common",
    type=click.IntRange(min=1),
    metavar="N",
    help="Take passages in more than N submissions for common code. Default: 10, off below 31 submissions.",
)
@click.option(
    "-n", "--show", type=click.IntRange(min=1), default=250, show_default=True, help="Pairs to list."
)
@click.option("--all", "everything", is_flag=True, help="List every pair that shares a fingerprint.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file.")
def check(  # noqa: PLR0917 - one parameter an option
    path: Path,
    language: str,
    boilerplate: tuple[Path, ...],
    common: int | None,
    show: int,
    everything: bool,  # noqa: FBT001 - a flag of the command line
    form: str,
    output: Path | None,
) -> None:
    """Rank the pairs of submissions in PATH, most alike first.

    PATH is a folder or an archive (zip, tar, tar.gz); each entry directly in it, file or folder, is one
    submission. Nothing has to be running, and nothing leaves this machine.
    """
    from fingerprint.reading import Unreadable
    from moss.commands.table import printable
    from submissions.archives import BadArchive
    from submissions.local import Options, rank_path

    options = Options(language, boilerplate, common, None if everything else show)
    try:
        with _progress() as started:
            report = rank_path(path, options, started)
    except (BadArchive, Unreadable, ValueError, OSError) as error:
        raise click.ClickException(str(error)) from error
    _write(_render(report, form, path), output)
    if form == "table" and report.pairs:
        click.echo(f"Suggested threshold {report.threshold.value:.2f}: {report.threshold.reason}.", err=True)
    for skipped in report.skipped:
        click.echo(f"skipped {printable(skipped.name)}: {skipped.reason}", err=True)


@contextmanager
def _progress() -> Iterator[Callable[[int], Callable[[], None]]]:
    """Show a bar on stderr when that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _count: lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:

        def started(count: int) -> Callable[[], None]:
            task = bar.add_task("Reading files", total=count)
            return lambda: bar.advance(task)

        yield started


def _render(report: LocalReport, form: str, path: Path) -> str:
    from submissions import exports

    if form == "csv":
        return exports.as_csv(report)
    if form == "json":
        return exports.as_json(report)
    if form == "html":
        from submissions.page import as_html

        return as_html(report, path.name)
    from moss.commands.table import as_table

    return as_table(exports.row(report, pair) for pair in report.pairs)


def _write(text: str, output: Path | None) -> None:
    if output:
        output.write_text(text, encoding="utf-8")
    else:
        click.echo(text, nl=False)
