"""Rosters: the students of a course from a CSV file that a platform or an instructor wrote. No Django here.

Rows are read in whatever encoding, with whatever separator and however badly quoted. Headers give the
columns their meaning. Students are found by a name, an id, a login or an e-mail address.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from fingerprint.engine import decode
from submissions.intake import sentences
from submissions.intake.entries import normalised, replace_invisible, without_accents
from submissions.intake.layouts.fields import natural_name
from submissions.intake.layouts.places import Student
from submissions.intake.sentences import MORE

__all__ = ["Roster", "RosterProblem", "RosterRefused", "RosterStudent", "parse_roster", "team_key"]

MAX_SHOWN = 8

MAX_BYTES = 5_000_000
MAX_ROWS = 20_000
SEPARATORS = (",", ";", "\t")
# Rows in which the header is looked for: titles, dates and the like may precede it.
HEADER_ROWS = 10
# Lines that a quoted cell has at most; in a longer one, a quote is missing.
QUOTED_LINES = 20
# Characters of a cell that are kept, as many as the name of a submission has.
MAX_CELL = 400
CONSTANT = re.compile(r'="([^"]*)"')

# A key that several students have finds none of them.
SEVERAL = -1

# Roles that platforms write of people who hand in nothing.
STAFF = ("instructor", "teacher", "non-editing teacher", "ta", "teaching assistant", "reader", "grader",
         "observer", "designer", "course designer", "course builder",
         "manager", "dozent", "tutor")  # fmt: skip
# Canvas has the largest number of points in a row of its own.
NO_STUDENTS = ("points possible",)


class RosterRefused(ValueError):
    """A file cannot be read as a roster; the message says why, and what to do."""


class Column(StrEnum):
    IDENTIFIER = "id"
    LOGIN = "login"
    EMAIL = "email"
    NAME = "name"
    FIRST = "first name"
    LAST = "last name"
    SECTION = "section"
    TEAM = "team"
    ROLE = "role"


Columns = dict[Column, list[int]]


# If several columns have one meaning, the column whose header comes first here is shown.
_HEADERS = {
    Column.IDENTIFIER: """
        student id, student number, sid, sis user id, sis id, id number, matriculation number,
        matriculation, matriculation no, matriculation id, org defined id, university id,
        matrikelnummer, matrikelnr, matrikel, matr nr, numéro d'étudiant, numéro d'identification,
        número de id, dni, uin, eid, student no, student nr, user id, canvas user id, integration id,
        roster identifier, identifier, github id, external id, id
    """,
    Column.LOGIN: """
        login, login id, sis login id, username, user name, user, net id, account, anmeldename,
        benutzername, nutzername, nom d'utilisateur, nombre de usuario, github username, github login,
        github, gitlab username, gitlab, kennung, uni id, unix id, cas id
    """,
    Column.EMAIL: """
        email, e-mail, email address, e-mail address, mail, e-mail-adresse, mailadresse, adresse de
        courriel, courriel, correo, correo electrónico, dirección de correo, dirección email, student
        email, school email
    """,
    Column.NAME: """
        name, full name, student name, student, display name, complete name, vollständiger name, nom
        complet, nombre completo, sortable name, participant
    """,
    Column.FIRST: """
        first name, firstname, given name, given names, forename, forenames, first, vorname, prénom,
        nombre
    """,
    Column.LAST: """
        last name, lastname, surname, family name, last, nachname, familienname, nom, nom de famille,
        apellido, apellidos, apellido(s)
    """,
    Column.SECTION: """
        section, sections, section name, group, groups, class, gruppe, gruppen, groupe, groupes, grupo,
        grupos, tutorial
    """,
    Column.TEAM: """
        team, team name, teams, group name, project group, project team, abgabegruppe, équipe, equipo
    """,
    Column.ROLE: """
        role, roles, rolle, rollen, rôle, rol
    """,
}
WHO = (Column.IDENTIFIER, Column.LOGIN, Column.EMAIL, Column.NAME, Column.FIRST, Column.LAST)


def _header_key(header: str) -> str:
    """Return the letters of a header, without case, accents, spaces and punctuation."""
    return re.sub(r"[\W_]", "", without_accents(header.casefold()))


_RANKED = {
    _header_key(header): (meaning, rank)
    for meaning, headers in _HEADERS.items()
    for rank, header in enumerate(headers.split(","))
}


def columns_of(header: list[str]) -> dict[Column, list[int]]:
    """Return the indexes of the columns of each meaning, the column to be shown first.

    A last name without a column of first names is a whole name, and so is a first name.
    """
    ranked: dict[Column, list[tuple[int, int]]] = {}
    for index, cell in enumerate(header):
        if (key := _header_key(cell)) in _RANKED:
            meaning, rank = _RANKED[key]
            ranked.setdefault(meaning, []).append((rank, index))
    columns = {meaning: [index for _, index in sorted(pairs)] for meaning, pairs in ranked.items()}
    for one, other in ((Column.FIRST, Column.LAST), (Column.LAST, Column.FIRST)):
        if one in columns and other not in columns:
            columns[Column.NAME] = columns.get(Column.NAME, []) + columns.pop(one)
    return columns


def is_header(row: list[str]) -> bool:
    """Return whether a row names a column that tells students apart, and has no e-mail address or number."""
    values = any("@" in cell or cell.strip().isdecimal() for cell in row)
    return not values and any(meaning in WHO for meaning in columns_of(row))


def refuse_header(row: list[str]) -> RosterRefused:
    """Return the error for a file whose first row is `row`, in which no column is understood."""
    present = ", ".join(f"“{cell[:40]}”" for cell in row[:MAX_SHOWN] if cell) or "nothing"
    understood = "; ".join(
        f"for the {meaning}: {', '.join(' '.join(header.split()) for header in headers.split(',')[:4])}"
        for meaning, headers in _HEADERS.items()
        if meaning in WHO
    )
    return RosterRefused(sentences.NO_STUDENTS.format(cells=present, understood=understood))


class Row(NamedTuple):
    """The cells of a row, the number of its first line, and whether its quotes could be read."""

    line: int
    cells: list[str]
    quoted_well: bool = True


class Table(NamedTuple):
    """The header of a file, and the rows after it that are not empty."""

    header: list[str]
    rows: list[Row]


def read_table(data: bytes) -> Table:
    """Return the table in a CSV file.

    Raises RosterRefused for a file that is too large, is no text, or has no row that names a column of students.
    """
    lines = re.split(r"\r\n|\r|\n", _decode(data))
    separator, header_line = _header(lines)
    rows: list[Row] = []
    for row in read_rows(lines, separator, header_line):
        if any(row.cells):
            rows.append(row)
        if len(rows) > MAX_ROWS + 1:
            raise RosterRefused(sentences.MANY_ROWS.format(rows=f"{MAX_ROWS:,}"))
    return Table(rows[0].cells, rows[1:])


def check_size(size: int) -> None:
    """Raise RosterRefused for a file of more than MAX_BYTES bytes."""
    if size > MAX_BYTES:
        raise RosterRefused(sentences.MANY_BYTES.format(bytes=f"{size:,}", most=f"{MAX_BYTES:,}"))


def _decode(data: bytes) -> str:
    check_size(len(data))
    try:
        return decode(data).text
    except ValueError as error:
        raise RosterRefused(sentences.UNREADABLE.format(error=error)) from error


def _header(lines: list[str]) -> tuple[str, int]:
    """Return the separator by which most columns are understood, and the index of the header's line."""
    best: tuple[int, int, str, int] | None = None
    for order, separator in enumerate(SEPARATORS):
        for number, row in enumerate(_first_rows(lines, separator)):
            if is_header(row.cells):
                understood = sum(map(len, columns_of(row.cells).values()))
                candidate = (-understood, number * len(SEPARATORS) + order, separator, row.line - 1)
                best = min(best or candidate, candidate)
    if best is None:
        separator = max(SEPARATORS, key=lambda one: len(next(_first_rows(lines, one), Row(1, [])).cells))
        raise refuse_header(next(_first_rows(lines, separator), Row(1, [])).cells)
    return best[2], best[3]


