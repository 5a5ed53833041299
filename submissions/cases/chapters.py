"""Chapters of a document, one for each pair: its figures, files, decision, passages and whole sources."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from submissions.cases.read import UNDECIDED, case_decisions, followed_decision, stored_decisions
from submissions.core.access import readable_pairs
from submissions.matches.differences import align_lines
from submissions.models import Decision
from submissions.pages.paper import PassageSide, PrintedSource, RowBudget, passage_rows, source_rows
from submissions.pairs.pair_summary import pair_summary, rarity_sentence
from submissions.pairs.pair_view import PAPER_TOKENS, view_whole_pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from django.utils.safestring import SafeString

    from submissions.cases.documents import DocumentOptions
    from submissions.cases.models import ChangeFields
    from submissions.core.names import Names
    from submissions.models import CaseDecision, Pair, Report
    from submissions.pairs.file_view import FileView, PassageLocation
    from submissions.pairs.pair_view import PairSide, PairView, PassageView

# Rows of one passage; the rest of a longer one is left out.
PASSAGE_ROWS = 1_000


class PrintedPassage(NamedTuple):
    """A passage, with table rows in which its lines are side by side, and the number of lines left out."""

    passage: PassageView
    rows: SafeString
    left_out: int


@dataclass(frozen=True, slots=True)
class Chapter:
    """A pair, with its `rank` among the report's `pair_count` pairs; its sources are rendered on demand."""

    number: int
    rank: int
    pair_count: int
    view: PairView
    names: Names
    decision: Decision | CaseDecision | None
    changes: list[ChangeFields]
    budget: RowBudget
    single: bool = False
    printed_sources: dict[int, PrintedSource] = field(default_factory=dict)
    printed: set[int] = field(default_factory=set)

    @property
    def has_pair_decision(self) -> bool:
        """True if somebody decided on this pair, and not only on its case."""
        return isinstance(self.decision, Decision)

    @property
    def summary(self) -> str:
        return pair_summary(self.view, self.names)

    @property
    def rarity(self) -> str:
        return rarity_sentence(self.view.pair)

    @property
    def passages(self) -> Iterator[PrintedPassage]:
        """Yield the passages whose files were read, as far as a single pair may fill a document."""
        for passage in self.view.passages:
            if all(location.first_line for location in passage.locations) and self._has_room:
                self.printed.add(passage.number)
                yield self._printed_passage(passage)

    @property
    def passages_left_out(self) -> int:
        """Number of passages that were not printed; complete once `passages` are."""
        return self.view.passage_count - len(self.printed)

    @property
    def _has_room(self) -> bool:
        return not self.single or self.budget.remaining > 0

    def _printed_passage(self, passage: PassageView) -> PrintedPassage:
        tokens = min(passage.tokens, PAPER_TOKENS)
        token_lines = [_token_lines(location, passage.number, tokens) for location in passage.locations]
        whole = tokens == passage.tokens
        last_left, last_right = (
            location.last_line if whole else lines[-1]
            for location, lines in zip(passage.locations, token_lines, strict=True)
        )
        texts = [self._printed_source(location.file).line_text for location in passage.locations]
        lines = align_lines(zip(*token_lines, strict=True), (last_left, last_right), (texts[0], texts[1]))
        limit = min(PASSAGE_ROWS, self.budget.remaining) if self.single else PASSAGE_ROWS
        pairs = list(islice(lines, limit))
        left, right = (
            self._side(passage.number, location, [pair[side] or 0 for pair in pairs])
            for side, location in enumerate(passage.locations)
        )
        rows = list(islice(passage_rows(left, right, pairs), limit + 1))
        left_out = passage.left.last_line - max(left.lines) + (len(rows) > limit)
        return PrintedPassage(passage, self.budget.join(rows[:limit]), left_out)

    @property
    def sources(self) -> Iterator[tuple[PairSide, FileView, SafeString]]:
        for side in self.view.sides:
            for file in side.files:
                yield side, file, self.budget.join(source_rows(self._printed_source(file)))

    def _printed_source(self, file: FileView) -> PrintedSource:
        """Return a file with all its passages, cached so that names are searched only once in each file."""
        if file.file.pk not in self.printed_sources:
            self.printed_sources[file.file.pk] = PrintedSource(
                file.text, file.starts, file.layers((0, len(file.text)))
            )
        return self.printed_sources[file.file.pk]

    def _side(self, number: int, location: PassageLocation, lines: list[int]) -> PassageSide:
        marks = [mark for mark in location.file.marks if mark.number == number]
        printed = range(location.first_line, max(lines) + 1)
        return PassageSide(self._printed_source(location.file).with_only(marks), printed, marks[0].start)


def chapters(
    report: Report, pairs: Iterable[Pair], names: Names, options: DocumentOptions, *, single: bool = False
) -> Iterator[Chapter]:
    """Yield the chapters of a document, in the order of `pairs`; all share one budget of rows."""
    budget, by_names = RowBudget(), stored_decisions(report.assignment) if options.decision else {}
    of_cases = case_decisions(report.assignment) if options.decision else {}
    similarities = sorted(readable_pairs(report).values_list("similarity", flat=True))
    for number, pair in enumerate(pairs, 1):
        rank = len(similarities) - bisect_right(similarities, pair.similarity) + 1
        names_of_pair = pair.left.name, pair.right.name
        of_pair = by_names.get(names_of_pair) or by_names.get(names_of_pair[::-1])
        followed = followed_decision(of_cases, names_of_pair, pair.similarity)
        decision = of_pair if of_pair and (of_pair.state != UNDECIDED or not followed) else followed
        changes: list[ChangeFields] = [*decision.changes.all()] if decision else []
        view = view_whole_pair(pair, names)
        yield Chapter(number, rank, len(similarities), view, names, decision, changes, budget, single)


def _token_lines(location: PassageLocation, number: int, tokens: int) -> list[int]:
    """Return the line, from 1, on which each of the first `tokens` tokens of a passage begins."""
    file = location.file
    passage = next(passage for passage in file.passages if passage.number == number)
    starts = np.concatenate(
        [file.tokens.starts[piece.first : piece.first + piece.tokens] for piece in passage.clipped(tokens)]
    )
    lines: list[int] = np.searchsorted(np.array(file.starts), starts, side="right").tolist()
    return lines
