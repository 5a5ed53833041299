"""What `moss check` puts into its one HTML file. Needs no Django."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from submissions.pages.source_view.render import line_starts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from submissions.pages.source_view.written_differences import Excerpt
    from submissions.ranking.pair_rows import PairRow


@dataclass(frozen=True, slots=True)
class StandaloneSide:
    """A passage on one side: its file, its tokens, and the line of each, from 1."""

    path: str
    excerpt: Excerpt
    lines: list[int]

    @property
    def first_line(self) -> int:
        return self.lines[0]

    @property
    def last_line(self) -> int:
        _, end = self.excerpt.spans()[-1]
        return bisect_right(line_starts(self.excerpt.text), end - 1)


class StandalonePair(NamedTuple):
    """A pair with its passages, each with its left and right side."""

    row: PairRow
    passages: Iterator[tuple[StandaloneSide, StandaloneSide]]


class SkippedEntry(NamedTuple):
    name: str
    reason: str


class StandaloneReport(NamedTuple):
    """A ranking; `shortfall` says why nothing could be compared, or is empty."""

    title: str
    submissions: int
    common_limit: int | None
    engine_version: int
    pairs: Iterable[StandalonePair]
    skipped: list[SkippedEntry]
    shortfall: str
