"""Render a source line by line, with its passages, what was left out, and how the other side writes it.

One renderer walks the text; a `Markup` writes its pieces for the screen (`screen`) or for paper
(`exports.paper`).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from submissions.pages.source_view.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Span = tuple[int, int]

T = TypeVar("T")

COLOURS = 7
LINE_END = re.compile(r"\r\n|\r|\n")
INDENT = re.compile(r"[ \t]*")


def colour(number: int) -> int:
    """Return the colour of a passage, from 1 to COLOURS."""
    return (number - 1) % COLOURS + 1


def line_starts(text: str) -> list[int]:
    """Return the offset of every line's first character; CRLF, CR and LF each end a line."""
    starts = [0, *(end.end() for end in LINE_END.finditer(text))]
    return starts[:-1] if len(starts) > 1 and starts[-1] == len(text) else starts


@dataclass(frozen=True, slots=True)
class Mark:
    """A passage on one side: code points [start, end), its number from 1, and what its link says."""

    start: int
    end: int
    number: int
    label: str = ""


class Spans(Generic[T]):
    """What stretches [start, end) of a text hold; they are in text order and do not overlap."""

    def __init__(self, spans: Iterable[tuple[int, int, T]] = ()) -> None:
        self._spans = list(spans)
        self._starts = [start for start, _, _ in self._spans]

    def within(self, start: int, end: int) -> list[tuple[int, int, T]]:
        """Return the spans that touch [start, end)."""
        first = max(bisect_right(self._starts, start) - 1, 0)
        return self._spans[first : bisect_left(self._starts, end)]


@dataclass(frozen=True, slots=True)
class Layers:
    """What is drawn on a text.

    `styles`: CSS classes; `marks`: passages; `ignored`: what is not compared; `differing`: tokens of
    passages, with how the other side writes them; `renamed`: names that the reader may not see, with what to
    write instead.
    """

    styles: Spans[str] = field(default_factory=Spans)
    marks: Spans[Mark] = field(default_factory=Spans)
    ignored: Spans[None] = field(default_factory=Spans)
    differing: Spans[str] = field(default_factory=Spans)
    renamed: Spans[str] = field(default_factory=Spans)


class Piece(NamedTuple):
    """A stretch [start, end) of a line in which no layer changes, with what the layers hold there."""

    start: int
    end: int
    style: str | None
    ignored: bool
    differing: str | None


class RenderedLine(NamedTuple):
    """The line [start, end): its number from 1, its passages in order, its rows of HTML, at least one."""

    number: int
    start: int
    end: int
    marks: list[Mark]
    rows: list[str]


class Markup(Protocol):
    """How lines are cut into rows, and how the pieces of a row are written."""

    # Whether rows after a line's first show neither syntax nor differences.
    plain_rest: bool

    def row_starts(self, start: int, end: int) -> Sequence[int]:
        """Return where the rows of the line [start, end) begin, the first at `start`."""

    def breaks(self, text: str, start: int, end: int) -> Iterable[int]:
        """Return further places at which a line is cut into pieces."""

    def piece(self, html: str, piece: Piece) -> str:
        """Write a piece that is not white space only."""

    def mark(self, mark: Mark, html: str) -> str:
        """Write the pieces of one passage that stand beside each other."""


class _Cursor(Generic[T]):
    """Spans, asked at offsets that only rise."""

    def __init__(self, spans: Sequence[tuple[int, int, T]]) -> None:
        self._spans, self._next = spans, 0

    def at(self, offset: int) -> tuple[int, int, T] | None:
        spans = self._spans
        while self._next < len(spans) and spans[self._next][1] <= offset:
            self._next += 1
        if self._next < len(spans) and spans[self._next][0] <= offset:
            return spans[self._next]
        return None


