"""Read the students of a roster, and list the problems of its rows."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from submissions.intake import roster_sentences as sentences
from submissions.intake.layouts.fields import natural_name
from submissions.intake.rosters.columns import MAX_SHOWN, Column, columns_of, unused_headers
from submissions.intake.rosters.roster import Roster, RosterProblem, RosterStudent, id_key
from submissions.intake.rosters.table import read_table
from submissions.intake.warning_sentences import MORE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from submissions.intake.rosters.table import Row, Table

    Columns = dict[Column, list[int]]

# Roles that platforms write of people who hand in nothing.
STAFF = ("instructor", "teacher", "non-editing teacher", "ta", "teaching assistant", "reader", "grader",
         "observer", "designer", "course designer", "course builder",
         "manager", "dozent", "tutor")  # fmt: skip
# Canvas has the largest number of points in a row of its own.
NO_STUDENTS = ("points possible",)


def parse_roster(data: bytes) -> Roster:
    """Read a roster from a CSV file; what is wrong with its rows is listed, and the other rows count.

    Raises
    ------
    RosterRefused
        For a file that is too large, is no text, or has no column that says who the students are.
    """
    table = read_table(data)
    columns = columns_of(table.header)
    read = {row.line: _student(row.cells, columns) for row in table.rows if not _is_staff(row, columns)}
    problems = [*_row_problems(table, columns, read), *_repeated(read), *_shared_ids(read)]
    students = dict.fromkeys(student for student in read.values() if student)
    return Roster(tuple(students), (*_file_problems(table, columns), *sorted(problems)))


def _cells(row: list[str], columns: Columns, meaning: Column) -> list[str]:
    """Return the filled cells of a row with this meaning."""
    return [row[index] for index in columns.get(meaning, ()) if index < len(row) and row[index]]


def _student(row: list[str], columns: Columns) -> RosterStudent | None:
    """Return the student of a row; None where it has no name and no id."""

    def first(meaning: Column) -> str:
        return next(iter(_cells(row, columns, meaning)), "")

    ids, logins, emails = (
        _cells(row, columns, meaning) for meaning in (Column.IDENTIFIER, Column.LOGIN, Column.EMAIL)
    )
    name = natural_name(f"{first(Column.LAST)}, {first(Column.FIRST)}") or _one_name(first(Column.NAME))
    if not (name or ids or logins or emails) or name.casefold() in NO_STUDENTS:
        return None
    return RosterStudent(
        name or _name_among(ids),
        next(iter(ids), ""),
        next(iter(logins), ""),
        next(iter(emails), ""),
        first(Column.SECTION),
        first(Column.TEAM),
        tuple(dict.fromkeys((*ids[1:], *logins[1:], *emails[1:]))),
    )


def _one_name(name: str) -> str:
    return natural_name(name) if "," in name else name


def _name_among(ids: list[str]) -> str:
    """Return the first id that is a name: instructors use names as the identifiers of GitHub Classroom."""
    return next((_one_name(one) for one in ids if " " in one and "@" not in one), "")


def _is_staff(row: Row, columns: Columns) -> bool:
    roles = [role.casefold() for role in _cells(row.cells, columns, Column.ROLE)]
    return bool(roles) and all(role in STAFF for role in roles)


def _file_problems(table: Table, columns: Columns) -> Iterator[RosterProblem]:
    if unused := unused_headers(table.header):
        names = ", ".join(f"“{header}”" for header in unused[:MAX_SHOWN])
        if len(unused) > MAX_SHOWN:
            names = MORE.format(names=names, n=f"{len(unused) - MAX_SHOWN:,}")
        yield RosterProblem(0, sentences.UNUSED_COLUMNS.format(names=names))
    staff = sum(_is_staff(row, columns) for row in table.rows)
    if staff:
        yield RosterProblem(0, sentences.STAFF_LEFT_OUT.format(rows=f"{staff:,}"))


def _row_problems(
    table: Table, columns: Columns, read: dict[int, RosterStudent | None]
) -> Iterator[RosterProblem]:
    for row in table.rows:
        if not row.quoted_well:
            yield RosterProblem(row.line, sentences.BAD_QUOTES)
        if row.line in read and read[row.line] is None and not _is_no_student(row, columns):
            yield RosterProblem(row.line, sentences.NOBODY)


def _is_no_student(row: Row, columns: Columns) -> bool:
    return any(cell.casefold() in NO_STUDENTS for cell in _cells(row.cells, columns, Column.NAME))


def _repeated(read: dict[int, RosterStudent | None]) -> Iterator[RosterProblem]:
    first: dict[RosterStudent, int] = {}
    for line, student in read.items():
        if student and (earlier := first.setdefault(student, line)) != line:
            yield RosterProblem(line, sentences.SAME_AS.format(line=f"{earlier:,}"))


def _shared_ids(read: dict[int, RosterStudent | None]) -> Iterator[RosterProblem]:
    """Yield a problem for each id of several students: nobody is found by it."""
    users: dict[str, dict[RosterStudent, int]] = defaultdict(dict)
    for line, student in read.items():
        if student:
            for one in student.ids:
                users[id_key(one)].setdefault(student, line)
    for key, lines in users.items():
        if len(lines) > 1:
            first, *others = sorted(lines.values())
            yield RosterProblem(first, _shared_id(key, [f"{line:,}" for line in others]))


def _shared_id(key: str, lines: Sequence[str]) -> str:
    if len(lines) == 1:
        return sentences.SHARED_ID.format(id=key, line=lines[0])
    listed = ", ".join(lines[:MAX_SHOWN]) + (" and others" if len(lines) > MAX_SHOWN else "")
    return sentences.OFTEN_SHARED_ID.format(id=key, lines=listed)
