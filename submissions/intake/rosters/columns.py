"""Meanings of the columns of a roster, by the headers that platforms and instructors write.

Canvas (grades, and groups), Moodle (participants, grades, grading worksheets), Gradescope, GitHub Classroom,
Blackboard and Brightspace export the headers below; Moodle's are in the language of the site.
"""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum

from submissions.intake import roster_sentences as sentences


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


# Of several columns with one meaning, the one that comes first here is shown.
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
MAX_SHOWN = 8


def _header_key(header: str) -> str:
    """Return the letters of a header, without case, accents, spaces and punctuation."""
    decomposed = unicodedata.normalize("NFKD", header.casefold())
    return re.sub(r"[\W_]", "", "".join(char for char in decomposed if not unicodedata.combining(char)))


_RANKED = {
    _header_key(header): (meaning, rank)
    for meaning, headers in _HEADERS.items()
    for rank, header in enumerate(headers.split(","))
}


def columns_of(header: list[str]) -> dict[Column, list[int]]:
    """Return the indexes of the columns of each meaning, the one to be shown first.

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


def unused_headers(header: list[str]) -> list[str]:
    return [cell for cell in header if cell and _header_key(cell) not in _RANKED]


def refuse_header(row: list[str]) -> RosterRefused:
    """Return the error for a file whose first row is `row`, in which no column is understood."""
    present = ", ".join(f"“{cell[:40]}”" for cell in row[:MAX_SHOWN] if cell) or "nothing"
    understood = "; ".join(
        f"for the {meaning}: {', '.join(' '.join(header.split()) for header in headers.split(',')[:4])}"
        for meaning, headers in _HEADERS.items()
        if meaning in WHO
    )
    return RosterRefused(sentences.NO_STUDENTS.format(cells=present, understood=understood))