def _first_rows(lines: list[str], separator: str) -> Iterator[Row]:
    first = lines[: HEADER_ROWS * QUOTED_LINES]
    filled = (row for row in read_rows(first, separator) if any(row.cells))
    return (row for row, _ in zip(filled, range(HEADER_ROWS), strict=False))


def read_rows(lines: list[str], separator: str, start: int = 0) -> Iterator[Row]:
    """Yield the rows of `lines` from the index `start` on; a broken quote costs only its own line."""
    index = start
    while index < len(lines):
        cells, used, quoted_well = _row_at(lines, index, separator)
        yield Row(index + 1, [_clean(cell) for cell in cells], quoted_well)
        index += used


def _row_at(lines: list[str], index: int, separator: str) -> tuple[list[str], int, bool]:
    """Return the cells of the row at `index`, the number of its lines, and whether its quotes are right."""
    if '"' not in lines[index]:
        return lines[index].split(separator), 1, True
    quotes = 0
    for used, line in enumerate(lines[index : index + QUOTED_LINES], 1):
        quotes += line.count('"')
        if quotes % 2 == 0:
            if cells := _parse("\n".join(lines[index : index + used]), separator):
                return cells, used, True
            break
    if cells := _parse(lines[index], separator):
        return cells, 1, True
    return [cell.strip().strip('"') for cell in lines[index].split(separator)], 1, False


