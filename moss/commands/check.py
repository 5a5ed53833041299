"""`moss check`: rank the submissions of a folder or an archive in the terminal."""

from __future__ import annotations

import atexit
import gc
import json
from functools import partial
from typing import TYPE_CHECKING

import click

from moss.commands.input_options import input_options
from moss.commands.parameter_types import InputPath, NumberOrPercentage, OutputPath
from moss.compiling import PREPARING, READING, progress_bars

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from moss.check.inputs import InputOptions, SkippedInput
    from moss.check.rank import RankingOptions
    from moss.check.report import LocalReport

# "table" is for the terminal; the others are in submissions.matches.export_formats.
OUTPUT_FORMATS = ("table", "csv", "json", "html")
# Files that were skipped for one reason and are named; more are counted.
NAMED = 3
PREVIEW_FORMATS = ("table", "json")
# Warnings of a preview that are also written beside a ranking: of choices and the roster.
RANKING_WARNINGS = ("layout", "unknown-name", "no-time", "late", "roster", "roster-unknown", "roster-absent")

# Objects that are made before Python searches for cyclic garbage; Python's default is 700.
GARBAGE_THRESHOLD = 100_000


def _only_path(_ctx: click.Context, _param: click.Parameter, paths: tuple[Path, ...]) -> Path:
    """Return the one path; refuse several, which a shell makes of a pattern such as *.java."""
    if len(paths) > 1:
        raise click.UsageError(
            f"PATH is one folder or archive; these are {len(paths):,} paths. Give the folder that they are "
            "in, and choose files with --include, as in: moss check FOLDER --include '*.java'."
        )
    return paths[0]


@click.command()
@click.argument(
    "path", nargs=-1, required=True, metavar="PATH", type=InputPath(exists=True), callback=_only_path
)
@click.option(
    "-l", "--language", default="", help="Read every file as LANGUAGE. Default: detected for each file."
)
@click.option(
    "-b",
    "--boilerplate",
    "boilerplate",
    multiple=True,
    type=InputPath(exists=True),
    metavar="PATH",
    help="Boilerplate: code that was handed out (a file, a folder or an archive), which is ignored "
    "everywhere. May be repeated.",
)
@click.option(
    "--statement",
    "statements",
    multiple=True,
    type=InputPath(exists=True, dir_okay=False),
    metavar="FILE",
    help="The statement of the task, as plain text or Markdown: messages of its words, its numbers and its "
    "names say nothing. May be repeated.",
)
@click.option(
    "--solution",
    "solutions",
    multiple=True,
    type=InputPath(exists=True),
    metavar="PATH",
    help="A model solution (a file, a folder or an archive), such as what a language model wrote: compared "
    "with those in PATH, and counted nowhere. May be repeated.",
)
@click.option(
    "--earlier",
    multiple=True,
    type=InputPath(exists=True),
    metavar="PATH",
    help="Earlier or other work (a folder or an archive), such as the submissions of last year: compared "
    "with those in PATH, and not among itself. May be repeated.",
)
@click.option(
    "-m",
    "--common",
    type=NumberOrPercentage(),
    metavar="N",
    help="Ignore passages that are in more than N submissions as common code; N may be a percentage of them. "
    "Default: 50%, but at least 10; submissions that are alike count as one then.",
)
@click.option(
    "-n",
    "--show",
    type=click.IntRange(min=1),
    default=250,
    show_default=True,
    help="Highest number of pairs to list.",
)
@input_options
@click.option(
    "--preview", is_flag=True, help="Show who handed in what and what does not count, and compare nothing."
)
@click.option("--all", "every_pair", is_flag=True, help="List every pair that shares a fingerprint.")
@click.option("-v", "--verbose", is_flag=True, help="Name each file that was skipped.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(OUTPUT_FORMATS),
    default="table",
    show_default=True,
    help="Format of the output.",
)
@click.option(
    "-o", "--output", type=OutputPath(dir_okay=False, writable=True), help="Write the output to this file."
)
def check(  # noqa: PLR0917 - one parameter for each option
    path: Path,
    language: str,
    boilerplate: tuple[Path, ...],
    statements: tuple[Path, ...],
    solutions: tuple[Path, ...],
    earlier: tuple[Path, ...],
    common: float | None,
    show: int,
    inputs: InputOptions,
    preview: bool,  # noqa: FBT001 - a flag of the command line
    every_pair: bool,  # noqa: FBT001 - a flag of the command line
    verbose: bool,  # noqa: FBT001 - a flag of the command line
    output_format: str,
    output: Path | None,
) -> None:
    """Rank all pairs of submissions in PATH by similarity.

    PATH is a folder or an archive (zip, tar.gz, 7z, rar): the export of a learning platform, or one with a
    file, folder or archive for each student. Code that tools generated, compiled or downloaded is left out,
    and listed with the reason. No server has to run, and no data leaves this machine. With fewer than two
    readable submissions the command fails.
    """
    from moss.check.rank import RankingOptions
    from moss.commands.table import printable

    _collect_rarely()
    try:
        if preview:
            _write(_render_preview(path, inputs, output_format), output)
            return
        most_pairs, others = None if every_pair else show, (earlier, statements, solutions)
        options = RankingOptions(language, boilerplate, common, most_pairs, inputs, *others)
        report = _rank(path, options)
    except (ValueError, OSError) as error:
        raise click.ClickException(printable(str(error))) from error
    if not report.shortfall or output_format != "table":
        _write(_render(report, output_format, path), output)
    _summarise(report, output_format)
    _list_skipped(report, path, every_name=verbose)


