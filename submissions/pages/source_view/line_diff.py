"""Two texts line by line in two columns, as `diff` aligns them: names and layout count."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Lines of each side that a page shows, and characters of a line: aligning takes the square of the lines.
MAX_LINES, MAX_CHARACTERS = 1_500, 300


class DiffRow(NamedTuple):
    """A line of each side with its number, from 1; 0 and "" where a side has none.

    `kind`: `same`, `changed`, `left` or `right`, the last two for a line of one side only.
    """

    left_number: int
    left: str
    right_number: int
    right: str
    kind: str


class Diff(NamedTuple):
    """Aligned lines, the number of equal ones, and how many lines of each side are not shown."""

    rows: list[DiffRow]
    equal: int
    left_more: int
    right_more: int


def diff(left: Sequence[str], right: Sequence[str]) -> Diff:
    """Align the first MAX_LINES lines of two texts; lines are equal without the white space at their ends."""
    rows = list(_rows([line.rstrip() for line in left], [line.rstrip() for line in right]))
    equal = sum(row.kind == "same" and bool(row.left.strip()) for row in rows)
    return Diff(rows, equal, max(0, len(left) - MAX_LINES), max(0, len(right) - MAX_LINES))


def _rows(left: list[str], right: list[str]) -> Iterator[DiffRow]:
    left, right = left[:MAX_LINES], right[:MAX_LINES]
    for tag, first, after, other_first, other_after in SequenceMatcher(
        None, left, right, autojunk=False
    ).get_opcodes():
        ours, theirs = range(first, after), range(other_first, other_after)
        for i, j in zip_longest(ours, theirs):
            kind = "same" if tag == "equal" else "right" if i is None else "left" if j is None else "changed"
            yield DiffRow(*_cell(left, i), *_cell(right, j), kind)


def _cell(lines: list[str], index: int | None) -> tuple[int, str]:
    return (0, "") if index is None else (index + 1, lines[index][:MAX_CHARACTERS])
