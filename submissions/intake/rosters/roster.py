"""The students of a roster, found by a name, an id, a login or an e-mail address."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from submissions.intake.layouts.places import Student

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

# A key that several students have finds none of them.
SEVERAL = -1


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
        return self._index(
            (row, _unpadded(id_key(one))) for row, student in self._rows for one in student.ids
        )

    @cached_property
    def _by_local_part(self) -> dict[str, int]:
        return self._index(
            (row, _local_part(id_key(one))) for row, student in self._rows for one in student.ids
        )

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
    return unicodedata.normalize("NFKC", text).casefold().strip().removeprefix("#")


def name_key(name: str) -> str:
    """Return a key that is equal for names that differ only in case, spaces, and `Popescu, Bruno`."""
    last, comma, first = unicodedata.normalize("NFKC", name).casefold().partition(",")
    return " ".join(f"{first} {last}".split() if comma else last.split())


def _letters(name: str) -> str:
    """Return the letters and digits of a name without accents, as Canvas writes `popescubruno`."""
    decomposed = unicodedata.normalize("NFKD", name.casefold())
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
