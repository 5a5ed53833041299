"""`moss student`: everything that is stored of one student, its export and its erasure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from moss.commands import caller, start_django

if TYPE_CHECKING:
    from collections.abc import Iterable

    from submissions.students.finding import Decided, Near
    from submissions.students.scope import Scope

COURSES = click.option(
    "--course", "courses", type=int, multiple=True, help="Only this course, by its number; several times."
)
SAME = click.option(
    "--same",
    multiple=True,
    help="A similar name of `find` that is this student's, by its key; several times.",
)
OTHERS = click.option(
    "--others-are-not", "others", is_flag=True, help="All other similar names are somebody else's."
)
REASON = click.option("--reason", required=True, help="Why, for the audit log and the receipt.")


@click.group(short_help="Export or erase everything that is stored of one student.")
def student() -> None:
    """Find, export or erase one student over all courses, by the name or an id that submissions carry."""


@student.command()
@click.argument("name_or_id")
@COURSES
def find(name_or_id: str, courses: tuple[int, ...]) -> None:
    """Show what is stored of a student, by course."""
    start_django()
    _show_similar(_near(name_or_id))
    _show(_scope(name_or_id, courses))


@student.command()
@click.argument("name_or_id")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@REASON
@COURSES
@SAME
@OTHERS
def export(
    name_or_id: str,
    file: Path,
    reason: str,
    courses: tuple[int, ...],
    same: tuple[str, ...],
    *,
    others: bool,
) -> None:
    """Write a student's files and every row about the student to FILE, a zip file."""
    start_django()
    from submissions.students.exporting import note_export, write_export

    work = _decided_scope(name_or_id, courses, same, others=others)
    try:
        with file.open("xb") as target:
            rows = write_export(work, target)
    except FileExistsError as error:
        raise click.ClickException(f"{file} exists: name another file.") from error
    file.chmod(0o600)
    note_export(work, caller("student"), reason)
    click.echo(f"{file}: {rows:,} rows, and the files of {len(work.submissions):,} submissions.")


@student.command()
@click.argument("name_or_id")
@REASON
@COURSES
@SAME
@OTHERS
@click.option("--yes", is_flag=True, help="Do not ask.")
def erase(
    name_or_id: str,
    reason: str,
    courses: tuple[int, ...],
    same: tuple[str, ...],
    *,
    others: bool,
    yes: bool,
) -> None:
    """Erase a student: submissions, pairs, decisions, names in texts. This cannot be undone."""
    start_django()
    from submissions.students.erasing import ask_for_erasure
    from submissions.students.scope import NotFound
    from submissions.work.running import run_here

    work = _decided_scope(name_or_id, courses, same, others=others)
    _show(work)
    if not yes:
        click.confirm("Erase this student?", abort=True)
    try:
        erasure = ask_for_erasure(work, caller("student"), reason)
    except NotFound as error:
        raise click.ClickException(str(error)) from error
    run_here("erase_student", erasure.pk)
    erasure.refresh_from_db()
    if erasure.state != erasure.State.DONE:
        raise click.ClickException(erasure.message)
    removed, changed = (sum(erasure.result[part].values()) for part in ("removed", "changed"))
    click.echo(f"Receipt {erasure.pk}: {removed:,} rows removed, {changed:,} rows changed.")
    for left in erasure.result["left"]:
        click.echo(f"Left in {left['course']}: {left['rows']:,} entries, because {left['why']}.")
    click.echo("Backups from before still have this student: see docs/do/backup.md.")


def _decided_scope(
    name_or_id: str, courses: tuple[int, ...], same: tuple[str, ...], *, others: bool
) -> Scope:
    """Return the scope of a student with a decision on all similar names, or fail with those without."""
    from submissions.students.finding import Decided

    near = _near(name_or_id)
    if unknown := set(same) - {match.key for match in near}:
        raise click.ClickException(f"No similar name is called {', '.join(sorted(unknown))}.")
    different = {match.key for match in near if others} - set(same)
    work = _scope(name_or_id, courses, Decided.of(near, same, different))
    if work.undecided:
        _show_similar(work.undecided)
        raise click.ClickException(
            "Name those that are this student's with --same, and say --others-are-not of the rest."
        )
    return work


def _near(name_or_id: str) -> list[Near]:
    from submissions.students.finding import find, near_matches

    return near_matches(name_or_id, find(name_or_id))


def _show_similar(matches: Iterable[Near]) -> None:
    for match in matches:
        places = ", ".join(match.places) or "roster"
        name = " ".join(filter(None, (match.name, match.identifier)))
        click.echo(f"Similar: {match.key}  {match.course.name} / {places}: {name}")


def _scope(name_or_id: str, courses: tuple[int, ...], decided: Decided | None = None) -> Scope:
    from submissions.students.scope import NotFound, scope

    try:
        return scope(name_or_id, courses or None, decided)
    except NotFound as error:
        raise click.ClickException(str(error)) from error


def _show(work: Scope) -> None:
    for one in work.chosen:
        figures = ", ".join(f"{number:,} {kind}" for kind, number in work.figures(one).items() if number)
        names = "; ".join(sorted({*one.names, *one.ids}))
        click.echo(f"{one.course.pk}  {one.course.name}: {names}: {figures}")
        if one.same_names:
            click.echo(f"   {one.same_names:,} other submissions have this name with another id.")
    for assignment in work.held:
        click.echo(f"Held, and kept: {assignment.course.name} / {assignment.name} ({assignment.hold})")
    if work.shared:
        click.echo(f"{len(work.shared):,} submissions of groups stay, without this student.")
