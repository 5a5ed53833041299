"""What a pair page shows: both sides' files as HTML and the passages between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from fingerprint.engine import passage_weight
from submissions.pages.source_view.file_view import FileView, PassagePlace
from submissions.pages.source_view.render import colour
from submissions.pages.source_view.screen import Anchors
from submissions.pages.source_view.written_differences import (
    READ,
    Difference,
    Folded,
    cut,
    differences,
    folded,
)
from submissions.queries import files_of, ignored_tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from submissions.models import Pair, Submission
    from submissions.models.records import PassageRecord
    from submissions.pseudonyms.names import Names


@dataclass(frozen=True, slots=True)
class Passage:
    """One run that both sides share, held by `submissions` of the cohort; `folded`: what differs in it.

    Of its `tokens` the score counts `counted`: the others are boilerplate or common to many. `key` names it
    to `ignore_passage`.
    """

    number: int
    key: str
    tokens: int
    counted: int
    submissions: int
    folded: Folded
    left: PassagePlace
    right: PassagePlace

    @property
    def colour(self) -> int:
        return colour(self.number)

    @property
    def left_out(self) -> int:
        return self.tokens - self.counted

    @property
    def places(self) -> tuple[PassagePlace, PassagePlace]:
        return self.left, self.right


@dataclass(frozen=True, slots=True)
class PairSide:
    letter: str
    label: str
    submission: Submission
    share: float
    files: list[FileView]


@dataclass(frozen=True, slots=True)
class PairView:
    """A pair with its passages, those that weigh most first."""

    pair: Pair
    sides: tuple[PairSide, PairSide]
    passages: list[Passage]


def view_pair(pair: Pair, names: Names) -> PairView:
    """Read both submissions and place the pair's passages in their files."""
    files = files_of(pair)
    ignored = ignored_tokens(pair.report, files)
    left, right = (
        [
            FileView(file, Anchors(letter, n), names, ignored.get(file.document_id, []))
            for n, file in enumerate((one for one in files if one.submission_id == submission), 1)
        ]
        for letter, submission in (("L", pair.left_id), ("R", pair.right_id))
    )
    views = {view.file.pk: view for view in (*left, *right)}
    rows = sorted(pair.passages, key=lambda row: -passage_weight(_counted(row, views), row.submissions))
    written = cache(lambda lexeme: cut(names.source(lexeme[:READ])))
    passages = [_passage(number, row, views, written) for number, row in enumerate(rows, 1)]
    sides = (
        PairSide("L", "Left", pair.left, pair.left_share, left),
        PairSide("R", "Right", pair.right, pair.right_share, right),
    )
    return PairView(pair, sides, passages)


def _counted(passage: PassageRecord, views: dict[int, FileView]) -> int:
    """Count tokens on the left, as the engine does for the longest passage."""
    return views[passage.left_file].counted(passage.left_token, passage.tokens)


def _passage(
    number: int, stored: PassageRecord, views: dict[int, FileView], written: Callable[[str], str]
) -> Passage:
    left, right = views[stored.left_file], views[stored.right_file]
    count, counted = stored.tokens, _counted(stored, views)
    sides = left.excerpt(stored.left_token, count), right.excerpt(stored.right_token, count)
    found = [Difference(at, written(a), written(b)) for at, a, b in differences(*sides)]
    spans = sides[0].spans(), sides[1].spans()
    left.differing += [(*spans[0][at], b) for at, _, b in found]
    right.differing += [(*spans[1][at], a) for at, a, _ in found]
    return Passage(
        number,
        stored.key,
        count,
        counted,
        stored.submissions,
        folded(*sides, found),
        left.place(stored.left_token, count, number, counted),
        right.place(stored.right_token, count, number, counted),
    )
