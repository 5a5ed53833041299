"""Groups and orders of submissions: teams, mates, and submissions that pairs connect. Needs no Django.

Mates are submissions of one student or one team, which are not compared with each other. People expect
`HW2` before `HW10`.
"""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from submissions.intake.entries import without_accents

# The kind of a key, and what tells the keys of this kind apart. Submissions with a key in common are mates.
Key = tuple[str, "int | str"]
STUDENT, TEAM, EARLIER = "student", "team", "earlier"
# All earlier work has it: it is not compared among itself.
EARLIER_WORK: Key = (EARLIER, "")

NUMBERS = re.compile(r"(\d+)")


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
    """Raise BadTeams for the first line with only one member, or a name in two teams."""
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


def student_key(name: str, identifier: str) -> Key:
    """Return the key of a student whom no roster knows: the identifier, or the name where there is none."""
    return STUDENT, f"id {identifier.casefold()}" if identifier else f"name {name_key(name)}"


def group_numbers(keys: Iterable[Collection[Key]]) -> list[list[int]]:
    """Return the numbers of each submission's groups: one group for each key that several submissions have.

    They are those of `fingerprint.engine.Groups`.
    """
    keys, numbers = list(keys), dict[Key, int]()
    members = Counter(key for row in keys for key in row)
    return [[numbers.setdefault(key, len(numbers)) for key in row if members[key] > 1] for row in keys]


class Identity(NamedTuple):
    """Identifiers of the students of a submission: `ids` are ids, logins and addresses."""

    ids: frozenset[str]
    names: frozenset[str]

    @classmethod
    def of(cls, ids: Iterable[str | None], names: Iterable[str | None]) -> Identity:
        """Return the identity of students by their ids and names; what is empty counts for nothing."""
        return cls(*(frozenset(name_key(text) for text in texts if text) for texts in (ids, names)))

    def is_student_of(self, other: Identity) -> bool:
        """Return whether both are of one student; equal names are not enough where the ids differ."""
        if self.ids and other.ids:
            return not self.ids.isdisjoint(other.ids)
        return not self.names.isdisjoint(other.names)


def connected_components(pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return the components of the submissions in `pairs`, in the order of their first pairs.

    The submissions of each are in ascending order.
    """
    parents: dict[int, int] = {}
    for left, right in pairs:
        left_root, right_root = _root(parents, left), _root(parents, right)
        if left_root != right_root:
            parents[right_root] = left_root
    members: dict[int, list[int]] = defaultdict(list)
    for submission in parents:
        members[_root(parents, submission)].append(submission)
    return [sorted(component) for component in members.values()]


def _root(parents: dict[int, int], submission: int) -> int:
    """Return the root of a submission's tree; shorten the way to it."""
    parent = parents.setdefault(submission, submission)
    while parent != submission:
        parents[submission] = grandparent = parents[parent]
        submission, parent = grandparent, parents[grandparent]
    return submission


def natural_key(name: str) -> tuple[tuple[tuple[int, str], ...], str]:
    """Return a key to sort names by: numbers in them by value, letters without case and accents.

    Spaces beside a number do not count: `hw 3` is between `HW2` and `HW10`.
    """
    parts = list(map(str.strip, NUMBERS.split(without_accents(name).casefold())))
    return tuple((int(part), "") if index % 2 else (-1, part) for index, part in enumerate(parts)), name


class HashedFile(NamedTuple):
    """A file: the number of its submission, the SHA-256 of its bytes as text, and its path."""

    submission: int
    digest: str
    path: str


class ContentOrder(NamedTuple):
    """The former numbers of submissions and of files in their new order; files follow their submissions."""

    submissions: list[int]
    files: list[int]


def content_order(files: Sequence[HashedFile], submissions: int) -> ContentOrder:
    """Order submissions by the digests of their files, ascending, and the files of each by digest and path.

    Submissions of equal content keep their order, and so do equal files of one path.
    """
    by_digest = sorted(range(len(files)), key=lambda number: files[number][1:])
    files_of: list[list[int]] = [[] for _ in range(submissions)]
    for number in by_digest:
        files_of[files[number].submission].append(number)
    digests = [[files[number].digest for number in numbers] for numbers in files_of]
    order = sorted(range(submissions), key=digests.__getitem__)
    return ContentOrder(order, [number for submission in order for number in files_of[submission]])
