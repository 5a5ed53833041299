"""Names of submissions: each one different, and none that cannot be shown or stored."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Protocol

from submissions.intake.names import replace_invisible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from submissions.intake.layouts.places import Student

    Submitters = tuple[str, ...]

# Longest name and identifier that the database holds.
MAX_NAME = 400
NO_NAME = "(no name)"


def submitters(students: tuple[Student, ...]) -> Submitters:
    """Return what tells submitters apart: their identifiers, or their names where there are none."""
    return tuple(sorted(f"id {one.identifier}" if one.identifier else f"name {one.name}" for one in students))


def identifiers(students: Iterable[Student]) -> str:
    """Return the known identifiers of some students as one text."""
    return clean_name(", ".join(one.identifier for one in students if one.identifier))


def clean_name(name: str) -> str:
    """Return a name from a metadata file as one that can be shown and stored."""
    return replace_invisible(" ".join(name.split())).replace("/", "-")[:MAX_NAME].strip()


def plain_name(students: Iterable[Named]) -> str:
    """Return the names of some students as one text."""
    return clean_name(", ".join(one.name for one in students)) or NO_NAME


class Named(Protocol):
    """A student of a layout, or one who was stored."""

    @property
    def name(self) -> str: ...


class DistinctNames:
    """Names of which no two are equal."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._numbers: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._taken

    def add(self, name: str) -> str:
        """Return `name`, numbered if it is taken, which it is from now on."""
        unique = name
        while unique in self._taken:
            self._numbers[name] = self._numbers.get(name, 1) + 1
            end = f" ({self._numbers[name]})"
            unique = name[: MAX_NAME - len(end)].strip() + end
        self._taken.add(unique)
        return unique


def submission_names(students: Mapping[Submitters, tuple[Student, ...]]) -> dict[Submitters, str]:
    """Return the name of each submission; where several would have one, with the identifier or a number."""
    plain = {key: plain_name(members) for key, members in students.items()}
    counts = Counter(plain.values())
    unique = DistinctNames(name for name, count in counts.items() if count == 1)
    names: dict[Submitters, str] = {}
    for key, name in sorted(plain.items()):
        identifier = identifiers(students[key])
        if counts[name] == 1:
            names[key] = name
        else:
            names[key] = unique.add(clean_name(f"{name} ({identifier})") if identifier else name)
    return names
