"""Mates: submissions of one student or one team, which are not compared with each other. Needs no Django.

A student's own earlier work is compared with the new, and is a pair of its own kind.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from submissions.intake.teams import name_key

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

# The kind of a key, and what tells the keys of this kind apart. Submissions with a key in common are mates.
Key = tuple[str, "int | str"]
STUDENT, TEAM, EARLIER = "student", "team", "earlier"
# All earlier work has it: it is not compared among itself.
EARLIER_WORK: Key = (EARLIER, "")


def student_key(name: str, identifier: str) -> Key:
    """Return the key of a student whom no roster knows: the identifier, or the name where there is none."""
    return STUDENT, f"id {identifier.casefold()}" if identifier else f"name {name_key(name)}"


def group_numbers(keys: Iterable[Collection[Key]]) -> list[list[int]]:
    """Return the groups of each submission, by numbers for `engine.Groups`: one for each key of several."""
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
