"""Which lines of a passage stand side by side on paper: those that hold the same tokens."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class LinePair(NamedTuple):
    """A line of each side, from 1; None where a side has nothing to set beside the other's."""

    left: int | None
    right: int | None


class _Group(NamedTuple):
    """Lines of both sides, first and last, that hold some of the same tokens."""

    left: int
    left_last: int
    right: int
    right_last: int


def aligned(lines: Iterable[tuple[int, int]], last: tuple[int, int]) -> Iterator[LinePair]:
    """Yield the pairs of lines of a passage, from the (left, right) lines on which its tokens begin.

    Every line of a side, up to its `last`, is in one pair, in order. Lines on which no token begins, such as
    comments, stand beside each other as far as they go.
    """
    next_left = next_right = 0
    for group in _groups(lines):
        if next_left:
            yield from _beside(range(next_left, group.left), range(next_right, group.right))
        next_left, next_right = group.left_last + 1, group.right_last + 1
        yield from _beside(range(group.left, next_left), range(group.right, next_right))
    if next_left:
        yield from _beside(range(next_left, last[0] + 1), range(next_right, last[1] + 1))


def _beside(left: range, right: range) -> Iterator[LinePair]:
    return (LinePair(*lines) for lines in zip_longest(left, right))


def _groups(lines: Iterable[tuple[int, int]]) -> Iterator[_Group]:
    """Join tokens that share a line on either side."""
    group: _Group | None = None
    for left, right in lines:
        if group and (left <= group.left_last or right <= group.right_last):
            group = _Group(group.left, max(left, group.left_last), group.right, max(right, group.right_last))
            continue
        if group:
            yield group
        group = _Group(left, left, right, right)
    if group:
        yield group
