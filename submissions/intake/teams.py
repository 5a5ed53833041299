"""Parse teams: one team per line, submission names separated by commas."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class BadTeams(ValueError):
    """A line is not a valid team; the message names the line and the reason."""


def name_key(name: str) -> str:
    """Return a key that is equal for names that differ only in case and spaces."""
    return " ".join(name.split()).casefold()


def parse_lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number from 1, names) of lines that are not empty; a quoted name may contain commas."""
    for number, line in enumerate(text.splitlines(), 1):
        cells = next(csv.reader([line], skipinitialspace=True), [])
        if names := [cell.strip() for cell in cells if cell.strip()]:
            yield number, names


def validate_teams(text: str) -> None:
    """Raise BadTeams for a team with only one member, or a name in two teams.

    Raises
    ------
    BadTeams
        For the first invalid line.
    """
    seen: dict[str, int] = {}
    for number, names in parse_lines(text):
        if len({name_key(name) for name in names}) == 1:
            raise BadTeams(f"Line {number} names only {names[0]}; a team has two members or more.")
        for name in names:
            if (first := seen.setdefault(name_key(name), number)) != number:
                raise BadTeams(f"Line {number}: {name} is in the team of line {first} already.")


def team_numbers(text: str) -> dict[str, int]:
    """Return the team, as its line number, of every name, by `name_key`."""
    return {name_key(name): number for number, names in parse_lines(text) for name in names}


def unknown_names(text: str, submissions: Iterable[str]) -> list[str]:
    """Return the names, as typed, that are not among the names of `submissions`."""
    known = {name_key(name) for name in submissions}
    return [name for _, names in parse_lines(text) for name in names if name_key(name) not in known]
