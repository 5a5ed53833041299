"""View of one file of a pair: its text as HTML, notices about its text, and the bars of its map."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from fingerprint.engine import front_end
from submissions.models import Document
from submissions.pages.source_view.render import Layers, PassageMark, Spans, colour, line_starts
from submissions.pages.source_view.screen import LONG_LINE, source_html
from submissions.pages.source_view.visible import UNSEEN, character_name
from submissions.pages.source_view.written_differences import TokenRun
from submissions.storage.sources import decode_file
from submissions.storage.syntax_spans import stored_spans
from submissions.storage.tokens import unpack_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from django.utils.safestring import SafeString

    from fingerprint.engine import Decoded, Span, TokenStream
    from submissions.models import SubmissionFile
    from submissions.pages.source_view.screen import Anchors
    from submissions.pseudonyms.names import Names

# Kinds of unseen characters that a notice lists.
MAX_CHARACTER_KINDS = 4
# A map is at least so many lines high. No bar is thinner than the map's height divided by its resolution.
MIN_MAP_LINES = 120
MAP_RESOLUTION = 220


class PassageLocation(NamedTuple):
    """Location of a passage on one side; lines count from 1, the last is included."""

    file: FileView
    first_line: int
    last_line: int
    anchor: str


class MapBar(NamedTuple):
    """A run of lines on the map: passage `number`, or ignored code for number 0.

    `top`, the lines above it, and `height` are in lines.
    """

    number: int
    top: int
    height: float

    @property
    def css(self) -> str:
        return f"c{colour(self.number)}" if self.number else "ignored"


@dataclass
class FileView:
    """One file of a side of a pair.

    `mark_passage` adds to `marks` and `passage_lines`, and `differing` is filled by `pair_view`. Read `bars`,
    `layers` and `html` only once all passages are marked: they are computed on first use and then cached.
    """

    file: SubmissionFile
    anchors: Anchors
    names: Names
    ignored_tokens: list[tuple[int, int]]
    marks: list[PassageMark] = field(default_factory=list)
    differing: list[Span] = field(default_factory=list)
    passage_lines: list[tuple[int, int, int]] = field(default_factory=list)

    @cached_property
    def decoded(self) -> Decoded:
        return decode_file(self.file)

    @property
    def text(self) -> str:
        return self.decoded.text

    @cached_property
    def tokens(self) -> TokenStream:
        return unpack_tokens(bytes(self.file.document.tokens))

    @cached_property
    def starts(self) -> list[int]:
        return line_starts(self.text)

    @cached_property
    def styles(self) -> list[Span]:
        return list(stored_spans(self.file.document, self.text))

    @cached_property
    def keywords(self) -> frozenset[int]:
        """Offsets in the text at which keywords and types begin."""
        return frozenset(start for start, _, css in self.styles if css.startswith("k") or css == "ow")

    @property
    def path(self) -> str:
        return self.names.redact_text(self.file.path)

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

    @cached_property
    def notices(self) -> list[str]:
        """Sentences on unusual properties of the text, and on how they are displayed."""
        return [
            *_encoding_notices(self.decoded),
            *_unseen_character_notices(self.text),
            *_long_line_notices(self.starts, self.text),
        ]

    def span(self, first: int, after: int) -> tuple[int, int]:
        """Return the code points [start, end) of the tokens [`first`, `after`)."""
        return int(self.tokens.starts[first]), int(self.tokens.ends[after - 1])

    def token_run(self, first: int, count: int) -> TokenRun:
        return TokenRun(self.text, self.tokens, first, count, self.keywords)

    def counted_tokens(self, first: int, count: int) -> int:
        """Count the tokens that are not ignored among the `count` tokens from `first` on."""
        after = first + count
        return count - sum(max(0, min(end, after) - max(start, first)) for start, end in self.ignored_tokens)

    def lines(self, start: int, end: int) -> tuple[int, int]:
        """Return the first and the last line, from 1, of the code points [start, end)."""
        return bisect_right(self.starts, start), bisect_right(self.starts, max(start, end - 1))

    def mark_passage(self, first: int, count: int, number: int, counted: int) -> PassageLocation:
        """Mark `count` tokens from `first` on, of which `counted` are not ignored, as passage `number`."""
        start, end = self.span(first, first + count)
        side, other_side = ("left", "right") if self.anchors.side == "L" else ("right", "left")
        label = f"Passage {number}, {counted} tokens: from the {side} to the {other_side}"
        self.marks.append(PassageMark(start, end, number, label))
        lines = self.lines(start, end)
        self.passage_lines.append((number, *lines))
        return PassageLocation(self, *lines, self.anchors.passage(number))

    @property
    def map_lines(self) -> int:
        return max(self.line_count, MIN_MAP_LINES)

    @cached_property
    def bars(self) -> list[MapBar]:
        """Bars of the map; later ones are drawn over earlier ones."""
        ignored = ((0, *self.lines(*self.span(*tokens))) for tokens in self.ignored_tokens)
        min_height = self.map_lines / MAP_RESOLUTION
        return [
            MapBar(number, first - 1, max(last - first + 1, min_height))
            for number, first, last in (*_join_touching(ignored), *self.passage_lines)
        ]

    @cached_property
    def layers(self) -> Layers:
        """Spans to mark up in the text; complete once all passages are marked."""
        marks = sorted(self.marks, key=lambda mark: mark.start)
        ignored = sorted(self.span(*tokens) for tokens in self.ignored_tokens)
        return Layers(
            styles=Spans(self.styles),
            marks=Spans((mark.start, mark.end, mark) for mark in marks),
            ignored=Spans((*span, None) for span in ignored),
            differing=Spans(sorted(self.differing)),
            renamed=Spans(self.names.source_spans(self.text)),
        )

    @cached_property
    def html(self) -> SafeString:
        return source_html(self.text, self.starts, self.layers, self.anchors)


def _join_touching(runs: Iterable[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    """Join runs (number, first line, last line) that overlap or follow each other without a gap."""
    joined: tuple[int, int, int] | None = None
    for number, first, last in runs:
        if joined and first <= joined[2] + 1:
            joined = number, joined[1], max(joined[2], last)
            continue
        if joined:
            yield joined
        joined = number, first, last
    if joined:
        yield joined


def _encoding_notices(source: Decoded) -> Iterator[str]:
    name = source.encoding.replace("cp125", "windows-125")
    if source.encoding != "utf-8":
        yield f"Not in UTF-8; read as {name}. Letters beyond ASCII may be others than were meant."
    if damaged := source.text.count("\ufffd"):
        yield f"{_pluralised(damaged, 'character')} could not be decoded and {_are(damaged)} shown as \ufffd."


def _unseen_character_notices(text: str) -> Iterator[str]:
    counts = Counter(UNSEEN.findall(text))
    if not counts:
        return
    most_common = counts.most_common(MAX_CHARACTER_KINDS)
    kinds = [f"{character_name(character)}, {count} of them" for character, count in most_common]
    if len(counts) > MAX_CHARACTER_KINDS:
        kinds.append(f"{len(counts) - MAX_CHARACTER_KINDS} more kinds")
    characters = _pluralised(counts.total(), "character")
    yield f"Holds {characters} that cannot be seen or would mislead, each marked in red: {'; '.join(kinds)}."


def _long_line_notices(starts: list[int], text: str) -> Iterator[str]:
    lengths = [len(text[start:end].rstrip("\r\n")) for start, end in pairwise([*starts, len(text)])]
    longest = max(lengths)
    long = sum(length > LONG_LINE for length in lengths)
    if long:
        line = f"The longest of {long} long lines" if long > 1 else f"Line {lengths.index(longest) + 1}"
        yield f"{line} has {longest:,} characters; those after the first {LONG_LINE:,} open by a click."


def _pluralised(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' if count > 1 else ''}"


def _are(count: int) -> str:
    return "are" if count > 1 else "is"
