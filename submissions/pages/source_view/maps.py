"""The map beside a source: where its passages and its ignored tokens are."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from submissions.comparison.source_html import colour

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class MapBar(NamedTuple):
    """A run of lines on the map: of block `number`, or ignored code for number 0.

    `top`, the lines above it, and `height` are in lines. Before its pieces, a block is drawn as a whole
    with `is_gap`.
    """

    number: int
    top: int
    height: float
    is_gap: bool = False

    @property
    def css(self) -> str:
        return f"c{colour(self.number)}{' gap' if self.is_gap else ''}" if self.number else "ignored"


class IgnoredTokens:
    """The tokens of a file that are not compared: ranges [first, after), in order."""

    def __init__(self, ranges: Sequence[tuple[int, int]]) -> None:
        self.ranges = ranges
        self._firsts = [first for first, _ in ranges]
        self._before = [0, *accumulate(after - first for first, after in ranges)]

    def among(self, first: int, count: int) -> int:
        """Count those among the `count` tokens from `first` on."""
        return self._below(first + count) - self._below(first)

    def _below(self, token: int) -> int:
        index = bisect_right(self._firsts, token)
        over = max(self.ranges[index - 1][1] - token, 0) if index else 0
        return self._before[index] - over


def join_touching(runs: Iterable[tuple[int, int, int]], gap: int = 0) -> Iterator[tuple[int, int, int]]:
    """Join runs (number, first line, last line) that overlap or have at most `gap` lines between them."""
    joined: tuple[int, int, int] | None = None
    for number, first, last in runs:
        if joined and first <= joined[2] + 1 + gap:
            joined = number, joined[1], max(joined[2], last)
            continue
        if joined:
            yield joined
        joined = number, first, last
    if joined:
        yield joined
