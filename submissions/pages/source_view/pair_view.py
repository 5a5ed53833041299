"""View of a pair: the files of both sides as HTML, and the passages between them.

A page has a limited size, whatever was handed in: of large files it has a part, of many files some, and of
many passages a part of the list. What it shows follows from the `Selection`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from fingerprint.engine import passage_weight
from submissions.pages.source_view.file_view import FilePassage, FileView, PassageLocation
from submissions.pages.source_view.maps import IgnoredTokens
from submissions.pages.source_view.parts import link_sides, open_files, show_side
from submissions.pages.source_view.render import colour
from submissions.pages.source_view.screen import Anchors
from submissions.pages.source_view.selection import PartStart, Selection
from submissions.pages.source_view.written_differences import (
    MAX_LEXEME_CHARACTERS,
    Difference,
    DifferenceSummary,
    differences,
    shorten_lexeme,
    summarise_differences,
)
from submissions.queries import displayed_pair, ignored_tokens, pair_files

if TYPE_CHECKING:
    from submissions.models import Pair, Submission
    from submissions.models.records import PassageRecord
    from submissions.pseudonyms.names import Names

# Passages that a page or a document lists, and tokens of them that are compared word by word.
PASSAGES_LISTED, COMPARED_TOKENS = 100, 60_000
# Tokens of one passage of a document in which differences are marked and counted.
PAPER_TOKENS = 20_000
FIRST = Selection()


@dataclass(frozen=True, slots=True)
class PassageView:
    """A passage, with its location on both sides and the tokens that are written differently.

    `number` counts from 1. `counted` of the `tokens` count for the score; the others are boilerplate or
    common code. `submissions` is how many of the cohort contain its rarest k-gram; `key` identifies the
    passage to `ignore_passage`. `differences` are those among its first `compared` tokens.
    """

    number: int
    key: str
    tokens: int
    counted: int
    submissions: int
    differences: DifferenceSummary
    compared: int
    left: PassageLocation
    right: PassageLocation

    @property
    def colour(self) -> int:
        return colour(self.number)

    @property
    def excluded(self) -> int:
        """Number of its tokens that are boilerplate or common code."""
        return self.tokens - self.counted

    @property
    def locations(self) -> tuple[PassageLocation, PassageLocation]:
        return self.left, self.right

    @property
    def is_shown(self) -> bool:
        """True if a part of it is on the page, on both sides."""
        return all(side.file.part and self.number in side.file.part.passages for side in self.locations)


@dataclass(frozen=True, slots=True)
class PairSide:
    """One submission of a pair; `letter` is L or R, and `share` is its share in [0, 1].

    `files` are those of which the page has a part, `others` those that it only lists, and `more` is the
    number of a file from which on it does not list them, or 0.
    """

    letter: str
    label: str
    submission: Submission
    share: float
    files: list[FileView]
    others: list[FileView]
    more: int = 0

    @property
    def matched(self) -> int:
        """Number of the files that have a passage."""
        return sum(bool(view.passages) for view in self.files)

    @property
    def unmatched(self) -> int:
        """Number of the files that have none."""
        return len(self.files) - self.matched

    @property
    def more_start(self) -> PartStart:
        return PartStart(self.more, 0)


@dataclass(frozen=True, slots=True)
class PairView:
    """A pair with the listed ones of its `passage_count` passages, in descending order of weight."""

    pair: Pair
    sides: tuple[PairSide, PairSide]
    passages: list[PassageView]
    passage_count: int
    selection: Selection

    @property
    def previous_passage(self) -> int:
        """The first passage of the list before this one, or 0."""
        first = self.passages[0].number if self.passages else 1
        return max(first - PASSAGES_LISTED, 0) if first > 1 else 0

    @property
    def next_passage(self) -> int:
        """The first passage of the list after this one, or 0."""
        after = self.passages[-1].number + 1 if self.passages else 1
        return after if after <= self.passage_count else 0


class _PairPassages(NamedTuple):
    """The files of both sides, by primary key and in their order, and the passages by weight."""

    views: dict[int, FileView]
    records: list[PassageRecord]


def view_pair(pair: Pair, names: Names, selection: Selection = FIRST) -> PairView:
    """Read both submissions, and render what the page shows of their files."""
    pair = displayed_pair(pair, names)
    views, records = _read_passages(pair, names)
    selection = selection._replace(passage=min(selection.passage, len(records)))
    first = (selection.passage - 1) // PASSAGES_LISTED * PASSAGES_LISTED if records else 0
    listed = list(enumerate(records, 1))[first : first + PASSAGES_LISTED]
    listed.sort(key=lambda row: row[0] != selection.passage)
    open_files(views, [record for _, record in listed], selection)
    sides = (_side(pair, "L", views, selection), _side(pair, "R", views, selection))
    link_sides(sides[0].files, sides[1].files)
    return PairView(pair, sides, _passages(listed, views), len(records), selection)


def view_whole_pair(pair: Pair, names: Names) -> PairView:
    """Read both submissions for a document, without rendering them; it has the heaviest passages."""
    pair = displayed_pair(pair, names)
    views, records = _read_passages(pair, names)
    listed = list(enumerate(records, 1))[:PASSAGES_LISTED]
    open_files(views, [record for _, record in listed], Selection(0))
    for view in views.values():
        printed = [passage for passage in view.passages if passage.number <= PASSAGES_LISTED]
        if view.is_open and printed:
            view.mark(printed, (0, len(view.text)), PAPER_TOKENS)
    sides = (_printed_side(pair, "L", views), _printed_side(pair, "R", views))
    return PairView(pair, sides, _passages(listed, views), len(records), Selection(0))


def _read_passages(pair: Pair, names: Names) -> _PairPassages:
    """Return the files of a pair with their passages, without reading the files."""
    files = pair_files(pair)
    if names.hidden:
        files.sort(key=lambda file: (names.redact_text(file.path), file.pk))
    # What a report ignored is counted in tokens, not in those of the coarse streams.
    ignored = {} if pair.translated else ignored_tokens(pair.report, files)
    shorten = cache(lambda lexeme: shorten_lexeme(names.redact_source(lexeme[:MAX_LEXEME_CHARACTERS])))
    views = {
        file.pk: FileView(
            file,
            Anchors(letter, number),
            names,
            IgnoredTokens(ignored.get(file.document_id, [])),
            shorten,
            pair.translated,
        )
        for letter, pk in (("L", pair.left_id), ("R", pair.right_id))
        for number, file in enumerate((file for file in files if file.submission_id == pk), 1)
    }
    records = _sorted_records(pair, views)
    for number, record in enumerate(records, 1):
        left, right = views[record.left_file], views[record.right_file]
        both, first, other = (record.tokens, _counted(record, views)), record.left_token, record.right_token
        left.passages.append(FilePassage(number, first, *both, right, other))
        right.passages.append(FilePassage(number, other, *both, left, first))
    return _PairPassages(views, records)


def _sorted_records(pair: Pair, views: dict[int, FileView]) -> list[PassageRecord]:
    """Return the passages with the sides of the views, in descending order of weight, then by place."""
    numbers = {key: number for number, key in enumerate(views)}
    records = [
        record if views[record.left_file].anchors.side == "L" else record.exchanged
        for record in pair.passages
    ]
    records.sort(key=lambda record: (-record.tokens, numbers[record.left_file], record.left_token))
    return sorted(records, key=lambda record: -passage_weight(_counted(record, views), record.submissions))


def _counted(passage: PassageRecord, views: dict[int, FileView]) -> int:
    """Count the passage's tokens that are not ignored on the left, as the engine does."""
    return views[passage.left_file].counted_tokens(passage.left_token, passage.tokens)


