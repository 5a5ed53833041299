"""Content of the HTML file that `moss check` writes. Needs no Django."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from submissions.comparison.source_html import line_starts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from submissions.comparison.pair_rows import PairRow
    from submissions.comparison.shared_terms import SharedTerms
    from submissions.comparison.written_differences import TokenRun


@dataclass(frozen=True, slots=True)
class StandaloneSide:
    """A block on one side: the path of its file, its pieces, and the line of each of their tokens, from 1.

    `others` has for each piece how many other submissions have it, if it is common code, and otherwise 0.
    """

    path: str
    runs: list[TokenRun]
    lines: list[int]
    others: list[int]

    @property
    def text(self) -> str:
        return self.runs[0].text

    @property
    def first_line(self) -> int:
        return self.lines[0]

    @property
    def last_line(self) -> int:
        _, end = self.runs[-1].spans()[-1]
        return bisect_right(line_starts(self.text), end - 1)


class StandalonePair(NamedTuple):
    """A pair with its blocks, each as its left and its right side; without one, with its shared terms."""

    row: PairRow
    passages: Iterator[tuple[StandaloneSide, StandaloneSide]]
    terms: SharedTerms | None = None


class SkippedEntry(NamedTuple):
    """A file or archive entry that was not compared."""

    name: str
    reason: str


class StandaloneReport(NamedTuple):
    """A ranking; `shortfall` is the reason why nothing could be compared, or empty.

    Of the `submissions`, `earlier` are of earlier work and `solutions` are model solutions.
    """

    title: str
    submissions: int
    earlier: int
    solutions: int
    common_limit: int | None
    counts_alike_as_one: bool
    engine_version: int
    score_version: int
    k: int
    pairs: Iterable[StandalonePair]
    skipped: list[SkippedEntry]
    shortfall: str
