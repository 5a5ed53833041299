"""View of a pair: the files of both sides as HTML, and the passages between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from fingerprint.engine import passage_weight
from submissions.pages.source_view.file_view import FileView, PassageLocation
from submissions.pages.source_view.render import colour
from submissions.pages.source_view.screen import Anchors
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
    from collections.abc import Callable

    from submissions.models import Pair, Submission
    from submissions.models.records import PassageRecord
    from submissions.pseudonyms.names import Names


@dataclass(frozen=True, slots=True)
class PassageView:
    """A passage, with its location on both sides and the tokens that are written differently.

    `number` counts from 1. `counted` of the `tokens` count for the score; the others are boilerplate or
    common code. `submissions` is how many of the cohort contain its rarest k-gram; `key` identifies the
    passage to `ignore_passage`.
    """

    number: int
    key: str
    tokens: int
    counted: int
    submissions: int
    differences: DifferenceSummary
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


@dataclass(frozen=True, slots=True)
class PairSide:
    """One submission of a pair; `letter` is L or R, and `share` is its share in [0, 1]."""

    letter: str
    label: str
    submission: Submission
    share: float
    files: list[FileView]


@dataclass(frozen=True, slots=True)
class PairView:
    """A pair with its passages, in descending order of weight."""

    pair: Pair
    sides: tuple[PairSide, PairSide]
    passages: list[PassageView]


def view_pair(pair: Pair, names: Names) -> PairView:
    """Read both submissions, and mark the pair's passages in their files."""
    pair = displayed_pair(pair, names)
    files = pair_files(pair)
    if names.hidden:
        files.sort(key=lambda file: (names.redact_text(file.path), file.pk))
    ignored = ignored_tokens(pair.report, files)
    left, right = (
        [
            FileView(file, Anchors(letter, number), names, ignored.get(file.document_id, []))
            for number, file in enumerate((file for file in files if file.submission_id == pk), 1)
        ]
        for letter, pk in (("L", pair.left_id), ("R", pair.right_id))
    )
    views = {view.file.pk: view for view in (*left, *right)}
    records = _sorted_records(pair, views)
    shorten = cache(lambda lexeme: shorten_lexeme(names.redact_source(lexeme[:MAX_LEXEME_CHARACTERS])))
    passages = [_passage(number, record, views, shorten) for number, record in enumerate(records, 1)]
    sides = (
        PairSide("L", "Left", pair.left, pair.left_share, left),
        PairSide("R", "Right", pair.right, pair.right_share, right),
    )
    return PairView(pair, sides, passages)


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


def _passage(
    number: int, record: PassageRecord, views: dict[int, FileView], shorten: Callable[[str], str]
) -> PassageView:
    """Mark a passage and the tokens that differ in it in both files, and return its view."""
    left, right = views[record.left_file], views[record.right_file]
    count, counted = record.tokens, _counted(record, views)
    runs = left.token_run(record.left_token, count), right.token_run(record.right_token, count)
    differing = [Difference(position, shorten(a), shorten(b)) for position, a, b in differences(*runs)]
    left_spans, right_spans = runs[0].spans(), runs[1].spans()
    left.differing += [(*left_spans[difference.position], difference.right) for difference in differing]
    right.differing += [(*right_spans[difference.position], difference.left) for difference in differing]
    return PassageView(
        number,
        record.key,
        count,
        counted,
        record.submissions,
        summarise_differences(*runs, differing),
        left.mark_passage(record.left_token, count, number, counted),
        right.mark_passage(record.right_token, count, number, counted),
    )
