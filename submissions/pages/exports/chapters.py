"""What a document says of each pair: its figures, files and decision, its passages, and the whole sources."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from submissions.pages.exports.aligned_lines import aligned
from submissions.pages.exports.drawing import Sheet, Spans
from submissions.pages.exports.source_rows import Budget, passage_rows, source_rows
from submissions.pages.source_view.pair_view import view_pair
from submissions.queries.decisions import decisions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from django.utils.safestring import SafeString

    from submissions.models import Change, Decision, Pair, Report
    from submissions.pages.exports.copies import Options
    from submissions.pages.source_view.file_view import FileView, Place
    from submissions.pages.source_view.pair_view import PairView, Passage, Side
    from submissions.pseudonyms.names import Names


class Drawn(NamedTuple):
    """A passage with the rows that set its lines side by side."""

    passage: Passage
    rows: SafeString


@dataclass(frozen=True, slots=True)
class Chapter:
    """One pair, drawn as it is asked for: the one of that `rank` among all that are `ranked`."""

    number: int
    rank: int
    ranked: int
    view: PairView
    decision: Decision | None
    changes: list[Change]
    budget: Budget
    sheets: dict[int, Sheet] = field(default_factory=dict)

    @property
    def passages(self) -> Iterator[Drawn]:
        for passage in self.view.passages:
            left, right = (self._with_only(passage.number, place.file) for place in passage.places)
            lines = zip(*(_token_lines(place, passage) for place in passage.places), strict=True)
            last = passage.left.last_line, passage.right.last_line
            yield Drawn(passage, self.budget.draw(passage_rows(left, right, aligned(lines, last))))

    @property
    def sources(self) -> Iterator[tuple[Side, FileView, SafeString]]:
        for side in self.view.sides:
            for file in side.files:
                yield side, file, self.budget.draw(source_rows(self._sheet(file)))

    def _sheet(self, file: FileView) -> Sheet:
        """Draw all passages on a file; its names are looked for once, however many passages it has."""
        if file.file.pk not in self.sheets:
            self.sheets[file.file.pk] = _sheet(file)
        return self.sheets[file.file.pk]

    def _with_only(self, number: int, file: FileView) -> Sheet:
        marks = [(mark.start, mark.end, mark.number) for mark in file.marks if mark.number == number]
        return replace(self._sheet(file), marks=Spans(marks))


def chapters(report: Report, pairs: Iterable[Pair], names: Names, options: Options) -> Iterator[Chapter]:
    """Read one pair after the other."""
    budget, made = Budget(), decisions(report.assignment) if options.decision else {}
    ranked = sorted(report.pairs.values_list("similarity", flat=True))
    for number, pair in enumerate(pairs, 1):
        rank = len(ranked) - bisect_right(ranked, pair.similarity) + 1
        decision = made.get((pair.left.name, pair.right.name))
        changes = list(decision.changes.all()) if decision else []
        yield Chapter(number, rank, len(ranked), view_pair(pair, names), decision, changes, budget)


def _sheet(file: FileView) -> Sheet:
    return Sheet(
        file.text,
        [*file.starts, len(file.text)],
        marks=Spans(sorted((mark.start, mark.end, mark.number) for mark in file.marks)),
        differing=Spans(sorted(file.differing)),
        ignored=Spans((*file.span(*tokens), None) for tokens in sorted(file.ignored_tokens)),
        renamed=Spans(file.names.spans(file.text)),
    )


def _token_lines(place: Place, passage: Passage) -> list[int]:
    """Line, from 1, on which each token of a passage begins."""
    file = place.file
    start = next(mark.start for mark in file.marks if mark.number == passage.number)
    first = int(np.searchsorted(file.tokens.starts, start))
    starts = file.tokens.starts[first : first + passage.tokens]
    lines: list[int] = np.searchsorted(np.array(file.starts), starts, side="right").tolist()
    return lines
