"""The options of `moss check` that say which files are read, and how they are grouped into submissions."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from moss.commands.parameter_types import DueDate, InputPath, LayoutKey, Renaming

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from submissions.intake.choices import Attempts


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
    click.option(
        "--split",
        multiple=True,
        metavar="NAME",
        help="Split the submission NAME into the folders and files in it. May be repeated.",
    ),
    click.option(
        "--rename",
        type=Renaming(),
        multiple=True,
        metavar="OLD=NEW",
        help="Call the submission OLD NEW; submissions of one name are merged. May be repeated.",
    ),
    click.option(
        "--roster",
        type=InputPath(exists=True, dir_okay=False),
        metavar="FILE",
        help="A CSV file of the students with a header: names, ids, logins, e-mail addresses, teams. "
        "Submissions get the names in it; team mates are not compared with each other.",
    ),
    click.option(
        "--include",
        multiple=True,
        metavar="PATTERN",
        help="Count files that match PATTERN, written as in .gitignore, although a rule would leave them "
        "out. @NAME counts all that the rule of this name leaves out. May be repeated.",
    ),
    click.option(
        "--exclude",
        multiple=True,
        metavar="PATTERN",
        help="Leave out files that match PATTERN, written as in .gitignore. May be repeated.",
    ),
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
        language_of: str,
        partial: bool,
        **kwargs: Any,
    ) -> None:
        from moss.check.inputs import InputOptions
        from moss.commands.table import printable
        from submissions.intake.choices import BadChoices, Choices
        from submissions.intake.left_out.patterns import FilePatterns, parse_patterns
        from submissions.intake.rosters import Roster, RosterRefused, parse_roster

        try:
            choices = Choices(layout, depth, attempts, due, frozenset(split), dict(rename))
            patterns = FilePatterns(parse_patterns(include, include=True), parse_patterns(exclude))
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
