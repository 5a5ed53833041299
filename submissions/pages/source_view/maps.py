"""The map beside a source: where its passages and its ignored tokens are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from submissions.comparison.source_html import colour

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


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
