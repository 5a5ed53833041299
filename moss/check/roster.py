"""The roster of a class beside its submissions: real names, teams, and who is in only one of the two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from submissions.intake.archives.grouping_warnings import GroupingWarning, listed
from submissions.intake.layouts.places import Student
from submissions.intake.rosters import Roster, RosterRefused, parse_roster, team_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from submissions.intake.archives.regrouping import GroupedSubmission

NO_ROSTER = Roster()
# Problems of a roster that are listed; the others are counted.
LISTED_PROBLEMS = 10


def read_roster(file: Path) -> Roster:
    """Return the roster in a CSV file.

    Raises
    ------
    RosterRefused
        When the file is no roster; the message names it.
    OSError
        When it cannot be read.
    """
    try:
        return parse_roster(file.read_bytes())
    except RosterRefused as error:
        raise RosterRefused(f"{file}: {error}") from error


def identify_with(roster: Roster) -> Callable[[Student], Student] | None:
    """Return a function that returns a student as the roster knows her, or as she is; None for no roster."""
    if not roster.students:
        return None

    def identify(student: Student) -> Student:
        row = roster.find(student)
        return Student(row.display_name, next(iter(row.ids), student.identifier)) if row else student

    return identify


def roster_warnings(
    roster: Roster, submissions: Mapping[str, GroupedSubmission]
) -> Iterator[GroupingWarning]:
    """Yield the problems of a roster, whom it does not know, and who handed in nothing."""
    problems = [str(problem) for problem in roster.problems]
    for text in problems[:LISTED_PROBLEMS]:
        yield GroupingWarning("roster", f"Roster: {text}")
    if len(problems) > LISTED_PROBLEMS:
        yield GroupingWarning("roster", f"Roster: {len(problems) - LISTED_PROBLEMS} more problems.")
    if not roster.students:
        return
    rows = {student: roster.find(student) for one in submissions.values() for student in one.students}
    unknown = [
        f"{one.name} ({one.identifier})" if one.identifier else one.name for one in rows if not rows[one]
    ]
    if unknown:
        yield GroupingWarning(
            "roster-unknown", f"Students whom the roster does not know ({len(unknown)}): {listed(unknown)}."
        )
    absent = {row.display_name for row in roster.students} - {
        row.display_name for row in rows.values() if row
    }
    if absent:
        yield GroupingWarning(
            "roster-absent",
            f"Students of the roster who handed in nothing ({len(absent)}): {listed(absent)}.",
        )


def team_of(roster: Roster, student: Student) -> str:
    """Return what tells the team of a student from others; empty if none is known."""
    row = roster.find(student) if roster.students else None
    return team_key(row.section, row.team) if row else ""
