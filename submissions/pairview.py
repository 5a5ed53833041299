"""What a pair page shows: both sides' files as HTML and the passages between them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from fingerprint.languages import front_end
from submissions.folded import Excerpt, Folded, folded
from submissions.highlight import Anchors, Mark, colour, line_starts, source_html
from submissions.models import Document
from submissions.packing import unpack_tokens
from submissions.queries import files_of, ignored_tokens
from submissions.texts import text_of

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

    from fingerprint.tokens import TokenStream
    from submissions.models import Pair, Submission, SubmissionFile

# Above this a file is shown without colours for its syntax: lexing it would hold the page up.
COLOURED_CHARACTERS = 1_000_000


class Place(NamedTuple):
    """Where a passage lies on one side; lines count from 1, the last is included."""

    file: FileView
    first_line: int
    last_line: int
    anchor: str


@dataclass(frozen=True, slots=True)
class Passage:
    """One run that both sides share, held by `submissions` of the cohort; `folded`: what differs in it."""

    number: int
    tokens: int
    submissions: int
    folded: Folded
    left: Place
    right: Place

    @property
    def colour(self) -> int:
        return colour(self.number)


@dataclass
class FileView:
    """One file of a side. `marks` fills up as passages are placed; `html` is drawn on demand."""

    file: SubmissionFile
    anchors: Anchors
    ignored_tokens: list[tuple[int, int]]
    marks: list[Mark] = field(default_factory=list)

    @cached_property
    def text(self) -> str:
        return text_of(self.file)

    @cached_property
    def tokens(self) -> TokenStream:
        return unpack_tokens(bytes(self.file.document.tokens))

    @cached_property
    def starts(self) -> list[int]:
        return line_starts(self.text)

    @property
    def path(self) -> str:
        return self.file.path

    @property
    def anchor(self) -> str:
        return f"{self.anchors.side}-f{self.anchors.file}"

    @property
    def language(self) -> str:
        return front_end(self.file.document.language).title

    @property
    def line_count(self) -> int:
        return len(self.starts)

    @property
    def failure(self) -> str:
        document = self.file.document
        return document.reason if document.state == Document.State.FAILED else ""

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Code points from token `first` up to token `last`, which is left out."""
        return int(self.tokens.starts[first]), int(self.tokens.ends[last - 1])

    def excerpt(self, first: int, count: int) -> Excerpt:
        return Excerpt(self.text, self.tokens, first, count)

    def place(self, first: int, count: int, number: int) -> Place:
        """Mark `count` tokens from `first` as passage `number`."""
        start, end = self.span(first, first + count)
        here = "left" if self.anchors.side == "L" else "right"
        there = "right" if here == "left" else "left"
        label = f"Passage {number}, {count} tokens: from the {here} to the {there}"
        self.marks.append(Mark(start, end, number, label))
        lines = bisect_right(self.starts, start), bisect_right(self.starts, max(start, end - 1))
        return Place(self, *lines, self.anchors.passage(number))

    @cached_property
    def html(self) -> SafeString:
        styles = []
        if len(self.text) <= COLOURED_CHARACTERS:
            styles = front_end(self.file.document.language).highlight(self.text)
        ignored = [self.span(*tokens) for tokens in self.ignored_tokens]
        return source_html(
            self.text, styles, sorted(self.marks, key=lambda mark: mark.start), sorted(ignored), self.anchors
        )


@dataclass(frozen=True, slots=True)
class Side:
    letter: str
    label: str
    submission: Submission
    share: float
    files: list[FileView]


@dataclass(frozen=True, slots=True)
class PairView:
    pair: Pair
    sides: tuple[Side, Side]
    passages: list[Passage]


def _passage(
    number: int, here: tuple[FileView, int], there: tuple[FileView, int], size: tuple[int, int]
) -> Passage:
    (left, left_first), (right, right_first), (count, held) = here, there, size
    differences = folded(left.excerpt(left_first, count), right.excerpt(right_first, count))
    places = left.place(left_first, count, number), right.place(right_first, count, number)
    return Passage(number, count, held, differences, *places)


def view_pair(pair: Pair) -> PairView:
    """Read both submissions and place the pair's passages in their files."""
    files = files_of(pair)
    ignored = ignored_tokens(pair.report, files)
    left, right = (
        [
            FileView(file, Anchors(letter, n), ignored.get(file.document_id, []))
            for n, file in enumerate((one for one in files if one.submission_id == submission), 1)
        ]
        for letter, submission in (("L", pair.left_id), ("R", pair.right_id))
    )
    views = {view.file.pk: view for view in (*left, *right)}
    passages = [
        _passage(n, (views[here], here_first), (views[there], there_first), (count, held))
        for n, (here, here_first, there, there_first, count, held) in enumerate(pair.passages, 1)
    ]
    sides = (
        Side("L", "Left", pair.left, pair.left_share, left),
        Side("R", "Right", pair.right, pair.right_share, right),
    )
    return PairView(pair, sides, passages)