def _side(pair: Pair, letter: str, views: dict[int, FileView], selection: Selection) -> PairSide:
    """Render what the page shows of one side."""
    files = [view for view in views.values() if view.anchors.side == letter]
    return _pair_side(pair, letter, *show_side(files, letter, selection))


def _printed_side(pair: Pair, letter: str, views: dict[int, FileView]) -> PairSide:
    files = [view for view in views.values() if view.anchors.side == letter]
    read, others = ([view for view in files if view.is_open == is_open] for is_open in (True, False))
    return _pair_side(pair, letter, read, others, 0)


def _pair_side(pair: Pair, letter: str, files: list[FileView], others: list[FileView], more: int) -> PairSide:
    if letter == "L":
        return PairSide("L", "Left", pair.left, pair.left_share, files, others, more)
    return PairSide("R", "Right", pair.right, pair.right_share, files, others, more)


def _passages(listed: list[tuple[int, PassageRecord]], views: dict[int, FileView]) -> list[PassageView]:
    """Return the views of passages by number; the first of `listed` are compared first."""
    remaining, passages = COMPARED_TOKENS, []
    for number, record in listed:
        passage = _passage(number, record, views, min(remaining, PAPER_TOKENS))
        remaining -= passage.compared
        passages.append(passage)
    return sorted(passages, key=lambda passage: passage.number)


def _passage(number: int, record: PassageRecord, views: dict[int, FileView], tokens: int) -> PassageView:
    """Return the view of a passage, of which the first `tokens` tokens are compared."""
    left, right = views[record.left_file], views[record.right_file]
    counted = _counted(record, views)
    both = record.tokens, counted
    is_compared = left.is_open and right.is_open and not left.translated
    compared = min(tokens, record.tokens) if is_compared else 0
    return PassageView(
        number,
        record.key,
        *both,
        record.submissions,
        _summary(record, left, right, compared),
        compared,
        left.location(FilePassage(number, record.left_token, *both, right, record.right_token)),
        right.location(FilePassage(number, record.right_token, *both, left, record.left_token)),
    )


def _summary(record: PassageRecord, left: FileView, right: FileView, tokens: int) -> DifferenceSummary:
    """Summarise what is written differently in the first tokens of a passage."""
    if not tokens:
        return DifferenceSummary(0, 0, 0, 0, 0, [])
    runs = left.token_run(record.left_token, tokens), right.token_run(record.right_token, tokens)
    shorten = left.shorten
    differing = [Difference(position, shorten(a), shorten(b)) for position, a, b in differences(*runs)]
    return summarise_differences(*runs, differing)
