"""What of a pair is shown: long files, many files and many passages are shown in parts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

PLACE = re.compile(r"([1-9]\d{0,8})-(\d{1,9})")
NUMBER = re.compile(r"[1-9]\d{0,8}")


@dataclass(frozen=True, slots=True)
class Place:
    """The start of the part of a file that is shown: the number of the file, from 1, and a code point."""

    file: int
    offset: int

    def __str__(self) -> str:
        return f"{self.file}-{self.offset}"


class Selection(NamedTuple):
    """The passage, from 1, that the page opens at, and for each side the place that was asked for instead."""

    passage: int = 1
    left: Place | None = None
    right: Place | None = None

    def place(self, letter: str) -> Place | None:
        """Return the place of the side L or R."""
        return self.left if letter == "L" else self.right

    @property
    def jumps(self) -> bool:
        """Whether the page scrolls to the passage; otherwise a part of a file was asked for."""
        return not (self.left or self.right)


def parse_selection(query: Mapping[str, str]) -> Selection:
    """Return the selection that the query of an address describes; invalid values are ignored."""
    passage = query.get("passage", "")
    number = int(passage) if NUMBER.fullmatch(passage) else 1
    return Selection(number, _place(query.get("left", "")), _place(query.get("right", "")))


def _place(text: str) -> Place | None:
    match = PLACE.fullmatch(text)
    return Place(int(match[1]), int(match[2])) if match else None
