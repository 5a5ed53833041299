"""Primary keys of rows that are of a student."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rows:
    """Primary keys of students of submissions, and of students of rosters."""

    students: frozenset[int] = frozenset()
    enrolled: frozenset[int] = frozenset()

    def __or__(self, other: Rows) -> Rows:
        return Rows(self.students | other.students, self.enrolled | other.enrolled)

    def __ge__(self, other: Rows) -> bool:
        return self.students >= other.students and self.enrolled >= other.enrolled

    @property
    def number(self) -> int:
        return len(self.students) + len(self.enrolled)

    def as_json(self) -> list[list[int]]:
        return [sorted(self.students), sorted(self.enrolled)]
