"""`moss check`: rank the submissions of a folder or an archive in the terminal; its options."""

from __future__ import annotations

import atexit
import gc
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, time, timedelta
from functools import partial, wraps
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from moss.compiling import PREPARING, READING, progress_bars
from submissions.intake.limits import outside_time

if TYPE_CHECKING:
    from moss.check.inputs import InputOptions
    from moss.check.rank import LocalReport, RankingOptions
    from submissions.intake.choices import Attempts
    from submissions.intake.left_out.patterns import FilePatterns
    from submissions.matches.standalone_content import Answer

EXCEL = "excel-"
# "table" is for the terminal; the others are in submissions.matches.file_formats.
OUTPUT_FORMATS = ("table", "csv", f"{EXCEL}en", f"{EXCEL}de", "json", "html", "jplag", "dolos")
# Pairs that are ranked where no number is given, and those of them that a terminal lists.
RANKED, LISTED = 250, 10
PREVIEW_FORMATS = ("table", "json")

# Objects that are made before Python searches for cyclic garbage; Python's default is 700.
GARBAGE_THRESHOLD = 100_000


class Listing(NamedTuple):
    """The format of an output, and how many pairs it lists: `show`, every pair, or what is usual."""

    output_format: str
    show: int | None
    every_pair: bool
    on_screen: bool

    @classmethod
    def of(cls, output_format: str, show: int | None, output: Path | None, *, every_pair: bool) -> Listing:
        is_screen = output_format == "table" and not output and _is_screen()
        return cls(output_format, show, every_pair, on_screen=is_screen)

    @property
    def most(self) -> int | None:
        """The highest number of pairs to list, None for all."""
        return None if self.every_pair else self.show or (LISTED if self.on_screen else RANKED)

    @property
    def ranked(self) -> int | None:
        """The highest number of pairs to rank, None for all; an answer counts them beyond those listed."""
        counted = RANKED if self.output_format == "table" else 1
        return None if self.every_pair else max(self.show or RANKED, counted)

    @property
    def of_each(self) -> bool:
        """True where only the pairs to read and the best pair of each submission are listed."""
        return self.output_format == "html" and not self.show and not self.every_pair


class InputPath(click.Path):
    """A regular file or a folder. Pipes and devices are refused: reading one could block for ever."""

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if not path.is_file() and not path.is_dir():
            self.fail(f"{click.format_filename(path)!r} is neither a regular file nor a folder.", param, ctx)
        return path


class LayoutKey(click.ParamType[str]):
    """The key of a layout, or `auto`, which becomes an empty string."""

    name = "layout"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from submissions.intake.layouts.registry import LAYOUTS

        if value and value != "auto" and value not in LAYOUTS:
            keys = ", ".join(LAYOUTS)
            self.fail(f"there is no layout {value!r}; choose auto or one of: {keys}.", param, ctx)
        return "" if value == "auto" else value


