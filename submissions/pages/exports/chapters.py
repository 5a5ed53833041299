"""One chapter a pair: its figures, files and decision, its passages, and the whole sources."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from submissions.pages.exports.aligned_lines import aligned
from submissions.pages.exports.paper import Budget, PassageSide, Sheet, passage_rows, source_rows
from submissions.pages.source_view.pair_view import view_pair
from submissions.queries.decisions import decisions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from django.utils.safestring import SafeString

    from submissions.models import Change, Decision, Pair, Report
    from submissions.pages.exports.copies import Options
    from submissions.pages.source_view.file_view import FileView, PassagePlace
    from submissions.pages.source_view.pair_view import PairSide, PairView, Passage
    from submissions.pseudonyms.names import Names


class PrintedPassage(NamedTuple):
    """A passage, and table rows that set its lines side by side."""

    passage: Passage
    rows: SafeString


@dataclass(frozen=True, slots=True)
class Chapter:
    """One pair, which has the given `rank` among all that are `ranked`; its sources are drawn on demand."""

    number: int
    rank: int
    ranked: int
    view: PairView
    decision: Decision | None
    changes: list[Change]
    budget: Budget
    sheets: dict[int, Sheet] = field(default_factory=dict)

    @property
    def passages(self) -> Iterator[PrintedPassage]:
        for passage in self.view.passages:
            left, right = (self._side(passage.number, place) for place in passage.places)
            lines = zip(*(_token_lines(place, passage) for place in passage.places), strict=True)
            last = passage.left.last_line, passage.right.last_line
            yield PrintedPassage(passage, self.budget.join(passage_rows(left, right, aligned(lines, last))))

    @property
    def sources(self) -> Iterator[tuple[PairSide, FileView, SafeString]]:
        for side in self.view.sides:
            for file in side.files:
                yield side, file, self.budget.join(source_rows(self._sheet(file)))

    def _sheet(self, file: FileView) -> Sheet:
        """Return a file with all its passages; its names are searched once, however many passages it has."""
        if file.file.pk not in self.sheets:
            self.sheets[file.file.pk] = Sheet(file.text, file.starts, file.layers)
        return self.sheets[file.file.pk]

    def _side(self, number: int, place: PassagePlace) -> PassageSide:
        own = [mark for mark in place.file.marks if mark.number == number]
        lines = range(place.first_line, place.last_line + 1)
        return PassageSide(self._sheet(place.file).with_only(own), lines)


def chapters(report: Report, pairs: Iterable[Pair], names: Names, options: Options) -> Iterator[Chapter]:
    """Yield the chapters of a document, one pair after the other."""
    budget, decided = Budget(), decisions(report.assignment) if options.decision else {}
    ranked = sorted(report.pairs.values_list("similarity", flat=True))
    for number, pair in enumerate(pairs, 1):
        rank = len(ranked) - bisect_right(ranked, pair.similarity) + 1
        decision = decided.get((pair.left.name, pair.right.name))
        changes = list(decision.changes.all()) if decision else []
        yield Chapter(number, rank, len(ranked), view_pair(pair, names), decision, changes, budget)


def _token_lines(place: PassagePlace, passage: Passage) -> list[int]:
    """Return the line, from 1, on which each token of a passage begins."""
    file = place.file
    start = next(mark.start for mark in file.marks if mark.number == passage.number)
    first = int(np.searchsorted(file.tokens.starts, start))
    starts = file.tokens.starts[first : first + passage.tokens]
    lines: list[int] = np.searchsorted(np.array(file.starts), starts, side="right").tolist()
    return lines
