"""One file of a pair: its text, its tokens, the blocks that it shares, and its view as HTML with a map."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from django.utils.translation import gettext as _

from fingerprint.engine import front_end, prose_words
from submissions.intake.packed_readings import COLOURED_CHARACTERS, unpack_coarse, unpack_tokens
from submissions.matches.differences import TokenRun, differing_spans
from submissions.matches.ranked_pairs import WHOLE_TOKENS
from submissions.matches.source_html import (
    TEXT_CELL,
    Layers,
    MarkedPiece,
    PassageMark,
    Spans,
    apart,
    between,
    block_marks,
    cell_lines,
    colour,
    differing_gaps,
    line_starts,
)
from submissions.models import Document
from submissions.pages.filters import cells_at
from submissions.pairs.source_view import Anchors, notices, part_range, source_part
from submissions.uploads.stored_documents import decode_file, stored_spans, styled_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt
    from django.utils.safestring import SafeString

    from fingerprint.engine import Decoded, TokenStream
    from submissions.core.names import Names
    from submissions.models import SubmissionFile
    from submissions.pairs.source_view import ShownPart

PART_START = re.compile(r"([1-9]\d{0,8})-(\d{1,9})")
NUMBER = re.compile(r"[1-9]\d{0,8}")

# Languages whose files may have both code and text.
WITH_TEXT = {"notebook", "rmarkdown", "html", "vue", "svelte", "razor", "erb", "ejs", "jsp", "xml", "json", "yaml"}
COMMENT_STYLES = frozenset({"c", "ch", "cm", "c1", "cs", "cd", "sd"})
# A map is at least so many lines high. No bar is thinner than the map's height divided by its resolution.
MIN_MAP_LINES = 120
MAP_RESOLUTION = 220
# Passages that a map draws, those of the highest weight.
MAX_BARS = 1_000
# Lines and characters that are shown above a passage where a part begins with it.
CONTEXT_LINES, CONTEXT_CHARACTERS = 20, 4_000


class FilePiece(NamedTuple):
    """A run of equal tokens of a block, from the side of one file; `others` as in `MarkedPiece`."""

    first: int
    tokens: int
    other_first: int
    others: int = 0


class FilePassage(NamedTuple):
    """A block on the side of one file: its number, its tokens including the gaps, and its pieces."""

    number: int
    first: int
    tokens: int
    counted: int
    other: FileView
    pieces: list[FilePiece]

    @classmethod
    def from_pieces(cls, number: int, counted: int, other: FileView, pieces: list[FilePiece]) -> FilePassage:
        first, last = pieces[0], pieces[-1]
        return cls(number, first.first, last.first + last.tokens - first.first, counted, other, pieces)

    def clipped(self, tokens: int | None) -> list[FilePiece]:
        """Return the pieces as far as their first `tokens` tokens."""
        if tokens is None:
            return self.pieces
        clipped = []
        for piece in self.pieces:
            if tokens > 0:
                clipped.append(piece._replace(tokens=min(piece.tokens, tokens)))
            tokens -= piece.tokens
        return clipped


class IgnoredTokens:
    """The tokens of a file that do not count: ranges [first, after), in order.

    `tables` are those in tables of literals that are neither boilerplate nor common code.
    """

    def __init__(self, spans: Sequence[tuple[int, int, bool]]) -> None:
        self.ranges = [(first, after) for first, after, _ in spans]
        self.tables = [(first, after) for first, after, in_table in spans if in_table]
        self._firsts = [first for first, _ in self.ranges]
        self._before = [0, *accumulate(after - first for first, after in self.ranges)]

    def among(self, first: int, count: int) -> int:
        """Count those among the `count` tokens from `first` on."""
        return self._below(first + count) - self._below(first)

    def has_table(self, first: int, count: int) -> bool:
        """Return whether some of the `count` tokens from `first` on are in a table."""
        return any(low < first + count and after > first for low, after in self.tables)

    def _below(self, token: int) -> int:
        index = bisect_right(self._firsts, token)
        over = max(self.ranges[index - 1][1] - token, 0) if index else 0
        return self._before[index] - over


@dataclass(frozen=True, slots=True)
class PartStart:
    """The start of the part of a file that is shown: the number of the file, from 1, and a code point."""

    file: int
    offset: int

    def __str__(self) -> str:
        return f"{self.file}-{self.offset}"


class Selection(NamedTuple):
    """The passage, from 1, that the page opens at, and for each side the part that was asked for instead."""

    passage: int = 1
    left: PartStart | None = None
    right: PartStart | None = None

    def start(self, letter: str) -> PartStart | None:
        """Return the start of the side L or R."""
        return self.left if letter == "L" else self.right

    @property
    def jumps(self) -> bool:
        """True if the page scrolls to the passage; otherwise a part of a file was asked for."""
        return not (self.left or self.right)


def parse_selection(query: Mapping[str, str]) -> Selection:
    """Return the selection that the query of an address describes; invalid values are ignored."""
    passage = query.get("passage", "")
    number = int(passage) if NUMBER.fullmatch(passage) else 1
    return Selection(number, _part_start(query.get("left", "")), _part_start(query.get("right", "")))


def _part_start(text: str) -> PartStart | None:
    match = PART_START.fullmatch(text)
    return PartStart(int(match[1]), int(match[2])) if match else None


class WrittenThere(str):
    """The text of the other side in place of a token; `renaming` is the number of the two names, or 0."""

    __slots__ = ("renaming",)
    renaming: int

    def __new__(cls, text: str, renaming: int) -> Self:
        written = super().__new__(cls, text)
        written.renaming = renaming
        return written


class PassageLocation(NamedTuple):
    """Location of a passage on one side; lines count from 1, the last is included.

    They are 0 where the file is too large to be read with the others of the page.
    """

    file: FileView
    first_line: int
    last_line: int
    anchor: str

    @property
    def cells(self) -> str:
        return self.file.cells_at(self.first_line, self.last_line)

    @property
    def place(self) -> str:
        """Its cells or its lines as a short text; empty where the file was not read."""
        lines = dict.fromkeys((self.first_line, self.last_line))
        return self.cells or ("\u2013".join(map(str, lines)) if self.first_line else "")


@dataclass(eq=False)
class FileView:
    """A file of the side L or R as a page shows it, with its number on it, from 1.

    The file is read when its text, its tokens or its colours are first needed. In a `translated` pair its
    tokens come from its coarse stream. `show` renders a part of it, once all its `passages` are known.
    """

    file: SubmissionFile
    side: str
    number: int
    names: Names
    ignored: IgnoredTokens
    shorten: Callable[[str], str] = str
    translated: bool = False
    # Numbers, from 1, of each name on the left with another one in its place; all files of a pair have one.
    renamings: dict[tuple[str, str], int] = field(default_factory=dict)
    passages: list[FilePassage] = field(default_factory=list)
    # Whether its bytes and tokens may be read.
    is_open: bool = False
    marks: list[PassageMark] = field(default_factory=list)
    differing: list[tuple[int, int, str]] = field(default_factory=list)
    # As much of its path as tells it from the other files of its side.
    short_path: str = ""
    # The part of its text that the page has.
    part: ShownPart | None = None
    # How many submissions have each line, by its number; without lines of which that is not known.
    line_counts: dict[int, int] = field(default_factory=dict)
    # The passages that the page has of the other side; None for all.
    shown_opposite: set[int] | None = None

    @cached_property
    def decoded(self) -> Decoded:
        return decode_file(self.file)

    @property
    def text(self) -> str:
        return self.decoded.text

    @cached_property
    def tokens(self) -> TokenStream:
        document = self.file.document
        coarse = unpack_coarse(bytes(document.coarse)) if self.translated else None
        return coarse[0].tokens if coarse else unpack_tokens(bytes(document.tokens))

    @cached_property
    def starts(self) -> Sequence[int]:
        return line_starts(self.text)

    @cached_property
    def token_lines(self) -> npt.NDArray[np.intp]:
        """The line, from 1, on which each token begins."""
        return np.searchsorted(np.asarray(self.starts), self.tokens.starts, side="right")

    def tokens_among(self, words: set[str]) -> set[str]:
        """Return which of these words are tokens of it."""
        spans = zip(self.tokens.starts.tolist(), self.tokens.ends.tolist(), strict=True) if words else ()
        return words.intersection(self.text[start:end] for start, end in spans)

    @cached_property
    def token_sorts(self) -> list[frozenset[int]]:
        """Offsets at which tokens begin that are keywords and types, names of the language, and parts of strings."""
        styles = ("k", "ow"), ("nb", "bp", "ne"), ("s", "dl")
        return [styled_tokens(self.file.document, self.text, self.tokens.starts, *each) for each in styles]

    @cached_property
    def comments(self) -> list[tuple[int, int]]:
        """The code points [start, end) of comments and of texts that document code."""
        return [span[:2] for span in stored_spans(self.file.document, self.text) if span[2] in COMMENT_STYLES]

    @cached_property
    def cells(self) -> list[int]:
        """The lines above the cells of a notebook; none for other files."""
        return cell_lines(self.text, self.file.document.language) if self.is_open else []

    @property
    def contents(self) -> frozenset[str]:
        """What counts in it: "code", "text", both or nothing; what is not read may have both."""
        document = self.file.document
        if not document.token_count:
            return frozenset()
        if document.language not in WITH_TEXT:
            return frozenset({"text" if document.language == "text" else "code"})
        if not self.is_open or len(self.text) > COLOURED_CHARACTERS:
            return frozenset({"code", "text"})
        if document.language == "notebook":
            return frozenset({"code", "text"} if TEXT_CELL.search(self.text) else {"code"})
        written = sum(1 for _ in prose_words(self.text, self.tokens))
        return frozenset(["text"] * (written > 0) + ["code"] * (written < len(self.tokens)))

    def cells_at(self, *lines: int) -> str:
        """Return where the first and the last line are in a notebook, as people see them; else an empty text."""
        return cells_at(self.cells, *lines)

    @property
    def path(self) -> str:
        return self.names.redact_text(self.file.path)

    @property
    def is_countable(self) -> bool:
        """True if it is not very small, and most of it is neither boilerplate nor common code."""
        counted = self.counted_tokens(0, size := self.file.document.token_count)
        counted += sum(after - first for first, after in self.ignored.tables)
        return counted >= WHOLE_TOKENS and 2 * counted > size

    @property
    def shared(self) -> int:
        """Number of tokens in its passages."""
        return sum(passage.tokens for passage in self.passages)

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

    @property
    def is_compared(self) -> bool:
        return self.file.document.state != Document.State.KEPT

    def span(self, first: int, after: int) -> tuple[int, int]:
        """Return the code points [start, end) of the tokens [`first`, `after`)."""
        return int(self.tokens.starts[first]), int(self.tokens.ends[after - 1])

    def gap(self, first: int, after: int) -> tuple[int, int]:
        """Return the code points [start, end) between the tokens before `first` and from `after` on."""
        return int(self.tokens.ends[first - 1]), int(self.tokens.starts[after])

    def passage_text(self, passage: FilePassage) -> str:
        """Return the text from the first to the last token of one of the file's passages."""
        return self.text[slice(*self.span(passage.first, passage.first + passage.tokens))]

    def token_run(self, first: int, count: int) -> TokenRun:
        return TokenRun(self.text, self.tokens, first, count, self.comments, *self.token_sorts)

    def counted_tokens(self, first: int, count: int) -> int:
        """Count the tokens that are not ignored among the `count` tokens from `first` on."""
        return count - self.ignored.among(first, count)

    def match_with(self, other: FileView) -> FileMatch:
        """Return what a file on the left and one on the right share."""
        passages = [passage for passage in self.passages if passage.other is other]
        tokens = sum(piece.tokens for passage in passages for piece in passage.pieces)
        smaller = min(max(one.file.document.token_count, 1) for one in (self, other))
        number, same = passages[0].number if passages else 0, self.file.source_id == other.file.source_id
        return FileMatch(other, number, min(100 * tokens // smaller, 100), same)

    def lines(self, start: int, end: int) -> tuple[int, int]:
        """Return the first and the last line, from 1, of the code points [start, end)."""
        return bisect_right(self.starts, start), bisect_right(self.starts, max(start, end - 1))

    def piece_lines(self, passage: FilePassage) -> Iterator[tuple[int, int, int]]:
        """Yield the number of a block with the first and the last line of each of its pieces."""
        for piece in passage.pieces:
            yield passage.number, *self.lines(*self.span(piece.first, piece.first + piece.tokens))

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
        return self.part.html(self.shown_opposite)

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
        shown = self.text, self.starts, self.layers(span), self.anchors, self.line_counts
        self.part = source_part(*shown, cells=self.cells, start=start, size=size, ready_blocks=ready_blocks)

    def mark(self, passages: list[FilePassage], span: tuple[int, int], tokens: int | None = None) -> None:
        """Mark passages, and within `span` the tokens, of the first `tokens` of each, that differ."""
        self.marks, self.differing = [], []
        for passage in sorted(passages, key=lambda passage: passage.first):
            pieces = self._marked_pieces(passage, span)
            self.marks += block_marks(self.text, passage.number, pieces, self._label(passage))
            for piece in passage.clipped(tokens):
                self.differing += self._differing(passage.other, piece, span)
        self.differing.sort()
        self.marks = list(apart(self.marks))

    def layers(self, span: tuple[int, int]) -> Layers:
        """Return the spans to mark up in the code points `span`, once the passages are marked."""
        ignored = (self.span(*tokens) for tokens in self.ignored.ranges)
        return Layers(
            styles=Spans(stored_spans(self.file.document, self.text, *span)),
            marks=Spans((mark.start, mark.end, mark) for mark in self.marks),
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
            for runs, is_gap in ((join_touching(ignored, int(min_height)), False), (blocks, True), (pieces, False))
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

    def _between(self, other: FileView, before: FilePiece, piece: FilePiece) -> MarkedPiece:
        this = self.text, self.gap(before.first + before.tokens, piece.first)
        if self.translated or not other.is_open:
            return between(this, None)
        return between(this, (other.text, other.gap(before.other_first + before.tokens, piece.other_first)))

    def _runs_within(
        self, other: FileView, piece: FilePiece, span: tuple[int, int]
    ) -> tuple[TokenRun, TokenRun] | None:
        """Return the tokens of a piece within the code points `span` on both sides, if they are compared."""
        low = max(piece.first, int(np.searchsorted(self.tokens.ends, span[0], side="right")))
        high = min(piece.first + piece.tokens, int(np.searchsorted(self.tokens.starts, span[1])))
        if self.translated or not other.is_open or low >= high:
            return None
        other_first = piece.other_first + low - piece.first
        return self.token_run(low, high - low), other.token_run(other_first, high - low)

    def _differing(self, other: FileView, piece: FilePiece, span: tuple[int, int]) -> Iterator[tuple[int, int, str]]:
        """Yield the tokens of a piece within `span` that the other side writes differently, and how."""
        if not (runs := self._runs_within(other, piece, span)):
            return
        for place, difference, there in differing_spans(*runs):
            renaming = 0
            if all(run.is_name(difference.position) for run in runs):
                names = difference[1:] if self.side == "L" else difference[:0:-1]
                renaming = self.renamings.setdefault(names, len(self.renamings) + 1)
            yield *place, WrittenThere(self.shorten(there) or _("nothing"), renaming)


def shortest_unique_paths(paths: Sequence[str]) -> list[str]:
    """Return for every path as few of its last parts as no other path ends with, or else all of it."""
    # The ends of a path, the shortest first: `c`, `b/c` and `a/b/c` for `a/b/c`.
    ends = [list(accumulate(reversed(path.split("/")), lambda end, part: f"{part}/{end}")) for path in paths]
    counts = Counter(end for path_ends in ends for end in path_ends)
    return [next((end for end in path_ends if counts[end] == 1), path_ends[-1]) for path_ends in ends]


class MapBar(NamedTuple):
    """A run of lines on the map: of block `number`, or ignored code for number 0.

    `top`, the lines above it, and `height` are in lines. Before its pieces, a block is drawn as a whole with `is_gap`.
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


class FileMatch(NamedTuple):
    """A cell of the matrix of files: the number of the heaviest passage, or 0, and the percent of the smaller file."""

    file: FileView
    number: int
    percent: int
    is_same: bool