def _rank(path: Path, options: RankingOptions) -> LocalReport:
    from moss.check.rank import rank_path

    with progress_bars() as start_bar:
        return rank_path(path, options, *(partial(start_bar, text) for text in (READING, PREPARING)))


def _collect_rarely() -> None:
    """Have Python search for cyclic garbage rarely, and not when it ends.

    A ranking makes little of it, and searching takes 0.2 of the 4 s of 1,500 files.
    """
    gc.set_threshold(GARBAGE_THRESHOLD)
    atexit.register(gc.freeze)


def _render_preview(path: Path, inputs: InputOptions, output_format: str) -> Iterable[str]:
    from moss.check.rank import preview_path
    from moss.commands.preview_table import preview_text

    if output_format not in PREVIEW_FORMATS:
        raise click.UsageError("A preview is a table or JSON; use --format table or --format json.")
    preview = preview_path(path, inputs)
    if output_format == "table":
        return [preview_text(preview)]
    return [json.dumps(preview.to_json(), indent=2, ensure_ascii=False) + "\n"]


def _summarise(report: LocalReport, output_format: str) -> None:
    """Write to the error stream how the path was read, and beside a table the suggested threshold."""
    from moss.commands.table import printable
    from submissions.intake.warnings import languages_read, reading_warnings

    count = report.class_size
    click.echo(
        f"Read as {report.all_inputs.layout}: {count} submission{'' if count == 1 else 's'}.", err=True
    )
    files = report.read_files
    if files:
        click.echo(f"Languages of the files: {languages_read(file.language for file in files)}.", err=True)
    grouped = (warning for warning in report.all_inputs.warnings if warning.kind in RANKING_WARNINGS)
    for warning in (*grouped, *reading_warnings(files)):
        click.echo(printable(warning.text), err=True)
    for line in _other_work(report):
        click.echo(line, err=True)
    if mates := report.pairs_of_mates:
        click.echo(f"Pairs not compared because they have one student or team: {mates:,}.", err=True)
    threshold = report.ranking.threshold
    if output_format == "table" and len(report.ranking.scores.similarity):
        click.echo(f"Suggested threshold {threshold.value:.2f}: {threshold.reason}.", err=True)


def _other_work(report: LocalReport) -> Iterator[str]:
    """Yield how much was compared that is not of the class."""
    if earlier := report.all_inputs.earlier:
        yield (
            f"Earlier work: {earlier} submission{'' if earlier == 1 else 's'}, compared with these and not "
            "with each other."
        )
    if solutions := report.all_inputs.solutions:
        yield f"Model solutions: {solutions}, compared with the class only, and counted nowhere."


def _skipped_lines(report: LocalReport, *, every_name: bool) -> Iterator[str]:
    """Yield what was not compared and why; without `every_name` many files with one reason take one line.

    Reasons are one if they differ only in brackets, such as `(at offset 4)`.
    """
    kinds: dict[tuple[str, str], list[SkippedInput]] = {}
    for skipped in report.skipped:
        noun = "folders" if skipped.name.endswith("/") else "files"
        kinds.setdefault((noun, skipped.reason.partition(" (")[0]), []).append(skipped)
    for (noun, reason), entries in kinds.items():
        if len(entries) > NAMED and not every_name:
            yield f"skipped {len(entries):,} {noun}, such as {entries[0].name}: {reason}"
        else:
            yield from (f"skipped {entry.name}: {entry.reason}" for entry in entries)
    if not every_name and any(len(entries) > NAMED for entries in kinds.values()):
        yield "(-v names each of them.)"


def _list_skipped(report: LocalReport, path: Path, *, every_name: bool) -> None:
    """List what was not compared; raise ClickException when nothing could be compared."""
    from moss.commands.table import printable

    for line in _skipped_lines(report, every_name=every_name):
        click.echo(printable(line), err=True)
    if report.shortfall:
        raise click.ClickException(f"{printable(str(path))}: {report.shortfall}")


def _render(report: LocalReport, output_format: str, path: Path) -> Iterable[str]:
    """Return the parts of the output, to be written one after the other."""
    from moss.check.pairs import pair_rows, pairs_table
    from submissions.matches.export_formats import FORMATS

    if output_format == "table":
        from moss.commands.table import pairs_text

        return pairs_text(pair_rows(report))
    if output_format == "html":
        from moss.check.outputs import standalone_report
        from submissions.pages.paper import standalone_html

        return [standalone_html(standalone_report(report, path.name))]
    write = FORMATS[output_format].write_table
    assert write is not None
    if output_format == "json":
        from moss.check.outputs import details_table

        return write(details_table(report))
    return write(pairs_table(report))


def _write(parts: Iterable[str], output: Path | None) -> None:
    try:
        if output:
            with output.open("w", encoding="utf-8") as file:
                file.writelines(parts)
        else:
            for part in parts:
                click.echo(part, nl=False)
    except BrokenPipeError:
        # The reader closed the pipe, as `| head` does; click then exits without a message.
        raise
    except OSError as error:
        destination = click.format_filename(output) if output else "standard output"
        raise click.ClickException(f"cannot write to {destination}: {error.strerror or error}") from error