class _Walk:
    """Walks a range of a text once, from edge to edge of what is drawn on it."""

    def __init__(self, text: str, span: tuple[int, int], layers: Layers, markup: Markup) -> None:
        self.text, self.markup = text, markup
        styles, differing = layers.styles.within(*span), layers.differing.within(*span)
        marks, ignored = layers.marks.within(*span), layers.ignored.within(*span)
        renamed = layers.renamed.within(*span)
        self.styles, self.differing = _Cursor(styles), _Cursor(differing)
        self.marks, self.ignored, self.renamed = _Cursor(marks), _Cursor(ignored), _Cursor(renamed)
        self.bare = _edges(marks, ignored, renamed)
        self.edges = sorted({*self.bare, *_edges(styles, differing)})

    def line(self, number: int, start: int, end: int) -> RenderedLine:
        """Render the line [start, end), its line end left out."""
        indent = INDENT.match(self.text, start, end)
        code = indent.end() if indent else start
        row_starts = list(self.markup.row_starts(start, end))
        marks: list[Mark] = []
        rows = [
            self._row(self._pieces(low, high, code, plain=plain), code, marks, plain=plain)
            for low, high, plain in self._row_spans(row_starts, end)
        ]
        if start == end and (mark := self.marks.at(start)):
            marks.append(mark[2])
        return RenderedLine(number, start, end, marks, rows)

    def _row_spans(self, starts: list[int], end: int) -> Iterator[tuple[int, int, bool]]:
        for at, (low, high) in enumerate(pairwise([*starts, end])):
            yield low, high, at > 0 and self.markup.plain_rest

    def _pieces(self, start: int, end: int, code: int, *, plain: bool) -> Iterator[Span]:
        edges = self.bare if plain else self.edges
        inside = edges[bisect_right(edges, start) : bisect_left(edges, end)]
        cuts = {start, end, *inside, *self.markup.breaks(self.text, start, end)}
        if start < code < end:
            cuts.add(code)
        return pairwise(sorted(cuts))

    def _row(self, pieces: Iterator[Span], code: int, marks: list[Mark], *, plain: bool) -> str:
        """Write the pieces of a row, and add the passages that they belong to; indentation is not marked."""
        html = []
        for mark, group in groupby(pieces, lambda piece: self.marks.at(piece[0])):
            if mark and mark[2] not in marks:
                marks.append(mark[2])
            written = [(start < code, self._piece(start, end, plain=plain)) for start, end in group]
            html += [piece for is_indentation, piece in written if is_indentation]
            marked = "".join(piece for is_indentation, piece in written if not is_indentation)
            html.append(self.markup.mark(mark[2], marked) if mark and marked else marked)
        return "".join(html)

    def _piece(self, start: int, end: int, *, plain: bool) -> str:
        if hidden := self.renamed.at(start):
            return f'<span class="made-up">{visible(hidden[2])}</span>' if hidden[0] == start else ""
        html = visible(self.text[start:end])
        if not html or html.isspace():
            return html
        style, differing = (None, None) if plain else (self.styles.at(start), self.differing.at(start))
        ignored = self.ignored.at(start) is not None
        values = style[2] if style else None, ignored, differing[2] if differing else None
        return self.markup.piece(html, Piece(start, end, *values))


def _edges(*layers: Sequence[tuple[int, int, object]]) -> list[int]:
    return sorted({edge for layer in layers for span in layer for edge in span[:2]})


def render_lines(
    text: str, starts: Sequence[int], layers: Layers, markup: Markup, numbers: range | None = None
) -> Iterator[RenderedLine]:
    """Render the lines with these `numbers`, by default all; `starts` as `line_starts` returns them."""
    numbers = range(1, len(starts) + 1) if numbers is None else numbers
    if not numbers:
        return
    ends = [*starts[1:], len(text)]
    walk = _Walk(text, (starts[numbers[0] - 1], ends[numbers[-1] - 1]), layers, markup)
    for number in numbers:
        start, end = starts[number - 1], ends[number - 1]
        yield walk.line(number, start, start + len(text[start:end].rstrip("\r\n")))
