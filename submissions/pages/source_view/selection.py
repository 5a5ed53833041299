"""Selection of the part of a pair that a page shows: not all of long files, many files and many passages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

PART_START = re.compile(r"([1-9]\d{0,8})-(\d{1,9})")
NUMBER = re.compile(r"[1-9]\d{0,8}")


@dataclass(frozen=True, slots=True)
class PartStart:
    """The start of the part of a file that is shown: the number of the file, from 1, and a code point."""

    file: int
    offset: int

    def __str__(self) -> str:
        return f"{self.file}-{self.offset}"


class Selection(NamedTuple):
    """The passage, from 1, that the page opens at, and for each side the part that was asked for instead."""

    passage: int = 1
    left: PartStart | None = None
    right: PartStart | None = None

    def start(self, letter: str) -> PartStart | None:
        """Return the start of the side L or R."""
        return self.left if letter == "L" else self.right

    @property
    def jumps(self) -> bool:
        """True if the page scrolls to the passage; otherwise a part of a file was asked for."""
        return not (self.left or self.right)


def parse_selection(query: Mapping[str, str]) -> Selection:
    """Return the selection that the query of an address describes; invalid values are ignored."""
    passage = query.get("passage", "")
    number = int(passage) if NUMBER.fullmatch(passage) else 1
    return Selection(number, _part_start(query.get("left", "")), _part_start(query.get("right", "")))


def _part_start(text: str) -> PartStart | None:
    match = PART_START.fullmatch(text)
    return PartStart(int(match[1]), int(match[2])) if match else None