class DueDate(click.ParamType[datetime]):
    """A date, of which the whole day counts, or a time; without a zone it is of this machine's zone."""

    name = "date"

    def convert(self, value: str | datetime, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        if isinstance(value, datetime):
            return value
        due = outside_time(value)
        if due is None:
            self.fail(f"{value!r} is no date; write it as 2026-03-31 or 2026-03-31T23:59.", param, ctx)
        if len(value) <= len("2026-03-31") and due.time() == time.min:
            due += timedelta(days=1, microseconds=-1)
        return due if due.tzinfo else due.astimezone()


class Renaming(click.ParamType[tuple[str, str]]):
    """Two names with an equals sign between them."""

    name = "renaming"

    def convert(
        self, value: str | tuple[str, str], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        old, equals, new = value.partition("=")
        if not equals:
            self.fail(f"{value!r} has no equals sign; write OLD=NEW.", param, ctx)
        return old.strip(), new.strip()


class OutputPath(click.Path):
    """A file to write. A path that cannot be created is refused before the ranking starts."""

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        folder = click.format_filename(path.parent)
        # The methods of pathlib raise an error for a path in a folder that may not be searched.
        if not os.path.isdir(path.parent):  # noqa: PTH112
            self.fail(f"there is no folder {folder!r} that can be read.", param, ctx)
        if not os.path.exists(path) and not os.access(path.parent, os.W_OK | os.X_OK):  # noqa: PTH110
            self.fail(f"the folder {folder!r} is not writable.", param, ctx)
        return path


class NumberOrPercentage(click.ParamType[float]):
    """A number of submissions from 1 on, or a percentage of them, which becomes a part below 1."""

    name = "number"

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        digits, percentage = str(value).removesuffix("%"), str(value).endswith("%")
        highest = 99 if percentage else None
        if not digits.isdecimal() or int(digits) < 1 or (highest and int(digits) > highest):
            self.fail(f"{value!r} is neither a number from 1 on nor a percentage from 1% to 99%.", param, ctx)
        return int(digits) / 100 if percentage else float(digits)


def _language_patterns(context: click.Context, option: click.Parameter, lines: tuple[str, ...]) -> str:
    """Return the lines as `ChosenLanguages` takes them."""
    from submissions.intake.file_languages import check_language_patterns
    from submissions.intake.left_out.patterns import BadPatterns

    text = "\n".join(lines)
    try:
        check_language_patterns(text)
    except BadPatterns as error:
        raise click.BadParameter(str(error), context, option) from error
    return text


Decorated = TypeVar("Decorated", bound=Callable[..., Any] | click.Command)


def _several(names: tuple[str, ...], metavar: str, text: str, **attributes: Any) -> Callable[[Decorated], Decorated]:
    """Return an option that may be repeated, and whose help says so."""
    return click.option(*names, multiple=True, metavar=metavar, help=f"{text} May be repeated.", **attributes)


_OPTIONS = (
    click.option(
        "--layout",
        type=LayoutKey(),
        default="auto",
        show_default=True,
        metavar="LAYOUT",
        help="How PATH names the students: moodle, canvas, gradescope, folders, files and others. "
        "Default: recognised by the names in it.",
    ),
    click.option(
        "--depth",
        type=click.IntRange(min=0),
        metavar="N",
        help="Take each folder or file at depth N as a submission, instead of a layout: 0 for each file, "
        "1 for the folders in PATH, 2 for the folders in these. A folder around all files does not count.",
    ),
    click.option(
        "--attempts",
        type=click.Choice(["last", "all"]),
        default="last",
        show_default=True,
        help="Which attempts of a student count. Those of one student are not compared with each other.",
    ),
    click.option(
        "--due",
        type=DueDate(),
        metavar="DATE",
        help="Count the last attempt that was handed in by DATE, or the last one if all are late.",
    ),
    _several(("--split",), "NAME", "Split the submission NAME into the folders and files in it."),
    _several(
        ("--rename",), "OLD=NEW", "Call the submission OLD NEW; submissions of one name are merged.", type=Renaming()
    ),
    click.option(
        "--roster",
        type=InputPath(exists=True, dir_okay=False),
        metavar="FILE",
        help="A CSV file of the students with a header: names, ids, logins, e-mail addresses, teams. "
        "Submissions get the names in it; team mates are not compared with each other.",
    ),
    _several(
        ("--include",),
        "PATTERN",
        "Count files that match PATTERN, written as in .gitignore, although a rule would leave them "
        "out. @NAME counts all that the rule of this name leaves out.",
    ),
    _several(("--exclude",), "PATTERN", "Leave out files that match PATTERN, written as in .gitignore."),
    _several(("--only",), "PATTERN", "Compare only files that match PATTERN, written as in .gitignore: 'src/**'."),
    click.option(
        "--language-of",
        multiple=True,
        metavar="PATTERN=LANGUAGE",
        callback=_language_patterns,
        help="Read files that match PATTERN, written as in .gitignore, as LANGUAGE. May be repeated; "
        "of several that fit a file the last one decides.",
    ),
    click.option(
        "--partial", is_flag=True, help="Compare what can be read of an archive that is cut off or too large."
    ),
)


def _file_patterns(include: tuple[str, ...], exclude: tuple[str, ...], only: tuple[str, ...]) -> FilePatterns:
    from submissions.intake.left_out.patterns import FilePatterns, parse_patterns

    return FilePatterns(parse_patterns(include, include=True), parse_patterns(exclude), parse_patterns(only))


def input_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with these options, of which it gets the parameter `inputs`."""

    @wraps(command)
    def with_inputs(
        *args: Any,
        layout: str,
        depth: int | None,
        attempts: Attempts,
        due: datetime | None,
        split: tuple[str, ...],
        rename: tuple[tuple[str, str], ...],
        roster: Path | None,
        include: tuple[str, ...],
        exclude: tuple[str, ...],
        only: tuple[str, ...],
        language_of: str,
        partial: bool,
        **kwargs: Any,
    ) -> None:
        from moss.check.inputs import InputOptions
        from moss.commands.tables import printable
        from submissions.intake.choices import BadChoices, Choices
        from submissions.intake.rosters import Roster, RosterRefused, parse_roster

        try:
            choices = Choices(layout, depth, attempts, due, frozenset(split), dict(rename))
            patterns = _file_patterns(include, exclude, only)
            students = parse_roster(roster.read_bytes()) if roster else Roster()
        except BadChoices as error:
            raise click.UsageError(str(error)) from error
        except RosterRefused as error:
            raise click.ClickException(printable(f"{roster}: {error}")) from error
        except (ValueError, OSError) as error:
            raise click.ClickException(printable(str(error))) from error
        command(*args, inputs=InputOptions(patterns, partial, choices, students, language_of), **kwargs)

    for option in reversed(_OPTIONS):
        with_inputs = option(with_inputs)
    return with_inputs


def _only_path(_ctx: click.Context, _param: click.Parameter, paths: tuple[Path, ...]) -> Path:
    """Return the one path; refuse several, which a shell makes of a pattern such as *.java."""
    if len(paths) > 1:
        raise click.UsageError(
            f"PATH is one folder or archive; these are {len(paths):,} paths. Give the folder that they are "
            "in, and choose files with --only, as in: moss check FOLDER --only '*.java'."
        )
    return paths[0]


@click.command()
@click.argument("path", nargs=-1, required=True, metavar="PATH", type=InputPath(exists=True), callback=_only_path)
@click.option("-l", "--language", default="", help="Read every file as LANGUAGE. Default: detected for each file.")
@_several(
    ("-b", "--boilerplate"),
    "PATH",
    "Boilerplate: code that was handed out (a file, a folder or an archive), which is ignored everywhere.",
    type=InputPath(exists=True),
)
@_several(
    ("--statement", "statements"),
    "FILE",
    "The statement of the task, as plain text or Markdown: messages of its words, its numbers and its "
    "names say nothing.",
    type=InputPath(exists=True, dir_okay=False),
)
@_several(
    ("--solution", "solutions"),
    "PATH",
    "A model solution (a file, a folder or an archive), such as what a language model wrote: compared "
    "with those in PATH, and counted nowhere.",
    type=InputPath(exists=True),
)
@_several(
    ("--earlier",),
    "PATH",
    "Earlier or other work (a folder or an archive), such as the submissions of last year: compared "
    "with those in PATH, and not among itself.",
    type=InputPath(exists=True),
)
@click.option(
    "-m",
    "--common",
    type=NumberOrPercentage(),
    metavar="N",
    help="Ignore passages that are in more than N submissions as common code; N may be a percentage of "
    "them. Default: 50%, but at least 10; submissions that are alike count as one then.",
)
@click.option(
    "-n",
    "--show",
    "--top",
    type=click.IntRange(min=1),
    metavar="N",
    help="Highest number of pairs to list. Default: 10 in a terminal, those to read first; 250 in a file or "
    "a pipe; in HTML the pairs to read and the best of each submission.",
)
@input_options
@click.option("--preview", is_flag=True, help="Show who handed in what and what does not count, and compare nothing.")
@click.option("--all", "every_pair", is_flag=True, help="List every pair that shares a fingerprint.")
@click.option("-v", "--verbose", is_flag=True, help="Name each file that was skipped, and leave out no note.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(OUTPUT_FORMATS),
    help="Format of the output; default: csv, json or html if the name of its file ends so, else table. "
    "excel-en and excel-de are CSV for an Excel that separates lists by a comma or a semicolon; jplag and dolos "
    "are CSV with the columns of these tools.",
)
@click.option("-o", "--output", type=OutputPath(dir_okay=False, writable=True), help="Write the output to this file.")
@click.option("--open", "opens", is_flag=True, help="Write the pairs as HTML and open them in the browser.")
def check(  # noqa: PLR0917 - one parameter for each option
    path: Path,
    language: str,
    boilerplate: tuple[Path, ...],
    statements: tuple[Path, ...],
    solutions: tuple[Path, ...],
    earlier: tuple[Path, ...],
    common: float | None,
    show: int | None,
    inputs: InputOptions,
    preview: bool,  # noqa: FBT001 - a flag of the command line
    every_pair: bool,  # noqa: FBT001 - a flag of the command line
    verbose: bool,  # noqa: FBT001 - a flag of the command line
    output_format: str | None,
    output: Path | None,
    opens: bool,  # noqa: FBT001 - a flag of the command line
) -> None:
    """Rank all pairs of submissions in PATH by similarity.

    PATH is a folder or an archive (zip, tar.gz, 7z, rar): the export of a learning platform, or one with a
    file, folder or archive for each student. Code that tools generated, compiled or downloaded is left out,
    and listed with the reason. No server has to run, and no data leaves this machine. With fewer than two
    readable submissions the command fails.
    """
    _collect_rarely()
    from moss.check.rank import RankingOptions

    output = output or (_page_path(path) if opens else None)
    usual = "html" if opens else output_format or _usual_format(output, is_preview=preview)
    listing = Listing.of(usual, show, output, every_pair=every_pair)
    with _refusing():
        if preview:
            _write(_render_preview(path, inputs, usual), output)
            return
        options = RankingOptions(language, boilerplate, common, listing.ranked, inputs)
        options = replace(options, earlier=earlier, statements=statements, solutions=solutions)
        report = _rank(path, replace(options, of_each=listing.of_each))
    _write_report(report, listing, path, output, verbose=verbose)
    if opens and output:
        _open(output)


@contextmanager
def _refusing() -> Iterator[None]:
    """Raise what says why a path or an option cannot be used as an error of the command."""
    from moss.commands.tables import printable

    try:
        yield
    except (ValueError, OSError) as error:
        raise click.ClickException(printable(str(error))) from error


def _is_screen() -> bool:
    return sys.stdout.isatty()


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
    from moss.commands.tables import preview_text

    if output_format not in PREVIEW_FORMATS:
        raise click.UsageError("A preview is a table or JSON; use --format table or --format json.")
    preview = preview_path(path, inputs)
    if output_format == "table":
        return [preview_text(preview)]
    return [json.dumps(preview.to_json(), indent=2, ensure_ascii=False) + "\n"]


def _write_report(report: LocalReport, listing: Listing, path: Path, output: Path | None, *, verbose: bool) -> None:
    """Write the answer, the pairs and then the notes; answer and notes go to the error stream."""
    from moss.check.outputs import answer_of, read_or_best
    from moss.commands.tables import fitting, notes, printable

    answer = answer_of(report) if listing.output_format in {"table", "html"} else None
    listed = len(read_or_best(report, answer)) if answer and listing.of_each else listing.most
    is_by_answer = listing.on_screen or listing.output_format == "html"
    lines = answer.lines(listed if is_by_answer else 0) if answer else []
    for line in lines:
        click.echo(printable(line), err=True)
    if not report.shortfall or listing.output_format != "table":
        parts = _render(report, listing, answer, path)
        if listing.on_screen:
            lines += (parts := list(parts))
        _write(parts, output)
    below = notes(report, answer.more(listed) if answer else "", every_name=verbose)
    for line in fitting(below, lines) if listing.on_screen and not verbose else below:
        click.echo(printable(line), err=True)
    if report.shortfall:
        raise click.ClickException(f"{printable(str(path))}: {report.shortfall}")


def _render(report: LocalReport, listing: Listing, answer: Answer | None, path: Path) -> Iterable[str]:
    """Return the parts of the output, to be written one after the other."""
    from moss.check.outputs import details_table, foreign_table, pair_rows, pairs_table
    from submissions.matches.file_formats import excel_form, write_csv, write_json

    match listing.output_format:
        case "table":
            from moss.commands.tables import pairs_text

            assert answer is not None
            rows = answer.rows if listing.on_screen else pair_rows(report)
            return pairs_text(islice(rows, listing.most), on_screen=listing.on_screen)
        case "html":
            return [_page(report, listing, answer, path)]
        case "csv":
            return write_csv(pairs_table(report))
        case "jplag" | "dolos" as tool:
            return write_csv(foreign_table(report, tool))
        case "json":
            return write_json(details_table(report))
        case excel:
            return write_csv(pairs_table(report), excel_form(excel.removeprefix(EXCEL)))


def _page(report: LocalReport, listing: Listing, answer: Answer | None, path: Path) -> str:
    """Return the HTML page; write to the error stream what it leaves out."""
    from moss.check.outputs import standalone_report
    from moss.commands.tables import printable
    from submissions.pages.paper import standalone_html

    content = standalone_report(report, printable(path.name), answer, listing.most, of_each=listing.of_each)
    page = standalone_html(content)
    if page.left_out:
        click.echo(page.left_out, err=True)
    return page.html


def _page_path(path: Path) -> Path:
    """Return where a page is written that is opened: the current folder, or the user's, but not in `path`."""
    here, name = Path.cwd(), f"moss-{path.resolve().stem}.html"
    is_usable = os.access(here, os.W_OK) and not here.is_relative_to(path.resolve())
    return (here if is_usable else Path.home()) / name


def _open(page: Path) -> None:
    import webbrowser

    click.echo(f"The page is {click.format_filename(page.resolve())}.", err=True)
    if not webbrowser.open(page.resolve().as_uri()):
        click.echo("No browser can be started here: open it yourself.", err=True)


def _usual_format(output: Path | None, *, is_preview: bool) -> str:
    ending = output.suffix.lower().removeprefix(".") if output else ""
    return ending if ending in (PREVIEW_FORMATS if is_preview else ("csv", "json", "html")) else "table"


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
