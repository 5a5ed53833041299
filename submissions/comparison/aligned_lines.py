"""Align the lines of a passage for printing: lines with the same tokens, or text, go side by side."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from submissions.comparison.matching import matching_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    LineText = Callable[[int], str]


class LinePair(NamedTuple):
    """Numbers, from 1, of the lines that are side by side; None where a side has no line for the other's."""

    left: int | None
    right: int | None


class _LineGroup(NamedTuple):
    """First and last lines of both sides that contain the same tokens."""

    left_first: int
    left_last: int
    right_first: int
    right_last: int


def align_lines(
    lines: Iterable[tuple[int, int]], last: tuple[int, int], texts: tuple[LineText, LineText]
) -> Iterator[LinePair]:
    """Yield the pairs of lines of a passage, in order.

    Every line of a side, from its first token to its `last` line, is in exactly one pair. Of lines on which
    no token begins, such as comments, those with equal text are paired, and the others from the first on.

    Parameters
    ----------
    lines
        The (left, right) lines, from 1, on which each token of the passage begins.
    last
        The last line of the passage on the left and on the right.
    texts
        Return the text of a line on the left and on the right.
    """
    next_left = next_right = 0
    for group in _line_groups(lines):
        if next_left:
            gap = range(next_left, group.left_first), range(next_right, group.right_first)
            yield from _pair_gap(*gap, texts)
        next_left, next_right = group.left_last + 1, group.right_last + 1
        yield from _pair_lines(range(group.left_first, next_left), range(group.right_first, next_right))
    if next_left:
        yield from _pair_gap(range(next_left, last[0] + 1), range(next_right, last[1] + 1), texts)


def _pair_gap(left: range, right: range, texts: tuple[LineText, LineText]) -> Iterator[LinePair]:
    """Yield pairs of lines between two groups: equal ones together, of those that are not blank."""
    keys, other_keys = (
        {line: key for line in lines if (key := "".join(text(line).split()))}
        for text, lines in zip(texts, (left, right), strict=True)
    )
    lines, others = list(keys), list(other_keys)
    next_left, next_right = left.start, right.start
    for at, other, size in matching_runs([*keys.values()], [*other_keys.values()]):
        for equal in zip(lines[at : at + size], others[other : other + size], strict=True):
            yield from _pair_lines(range(next_left, equal[0]), range(next_right, equal[1]))
            yield LinePair(*equal)
            next_left, next_right = equal[0] + 1, equal[1] + 1
    yield from _pair_lines(range(next_left, left.stop), range(next_right, right.stop))


def _pair_lines(left: range, right: range) -> Iterator[LinePair]:
    return (LinePair(*lines) for lines in zip_longest(left, right))


def _line_groups(lines: Iterable[tuple[int, int]]) -> Iterator[_LineGroup]:
    """Yield groups of lines; tokens that share a line on either side are in the same group."""
    group: _LineGroup | None = None
    for left, right in lines:
        if group and (left <= group.left_last or right <= group.right_last):
            group = group._replace(
                left_last=max(left, group.left_last), right_last=max(right, group.right_last)
            )
            continue
        if group:
            yield group
        group = _LineGroup(left, left, right, right)
    if group:
        yield group