def _parse(text: str, separator: str) -> list[str] | None:
    """Return the cells of a row; None where `text` is several rows, or none that is well quoted."""
    try:
        source = io.StringIO(text, newline="")
        rows = list(csv.reader(source, delimiter=separator, strict=True, skipinitialspace=separator != "\t"))
    except csv.Error:
        return None
    return rows[0] if len(rows) == 1 else None


def _clean(cell: str) -> str:
    """Return the text of a cell; spreadsheets write `="00042"` for digits that are text."""
    text = " ".join(cell.split())
    text = text if text.isprintable() else replace_invisible(text)
    constant = CONSTANT.fullmatch(text)
    return (constant[1] if constant else text).strip()[:MAX_CELL]


class RosterStudent(NamedTuple):
    """A student of a roster; empty where the roster does not say.

    `identifier` is the id that is shown, `other_ids` are further ids and logins that the platforms use.
    """

    name: str
    identifier: str = ""
    login: str = ""
    email: str = ""
    section: str = ""
    team: str = ""
    other_ids: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """All ids, logins and e-mail addresses."""
        known = (self.identifier, self.login, self.email, *self.other_ids)
        return tuple(dict.fromkeys(one for one in known if one))

    @property
    def display_name(self) -> str:
        return self.name or self.login or self.email or self.identifier


class RosterProblem(NamedTuple):
    """A problem of a line of the file, numbered from 1; `line` is 0 for the file as a whole."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"Line {self.line:,}: {self.message}" if self.line else self.message


@dataclass(frozen=True)
class Roster:
    """The students of a course. The indexes are built once, in time linear in the number of students."""

    students: tuple[RosterStudent, ...] = ()
    problems: tuple[RosterProblem, ...] = field(default=(), compare=False)

    def find(self, student: Student) -> RosterStudent | None:
        """Return the student of the roster whom a platform calls by this name and identifier, or None.

        An id counts before a name. Exact ids count before ids without their leading zeros, and these before
        the first part of an e-mail address. A key that several students have finds nobody, so that nobody is
        taken for another. A name may be a login, as folders of students have.
        """
        for index, key in self._lookups(student):
            if key and (row := index.get(key, SEVERAL)) != SEVERAL:
                return self.students[row]
        return None

    def identify(self, student: Student) -> Student:
        """Return a student by the name and the first id of the roster, or as a platform calls her."""
        row = self.find(student)
        return Student(row.display_name, next(iter(row.ids), student.identifier)) if row else student

    def team_of(self, student: Student) -> str:
        """Return what tells the team of a student from others; empty if none is known."""
        row = self.find(student) if self.students else None
        return team_key(row.section, row.team) if row else ""

    def absent(self, students: Collection[Student]) -> list[RosterStudent]:
        """Return the students of the roster who are not among `students`, in its order."""
        present = set(map(self.find, students))
        return [row for row in self.students if row not in present]

    def _lookups(self, student: Student) -> Iterator[tuple[dict[str, int], str]]:
        """Yield indexes, and the keys to look up in them, the most certain first."""
        for text in (student.identifier, student.name):
            key = id_key(text)
            yield self._by_id, key
            yield self._by_number, _unpadded(key)
            yield self._by_local_part, key
            yield self._by_id, _local_part(key)
            yield self._by_local_part, _local_part(key)
        yield self._by_name, name_key(student.name)
        yield self._by_letters, _letters(student.name)

    @cached_property
    def _by_id(self) -> dict[str, int]:
        return self._index((row, id_key(one)) for row, student in self._rows for one in student.ids)

    @cached_property
    def _by_number(self) -> dict[str, int]:
        return self._index((row, _unpadded(id_key(one))) for row, student in self._rows for one in student.ids)

    @cached_property
    def _by_local_part(self) -> dict[str, int]:
        return self._index((row, _local_part(id_key(one))) for row, student in self._rows for one in student.ids)

    @cached_property
    def _by_name(self) -> dict[str, int]:
        return self._index((row, name_key(student.name)) for row, student in self._rows)

    @cached_property
    def _by_letters(self) -> dict[str, int]:
        return self._index((row, letters) for row, student in self._rows for letters in _orders(student.name))

    @property
    def _rows(self) -> Iterable[tuple[int, RosterStudent]]:
        return enumerate(self.students)

    @staticmethod
    def _index(keys: Iterable[tuple[int, str]]) -> dict[str, int]:
        index: dict[str, int] = {}
        for row, key in keys:
            if key:
                index[key] = row if index.get(key, row) == row else SEVERAL
        return index


def team_key(section: str, team: str) -> str:
    """Return what tells a team from others: sections number theirs each from 1. Empty for no team."""
    return f"{name_key(section)}/{name_key(team)}" if team.strip() else ""


def id_key(text: str) -> str:
    """Return a key that is equal for ids that differ only in case; Brightspace puts a # before them."""
    return normalised("NFKC", text).casefold().strip().removeprefix("#")


