"""One file of a side of a pair: its text as HTML, what is odd about it, and its map."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from fingerprint.engine import front_end
from submissions.models import Document
from submissions.pages.source_view.render import Layers, Mark, Spans, colour, line_starts
from submissions.pages.source_view.screen import LONG_LINE, source_html
from submissions.pages.source_view.visible import UNSEEN, character_name
from submissions.pages.source_view.written_differences import Excerpt
from submissions.storage.sources import decoded
from submissions.storage.syntax_spans import stored_spans
from submissions.storage.tokens import unpack_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from django.utils.safestring import SafeString

    from fingerprint.engine import Decoded, Span, TokenStream
    from submissions.models import SubmissionFile
    from submissions.pages.source_view.screen import Anchors
    from submissions.pseudonyms.names import Names

# Kinds of unseen characters that a notice names.
NAMED = 4
# A map is so many lines high at least, and nothing on it is thinner than one in so many of its lines.
MAP_LINES = 120
THINNEST = 220


class PassagePlace(NamedTuple):
    """Where a passage lies on one side; lines count from 1, the last is included."""

    file: FileView
    first_line: int
    last_line: int
    anchor: str


class Bar(NamedTuple):
    """A run of lines on the map: passage `number`, or with 0 what was ignored."""

    number: int
    first: int
    height: float

    @property
    def css(self) -> str:
        return f"c{colour(self.number)}" if self.number else "ignored"


@dataclass
class FileView:
    """One file of a side. Marks and differences fill up as passages are placed; `html` is drawn on demand."""

    file: SubmissionFile
    anchors: Anchors
    names: Names
    ignored_tokens: list[tuple[int, int]]
    marks: list[Mark] = field(default_factory=list)
    differing: list[Span] = field(default_factory=list)
    placed: list[tuple[int, int, int]] = field(default_factory=list)

    @cached_property
    def decoded(self) -> Decoded:
        return decoded(self.file)

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
    def words(self) -> frozenset[int]:
        """Offsets of keywords and types."""
        return frozenset(start for start, _, css in self.styles if css.startswith("k") or css == "ow")

    @property
    def path(self) -> str:
        return self.names.text(self.file.path)

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
        """Say what of the file is odd, and how it is shown."""
        return [
            *_about_encoding(self.decoded),
            *_about_unseen(self.text),
            *_about_long(self.starts, self.text),
        ]

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Code points from token `first` up to token `last`, which is left out."""
        return int(self.tokens.starts[first]), int(self.tokens.ends[last - 1])

    def excerpt(self, first: int, count: int) -> Excerpt:
        return Excerpt(self.text, self.tokens, first, count, self.words)

    def counted(self, first: int, count: int) -> int:
        """Count those of `count` tokens from `first` on that are not ignored."""
        after = first + count
        return count - sum(max(0, min(end, after) - max(start, first)) for start, end in self.ignored_tokens)

    def lines(self, start: int, end: int) -> tuple[int, int]:
        """Give the first and the last line of code points [start, end)."""
        return bisect_right(self.starts, start), bisect_right(self.starts, max(start, end - 1))

    def place(self, first: int, count: int, number: int, counted: int) -> PassagePlace:
        """Mark `count` tokens from `first`, of which `counted` count, as passage `number`."""
        start, end = self.span(first, first + count)
        here = "left" if self.anchors.side == "L" else "right"
        there = "right" if here == "left" else "left"
        label = f"Passage {number}, {counted} tokens: from the {here} to the {there}"
        self.marks.append(Mark(start, end, number, label))
        lines = self.lines(start, end)
        self.placed.append((number, *lines))
        return PassagePlace(self, *lines, self.anchors.passage(number))

    @property
    def map_lines(self) -> int:
        return max(self.line_count, MAP_LINES)

    @cached_property
    def bars(self) -> list[Bar]:
        """What the map shows, later ones above earlier ones."""
        grey = ((0, *self.lines(*self.span(*tokens))) for tokens in self.ignored_tokens)
        thinnest = self.map_lines / THINNEST
        return [
            Bar(number, first - 1, max(last - first + 1, thinnest))
            for number, first, last in (*_joined(grey), *self.placed)
        ]

    @cached_property
    def layers(self) -> Layers:
        """What is drawn on the file; complete once all passages are placed."""
        marks = sorted(self.marks, key=lambda mark: mark.start)
        ignored = sorted(self.span(*tokens) for tokens in self.ignored_tokens)
        return Layers(
            styles=Spans(self.styles),
            marks=Spans((mark.start, mark.end, mark) for mark in marks),
            ignored=Spans((*span, None) for span in ignored),
            differing=Spans(sorted(self.differing)),
            renamed=Spans(self.names.spans(self.text)),
        )

    @cached_property
    def html(self) -> SafeString:
        return source_html(self.text, self.starts, self.layers, self.anchors)


def _joined(runs: Iterable[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    """Join runs of lines that touch."""
    last: tuple[int, int, int] | None = None
    for number, first, end in runs:
        if last and first <= last[2] + 1:
            last = number, last[1], max(last[2], end)
            continue
        if last:
            yield last
        last = number, first, end
    if last:
        yield last


def _about_encoding(found: Decoded) -> Iterator[str]:
    name = found.encoding.replace("cp125", "windows-125")
    if found.encoding != "utf-8":
        yield f"Not in UTF-8; read as {name}. Letters beyond ASCII may be others than were meant."
    if damaged := found.text.count("\ufffd"):
        yield f"{_counted(damaged, 'character')} could not be decoded and {_are(damaged)} shown as \ufffd."


def _about_unseen(text: str) -> Iterator[str]:
    found = Counter(UNSEEN.findall(text))
    if not found:
        return
    kinds = [f"{character_name(char)}, {count} of them" for char, count in found.most_common(NAMED)]
    if len(found) > NAMED:
        kinds.append(f"{len(found) - NAMED} more kinds")
    total = found.total()
    what = _counted(total, "character")
    yield f"Holds {what} that cannot be seen or would mislead, each marked in red: {'; '.join(kinds)}."


def _about_long(starts: list[int], text: str) -> Iterator[str]:
    lengths = [len(text[start:end].rstrip("\r\n")) for start, end in pairwise([*starts, len(text)])]
    long = sum(length > LONG_LINE for length in lengths)
    if long:
        which = f"The longest of {long} long lines" if long > 1 else f"Line {lengths.index(max(lengths)) + 1}"
        yield f"{which} has {max(lengths):,} characters; those after the first {LONG_LINE:,} open by a click."


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' if count > 1 else ''}"


def _are(count: int) -> str:
    return "are" if count > 1 else "is"
