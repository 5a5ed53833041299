"""Content of the HTML file that `moss check` writes. Needs no Django."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from submissions.pages.source_view.render import line_starts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from submissions.pages.source_view.shared_terms import SharedTerms
    from submissions.pages.source_view.written_differences import TokenRun
    from submissions.ranking.pair_rows import PairRow


@dataclass(frozen=True, slots=True)
class StandaloneSide:
    """A passage on one side: the path of its file, its tokens, and the line of each token, from 1."""

    path: str
    run: TokenRun
    lines: list[int]

    @property
    def first_line(self) -> int:
        return self.lines[0]

    @property
    def last_line(self) -> int:
        _, end = self.run.spans()[-1]
        return bisect_right(line_starts(self.run.text), end - 1)


class StandalonePair(NamedTuple):
    """A pair with its passages, each as its left and its right side; without one, with its shared terms."""

    row: PairRow
    passages: Iterator[tuple[StandaloneSide, StandaloneSide]]
    terms: SharedTerms | None = None


class SkippedEntry(NamedTuple):
    """A file or archive entry that was not compared."""

    name: str
    reason: str


class StandaloneReport(NamedTuple):
    """A ranking; `shortfall` is the reason why nothing could be compared, or empty.

    Of the `submissions`, `earlier` are of earlier work.
    """

    title: str
    submissions: int
    earlier: int
    common_limit: int | None
    counts_alike_as_one: bool
    engine_version: int
    score_version: int
    k: int
    pairs: Iterable[StandalonePair]
    skipped: list[SkippedEntry]
    shortfall: str
