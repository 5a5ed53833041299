"""Who worked together: one team a line, names of submissions separated by commas."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class BadTeams(ValueError):
    """A line that is no team; says which one, and why."""


def key(name: str) -> str:
    """Give what two spellings of a name have in common: neither case nor spaces tell people apart."""
    return " ".join(name.split()).casefold()


def lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Give the number of every line that is not empty, with its names; quotes hold a name with a comma."""
    for number, line in enumerate(text.splitlines(), 1):
        cells = next(csv.reader([line], skipinitialspace=True), [])
        if names := [cell.strip() for cell in cells if cell.strip()]:
            yield number, names


def check(text: str) -> None:
    """Refuse a team of one, and somebody in two teams.

    Raises
    ------
    BadTeams
        For the first such line.
    """
    seen: dict[str, int] = {}
    for number, names in lines(text):
        if len({key(name) for name in names}) == 1:
            raise BadTeams(f"Line {number} names only {names[0]}; a team has two members or more.")
        for name in names:
            if (first := seen.setdefault(key(name), number)) != number:
                raise BadTeams(f"Line {number}: {name} is in the team of line {first} already.")


def teams(text: str) -> dict[str, int]:
    """Give everybody's team, by the key of the name."""
    return {key(name): number for number, names in lines(text) for name in names}


def unknown(text: str, submissions: Iterable[str]) -> list[str]:
    """Give the names that are no submission's, as they were typed."""
    known = {key(name) for name in submissions}
    return [name for _, names in lines(text) for name in names if key(name) not in known]