def name_key(name: str) -> str:
    """Return a key that is equal for names that differ only in case, spaces, and `Popescu, Bruno`."""
    last, comma, first = normalised("NFKC", name).casefold().partition(",")
    return " ".join(f"{first} {last}".split() if comma else last.split())


def _letters(name: str) -> str:
    """Return the letters and digits of a name without accents, as Canvas writes `popescubruno`."""
    decomposed = normalised("NFKD", name.casefold())
    return "".join(char for char in decomposed if char.isalnum())


def _orders(name: str) -> set[str]:
    """Return the letters of a name as written, with the last word first, and with the first word last."""
    words = [letters for word in re.split(r"[\s,]+", name_key(name)) if (letters := _letters(word))]
    return {"".join(words), "".join(words[-1:] + words[:-1]), "".join(words[1:] + words[:1])} - {""}


def _unpadded(key: str) -> str:
    """Return a number without leading zeros; empty for any other id."""
    return (key.lstrip("0") or "0") if key.isascii() and key.isdigit() else ""


def _local_part(key: str) -> str:
    """Return the part of an e-mail address before the @; empty for any other id."""
    local, at, host = key.rpartition("@")
    return local if at and host else ""


def parse_roster(data: bytes) -> Roster:
    """Read a roster from a CSV file; what is wrong with its rows is listed, and the other rows count.

    Raises RosterRefused for a file that is too large, is no text, or has no column that says who the students are.
    """
    table = read_table(data)
    columns = columns_of(table.header)
    read = {row.line: _student(row.cells, columns) for row in table.rows if not _is_staff(row, columns)}
    problems = [*_row_problems(table, columns, read), *_repeated(read), *_shared_ids(read)]
    students = dict.fromkeys(student for student in read.values() if student)
    return Roster(tuple(students), (*_file_problems(table, columns), *sorted(problems)))


def _cells(row: list[str], columns: Columns, meaning: Column) -> list[str]:
    return [row[index] for index in columns.get(meaning, ()) if index < len(row) and row[index]]


def _student(row: list[str], columns: Columns) -> RosterStudent | None:
    """Return the student of a row; None where it has no name and no id."""

    def first(meaning: Column) -> str:
        return next(iter(_cells(row, columns, meaning)), "")

    ids, logins, emails = (_cells(row, columns, meaning) for meaning in (Column.IDENTIFIER, Column.LOGIN, Column.EMAIL))
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
    if unused := [cell for cell in table.header if cell and _header_key(cell) not in _RANKED]:
        names = ", ".join(f"“{header}”" for header in unused[:MAX_SHOWN])
        if len(unused) > MAX_SHOWN:
            names = MORE.format(names=names, n=f"{len(unused) - MAX_SHOWN:,}")
        yield RosterProblem(0, sentences.UNUSED_COLUMNS.format(names=names))
    staff = sum(_is_staff(row, columns) for row in table.rows)
    if staff:
        yield RosterProblem(0, sentences.STAFF_LEFT_OUT.format(rows=f"{staff:,}"))


def _row_problems(table: Table, columns: Columns, read: dict[int, RosterStudent | None]) -> Iterator[RosterProblem]:
    for row in table.rows:
        if not row.quoted_well:
            yield RosterProblem(row.line, sentences.BAD_QUOTES)
        names = {cell.casefold() for cell in _cells(row.cells, columns, Column.NAME)}
        if row.line in read and read[row.line] is None and not names & {*NO_STUDENTS}:
            yield RosterProblem(row.line, sentences.NOBODY)


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
