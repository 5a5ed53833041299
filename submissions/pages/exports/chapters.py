"""Chapters of a document, one for each pair: its figures, files, decision, passages and whole sources."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from submissions.pages.exports.aligned_lines import align_lines
from submissions.pages.exports.paper import PassageSide, PrintedSource, RowBudget, passage_rows, source_rows
from submissions.pages.source_view.pair_view import view_pair
from submissions.queries.decisions import decisions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from django.utils.safestring import SafeString

    from submissions.models import Change, Decision, Pair, Report
    from submissions.pages.exports.copies import DocumentOptions
    from submissions.pages.source_view.file_view import FileView, PassageLocation
    from submissions.pages.source_view.pair_view import PairSide, PairView, PassageView
    from submissions.pseudonyms.names import Names


class PrintedPassage(NamedTuple):
    """A passage, with table rows in which its lines are side by side."""

    passage: PassageView
    rows: SafeString


@dataclass(frozen=True, slots=True)
class Chapter:
    """A pair, with its `rank` among the report's `pair_count` pairs; its sources are rendered on demand."""

    number: int
    rank: int
    pair_count: int
    view: PairView
    decision: Decision | None
    changes: list[Change]
    budget: RowBudget
    printed_sources: dict[int, PrintedSource] = field(default_factory=dict)

    @property
    def passages(self) -> Iterator[PrintedPassage]:
        for passage in self.view.passages:
            left, right = (self._side(passage.number, location) for location in passage.locations)
            lines = zip(*(_token_lines(location, passage) for location in passage.locations), strict=True)
            last = passage.left.last_line, passage.right.last_line
            yield PrintedPassage(
                passage, self.budget.join(passage_rows(left, right, align_lines(lines, last)))
            )

    @property
    def sources(self) -> Iterator[tuple[PairSide, FileView, SafeString]]:
        for side in self.view.sides:
            for file in side.files:
                yield side, file, self.budget.join(source_rows(self._printed_source(file)))

    def _printed_source(self, file: FileView) -> PrintedSource:
        """Return a file with all its passages, cached so that names are searched only once in each file."""
        if file.file.pk not in self.printed_sources:
            self.printed_sources[file.file.pk] = PrintedSource(file.text, file.starts, file.layers)
        return self.printed_sources[file.file.pk]

    def _side(self, number: int, location: PassageLocation) -> PassageSide:
        marks = [mark for mark in location.file.marks if mark.number == number]
        lines = range(location.first_line, location.last_line + 1)
        return PassageSide(self._printed_source(location.file).with_only(marks), lines)


def chapters(
    report: Report, pairs: Iterable[Pair], names: Names, options: DocumentOptions
) -> Iterator[Chapter]:
    """Yield the chapters of a document, in the order of `pairs`; all share one budget of rows."""
    budget, by_names = RowBudget(), decisions(report.assignment) if options.decision else {}
    similarities = sorted(report.pairs.values_list("similarity", flat=True))
    for number, pair in enumerate(pairs, 1):
        rank = len(similarities) - bisect_right(similarities, pair.similarity) + 1
        names_of_pair = pair.left.name, pair.right.name
        decision = by_names.get(names_of_pair) or by_names.get(names_of_pair[::-1])
        changes = list(decision.changes.all()) if decision else []
        yield Chapter(number, rank, len(similarities), view_pair(pair, names), decision, changes, budget)


def _token_lines(location: PassageLocation, passage: PassageView) -> list[int]:
    """Return the line, from 1, on which each token of a passage begins."""
    file = location.file
    start = next(mark.start for mark in file.marks if mark.number == passage.number)
    first = int(np.searchsorted(file.tokens.starts, start))
    starts = file.tokens.starts[first : first + passage.tokens]
    lines: list[int] = np.searchsorted(np.array(file.starts), starts, side="right").tolist()
    return lines
