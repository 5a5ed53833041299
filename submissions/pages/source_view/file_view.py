"""View of one file of a pair: the part of its text that is shown, as HTML, and the bars of its map."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from django.utils.translation import gettext as _

from submissions.comparison.marks import MarkedPiece, between, block_marks, differing_gaps
from submissions.comparison.source_html import Layers, PassageMark, Spans, colour
from submissions.comparison.written_differences import TokenRun, differences, differing_parts
from submissions.pages.source_view.notices import notices
from submissions.pages.source_view.pair_file import PairFile, PartStart, passages_in_order
from submissions.pages.source_view.screen import Anchors, part_range, source_part
from submissions.storage.syntax_spans import stored_spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from django.utils.safestring import SafeString

    from submissions.pages.source_view.pair_file import FilePassage, FilePiece
    from submissions.pages.source_view.screen import ShownPart

# A map is at least so many lines high. No bar is thinner than the map's height divided by its resolution.
MIN_MAP_LINES = 120
MAP_RESOLUTION = 220
# Passages that a map draws, those of the highest weight.
MAX_BARS = 1_000
# Lines and characters that are shown above a passage where a part begins with it.
CONTEXT_LINES, CONTEXT_CHARACTERS = 20, 4_000


class PassageLocation(NamedTuple):
    """Location of a passage on one side; lines count from 1, the last is included.

    They are 0 where the file is too large to be read with the others of the page.
    """

    file: FileView
    first_line: int
    last_line: int
    anchor: str


@dataclass(eq=False)
class FileView(PairFile):
    """A file as a page shows it. `show` renders a part of it, once all its `passages` are known."""

    marks: list[PassageMark] = field(default_factory=list)
    differing: list[tuple[int, int, str]] = field(default_factory=list)
    # As much of its path as tells it from the other files of its side.
    short_path: str = ""
    # The part of its text that the page has.
    part: ShownPart | None = None

    @property
    def anchors(self) -> Anchors:
        return Anchors(self.side, self.number)

    @property
    def anchor(self) -> str:
        return f"{self.side}-f{self.number}"

    @cached_property
    def notices(self) -> list[str]:
        """Sentences on unusual properties of the text, and on how they are displayed."""
        return notices(self.decoded, self.starts)

    @property
    def html(self) -> SafeString:
        """The part that is shown."""
        assert self.part
        return self.part.html

    @property
    def is_whole(self) -> bool:
        """True if the part on the page is the whole file."""
        return self.part is not None and self.part.start == 0 and self.part.end == len(self.text)

    @property
    def first_start(self) -> PartStart:
        """The start of the file's first part."""
        return PartStart(self.number, 0)

    @property
    def next_start(self) -> PartStart | None:
        """The start of the part after the one that is shown."""
        return PartStart(self.number, self.part.end) if self.part and self.part.end < len(self.text) else None

    @property
    def previous_start(self) -> PartStart | None:
        """The start of the part before, which has about as many characters."""
        if not self.part or not self.part.start:
            return None
        back = max(self.part.start - max(self.part.end - self.part.start, CONTEXT_CHARACTERS), 0)
        line_start = self.starts[bisect_right(self.starts, back) - 1]
        return PartStart(self.number, line_start if back - line_start < CONTEXT_CHARACTERS else back)

    def location(self, passage: FilePassage) -> PassageLocation:
        """Return the location of one of the file's passages."""
        anchor = self.anchors.passage(passage.number)
        if not self.is_open:
            return PassageLocation(self, 0, 0, anchor)
        lines = self.lines(*self.span(passage.first, passage.first + passage.tokens))
        return PassageLocation(self, *lines, anchor)

    def start_before(self, passage: FilePassage) -> int:
        """Return where a part begins that shows a passage: some lines above, less in a long line."""
        start, _ = self.span(passage.first, passage.first + 1)
        line = bisect_right(self.starts, start)
        above = self.starts[max(line - 1 - CONTEXT_LINES, 0)]
        return above if start - above < CONTEXT_CHARACTERS else max(start - CONTEXT_CHARACTERS // 10, 0)

    def show(self, start: int, size: int, ready_blocks: int = 0) -> None:
        """Render the part from `start` on, of about `size` characters; see `source_part`."""
        span = part_range(self.text, start)
        self.mark(self._passages_within(*span), span)
        self.part = source_part(
            self.text,
            self.starts,
            self.layers(span),
            self.anchors,
            start=start,
            size=size,
            ready_blocks=ready_blocks,
        )

    def mark(self, passages: list[FilePassage], span: tuple[int, int], tokens: int | None = None) -> None:
        """Mark passages, and within `span` the tokens, of the first `tokens` of each, that differ."""
        self.marks, self.differing = [], []
        for passage in passages_in_order(passages):
            pieces = self._marked_pieces(passage, span)
            self.marks += block_marks(self.text, passage.number, pieces, self._label(passage))
            for piece in passage.clipped(tokens):
                self.differing += self._differing(passage.other, piece, span)
        self.differing.sort()

    def layers(self, span: tuple[int, int]) -> Layers:
        """Return the spans to mark up in the code points `span`, once the passages are marked."""
        ignored = (self.span(*tokens) for tokens in self.ignored.ranges)
        return Layers(
            styles=Spans(stored_spans(self.file.document, self.text, *span)),
            marks=Spans(
                (mark.start, mark.end, mark) for mark in sorted(self.marks, key=lambda mark: mark.start)
            ),
            ignored=Spans((*each, None) for each in ignored if each[0] < span[1] and each[1] > span[0]),
            differing=Spans(self.differing),
            renamed=Spans(self.names.source_spans(self.text)),
        )

    @property
    def map_lines(self) -> int:
        return max(self.line_count, MIN_MAP_LINES)

    @cached_property
    def bars(self) -> list[MapBar]:
        """Bars of the map; later ones are drawn over earlier ones."""
        min_height = self.map_lines / MAP_RESOLUTION
        ignored = ((0, *self.lines(*self.span(*tokens))) for tokens in self.ignored.ranges)
        drawn = self.passages[:MAX_BARS]
        blocks = ((each.number, *self.location(each)[1:3]) for each in drawn if len(each.pieces) > 1)
        pieces = (run for each in drawn for run in join_touching(self.piece_lines(each), int(min_height)))
        return [
            MapBar(number, first - 1, max(last - first + 1, min_height), is_gap)
            for runs, is_gap in (
                (join_touching(ignored, int(min_height)), False),
                (blocks, True),
                (pieces, False),
            )
            for number, first, last in runs
        ]

    def _passages_within(self, start: int, end: int) -> list[FilePassage]:
        """Return the passages of which some tokens lie in the code points [start, end)."""
        if not self.passages:
            return []
        firsts = np.array([passage.first for passage in self.passages])
        lasts = firsts + np.array([passage.tokens for passage in self.passages]) - 1
        inside = (self.tokens.starts[firsts] < end) & (self.tokens.ends[lasts] > start)
        return [self.passages[index] for index in np.flatnonzero(inside).tolist()]

    def _label(self, passage: FilePassage) -> str:
        from_left = _("Passage {number}, {n} tokens: from the left to the right")
        from_right = _("Passage {number}, {n} tokens: from the right to the left")
        text = from_left if self.side == "L" else from_right
        return text.format(number=passage.number, n=passage.counted)

    def _marked_pieces(self, passage: FilePassage, span: tuple[int, int]) -> Iterator[MarkedPiece]:
        """Yield the pieces of a passage, and what is between them."""
        for at, piece in enumerate(passage.pieces):
            if at:
                yield self._between(passage.other, passage.pieces[at - 1], piece)
            runs = self._runs_within(passage.other, piece, span)
            cuts = list(differing_gaps(*runs)) if runs else []
            yield MarkedPiece(*self.span(piece.first, piece.first + piece.tokens), cuts, piece.others)

    def _between(self, other: PairFile, before: FilePiece, piece: FilePiece) -> MarkedPiece:
        this = self.text, self.gap(before.first + before.tokens, piece.first)
        if self.translated or not other.is_open:
            return between(this, None)
        return between(this, (other.text, other.gap(before.other_first + before.tokens, piece.other_first)))

    def _runs_within(
        self, other: PairFile, piece: FilePiece, span: tuple[int, int]
    ) -> tuple[TokenRun, TokenRun] | None:
        """Return the tokens of a piece within the code points `span` on both sides, if they are compared."""
        low = max(piece.first, int(np.searchsorted(self.tokens.ends, span[0], side="right")))
        high = min(piece.first + piece.tokens, int(np.searchsorted(self.tokens.starts, span[1])))
        if self.translated or not other.is_open or low >= high:
            return None
        other_first = piece.other_first + low - piece.first
        return self.token_run(low, high - low), other.token_run(other_first, high - low)

    def _differing(
        self, other: PairFile, piece: FilePiece, span: tuple[int, int]
    ) -> Iterator[tuple[int, int, str]]:
        """Yield the tokens of a piece within `span` that the other side writes differently, and how."""
        if not (runs := self._runs_within(other, piece, span)):
            return
        spans = runs[0].spans()
        for difference in differences(*runs):
            start = spans[difference.position][0]
            for (first, after), other_part in differing_parts(difference.left, difference.right):
                if first < after:
                    there = self.shorten(difference.right[slice(*other_part)]) or _("nothing")
                    yield start + first, start + after, there


class MapBar(NamedTuple):
    """A run of lines on the map: of block `number`, or ignored code for number 0.

    `top`, the lines above it, and `height` are in lines. Before its pieces, a block is drawn as a whole
    with `is_gap`.
    """

    number: int
    top: int
    height: float
    is_gap: bool = False

    @property
    def css(self) -> str:
        return f"c{colour(self.number)}{' gap' if self.is_gap else ''}" if self.number else "ignored"


def join_touching(runs: Iterable[tuple[int, int, int]], gap: int = 0) -> Iterator[tuple[int, int, int]]:
    """Join runs (number, first line, last line) that overlap or have at most `gap` lines between them."""
    joined: tuple[int, int, int] | None = None
    for number, first, last in runs:
        if joined and first <= joined[2] + 1 + gap:
            joined = number, joined[1], max(joined[2], last)
            continue
        if joined:
            yield joined
        joined = number, first, last
    if joined:
        yield joined
