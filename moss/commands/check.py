"""`moss check`: rank a folder or an archive here and now."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from moss.check.local import LocalReport

# For the terminal, and those of submissions.pages.exports.formats that need no server.
OUTPUT_FORMATS = ("table", "csv", "json", "html")


class Source(click.Path):
    """A regular file or a folder; a pipe or a device could keep its reader waiting for ever."""

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> Path:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if not path.is_file() and not path.is_dir():
            self.fail(f"{click.format_filename(path)!r} is neither a regular file nor a folder.", param, ctx)
        return path


class Target(click.Path):
    """A file to write; refused before the work where it cannot be made."""

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> Path:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        folder = click.format_filename(path.parent)
        if not path.parent.is_dir():
            self.fail(f"there is no folder {folder!r}.", param, ctx)
        if not path.exists() and not os.access(path.parent, os.W_OK | os.X_OK):
            self.fail(f"the folder {folder!r} is not writable.", param, ctx)
        return path


@click.command()
@click.argument("path", type=Source(exists=True))
@click.option(
    "-l", "--language", default="", help="Read every file as LANGUAGE; default: told from each file."
)
@click.option(
    "-b",
    "--boilerplate",
    "boilerplate",
    multiple=True,
    type=Source(exists=True, dir_okay=False),
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
@click.option(
    "--format", "output_format", type=click.Choice(OUTPUT_FORMATS), default="table", show_default=True
)
@click.option("-o", "--output", type=Target(dir_okay=False, writable=True), help="Write to this file.")
def check(  # noqa: PLR0917 - one parameter an option
    path: Path,
    language: str,
    boilerplate: tuple[Path, ...],
    common: int | None,
    show: int,
    everything: bool,  # noqa: FBT001 - a flag of the command line
    output_format: str,
    output: Path | None,
) -> None:
    """Rank the pairs of submissions in PATH, most alike first.

    PATH is a folder or an archive (zip, tar, tar.gz); each entry directly in it, file or folder, is one
    submission. Nothing has to be running, and nothing leaves this machine. Fewer than two submissions that
    can be read are an error.
    """
    from fingerprint.engine import Unreadable
    from moss.check.local import Options, rank_path
    from moss.commands.table import printable
    from submissions.archives.limits import BadArchive

    options = Options(language, boilerplate, common, None if everything else show)
    try:
        with _progress() as started:
            report = rank_path(path, options, started)
    except (BadArchive, Unreadable, ValueError, OSError) as error:
        raise click.ClickException(str(error)) from error
    if not report.shortfall or output_format != "table":
        _write(_render(report, output_format, path), output)
    threshold = report.ranking.threshold
    if output_format == "table" and len(report.ranking.scores.similarity):
        click.echo(f"Suggested threshold {threshold.value:.2f}: {threshold.reason}.", err=True)
    for skipped in report.skipped:
        click.echo(f"skipped {printable(skipped.name)}: {skipped.reason}", err=True)
    if report.shortfall:
        raise click.ClickException(f"{printable(str(path))}: {report.shortfall}")


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


def _render(report: LocalReport, output_format: str, path: Path) -> Iterable[str]:
    """Return the output, part by part."""
    from moss.check import tables
    from submissions.pages.exports.formats import FORMATS

    if output_format == "table":
        from moss.commands.table import as_table

        return [as_table(tables.pair_rows(report))]
    if output_format == "html":
        from moss.check.page import standalone_report
        from submissions.pages.exports.standalone import standalone_html

        return [standalone_html(standalone_report(report, path.name))]
    table = tables.details_table(report) if output_format == "json" else tables.pairs_table(report)
    write = FORMATS[output_format].write_table
    assert write is not None
    return write(table)


def _write(parts: Iterable[str], output: Path | None) -> None:
    try:
        if output:
            with output.open("w", encoding="utf-8") as file:
                file.writelines(parts)
        else:
            for part in parts:
                click.echo(part, nl=False)
    except BrokenPipeError:  # whoever read it has seen enough, as `| head`; click ends quietly
        raise
    except OSError as error:
        where = click.format_filename(output) if output else "standard output"
        raise click.ClickException(f"cannot write to {where}: {error.strerror or error}") from error
