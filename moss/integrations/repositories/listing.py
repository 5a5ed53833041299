"""Read a list of repositories: `student,address[,branch[,commit]]` or an address, one a line."""

from __future__ import annotations

import csv
import re
from collections import Counter
from typing import NamedTuple
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from moss.outgoing import web_origin
from submissions.intake.choices import clean_name

MOST_REPOSITORIES, MOST_CHARACTERS = 2000, 500_000
LONGEST_NAME, LONGEST_ADDRESS, LONGEST_BRANCH = 200, 500, 200
COMMIT = re.compile(r"[0-9a-f]+")
DIGITS_OF_COMMITS = (40, 64)
# What Git allows in a branch, and a little less: see git-check-ref-format.
BRANCH = re.compile(r"(?!-)[^\x00-\x20\x7f~^:?*\[\\]+")
HEADER = ("student", "address")


class BadList(ValueError):
    """A list cannot be used; the message says which line, and why."""


class Listed(NamedTuple):
    """A repository of a list; an empty branch is the default one, an empty commit the newest that counts."""

    student: str
    address: str
    branch: str = ""
    commit: str = ""


def parse(text: str) -> list[Listed]:
    """Return the repositories of a list; a line without a student is named after its repository.

    Raises
    ------
    BadList
        When a line is none, a student is listed twice, or there are no or too many lines.
    """
    rows = [(number, row) for number, row in _rows(text) if any(row)]
    if rows and tuple(cell.casefold() for cell in rows[0][1][:2]) == HEADER:
        del rows[0]
    if not rows or len(rows) > MOST_REPOSITORIES:
        raise BadList(_("List 1 to {n} repositories, one a line.").format(n=MOST_REPOSITORIES))
    listed = [(number, _listed(number, row)) for number, row in rows]
    named = _named([one for _number, one in listed])
    seen: dict[str, int] = {}
    for (number, _one), one in zip(listed, named, strict=True):
        if one.student in seen:
            text = _("Line {n}: line {m} is of the same student. List one repository for each.")
            raise BadList(text.format(n=number, m=seen[one.student]))
        seen[one.student] = number
    return named


def _rows(text: str) -> list[tuple[int, list[str]]]:
    if len(text) > MOST_CHARACTERS:
        raise BadList(_("The list is longer than {n} characters.").format(n=MOST_CHARACTERS))
    lines = text.removeprefix("\ufeff").splitlines()
    try:
        return [
            (number, [cell.strip() for cell in row])
            for number, line in enumerate(lines, 1)
            for row in csv.reader([line], skipinitialspace=True, delimiter=_delimiter(line))
        ]
    except csv.Error as error:
        raise BadList(_("The list is no CSV: {error}.").format(error=error)) from error


def _delimiter(line: str) -> str:
    return ";" if ";" in line and "," not in line else "\t" if "\t" in line else ","


def _listed(number: int, row: list[str]) -> Listed:
    first = 0 if "://" in row[0] else 1
    cells = [*row[first:], "", "", ""]
    address, branch, commit = cells[0].rstrip("/"), cells[1], cells[2].lower()
    reason = _problem(address, branch, commit)
    if any(cells[3:]):
        reason = _("there are more than student, address, branch and commit")
    if reason:
        raise BadList(_("Line {n}: {reason}.").format(n=number, reason=reason))
    student = clean_name(row[0])[:LONGEST_NAME] if first else ""
    return Listed(student, address, branch, commit)


def _problem(address: str, branch: str, commit: str) -> str:
    """Return why one of these cannot be used; empty if they all can."""
    parts = urlsplit(address) if web_origin(address) else None
    plain = address.isascii() and address.isprintable() and not {" ", "\\"} & set(address)
    if parts is None or not plain or len(address) > LONGEST_ADDRESS or not parts.path.strip("/"):
        return _("the address must be https://host/path of a repository")
    if parts.username is not None or parts.query or parts.fragment:
        return _("the address must have no user, no password and no query; a token has its own field")
    if branch and (len(branch) > LONGEST_BRANCH or ".." in branch or not BRANCH.fullmatch(branch)):
        return _("that is no name of a branch")
    if commit and not (len(commit) in DIGITS_OF_COMMITS and COMMIT.fullmatch(commit)):
        return _("a commit is 40 or 64 hexadecimal digits")
    return ""


def _named(listed: list[Listed]) -> list[Listed]:
    """Name those without a student after their repository, with its owner where that is not enough."""
    last = Counter(_last_parts(one.address, 1) for one in listed if not one.student)
    named = []
    for one in listed:
        short = _last_parts(one.address, 1)
        student = one.student or (short if last[short] == 1 else _last_parts(one.address, 2))
        named.append(one._replace(student=clean_name(student)[:LONGEST_NAME] or one.address))
    return named


def _last_parts(address: str, number: int) -> str:
    return " ".join(urlsplit(address).path.strip("/").removesuffix(".git").split("/")[-number:])
