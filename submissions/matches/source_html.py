"""Render a source line by line, with its passages, its ignored tokens, and the tokens that differ.

Texts are escaped, and invisible or misleading characters are spelt out. Marks of a block say what is equal
on both sides, what is common code, and what only one side has.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field, replace
from html import escape
from itertools import chain, groupby, pairwise, takewhile
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from submissions.matches.differences import displaced_tokens, matching_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from submissions.matches.differences import TokenRun

    Span = tuple[int, int]


# Control characters except tab and line ends, zero-width and direction characters, line separators, tags,
# lone surrogates.
_UNSEEN = (
    r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e"
    r"\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f"
)
UNSEEN = re.compile(f"[{_UNSEEN}]")
# A run of at least so many is written as one: an element for each would freeze the page.
UNSEEN_RUN = 100
_UNSAFE = re.compile(f"[{_UNSEEN}]{{{UNSEEN_RUN},}}|[&<>\"'\r{_UNSEEN}]")

T = TypeVar("T")

COLOURS = 7
LINE_END = re.compile(r"\r\n|\r|\n")
INDENT = re.compile(r"[ \t]*")

GAP, COMMON = "gap", "common"


def visible_html(text: str) -> str:
    """Return `text` escaped, with an element for every invisible or misleading character."""
    return _UNSAFE.sub(_spelt_out, text) if _UNSAFE.search(text) else text


def visible_text(text: str) -> str:
    """Return `text` as `visible_html` does, but without elements: for attributes and titles."""
    return escape(UNSEEN.sub(lambda char: f"‹U+{ord(char[0]):04X}›", text))


def character_name(char: str) -> str:
    """Return a character's code point and name."""
    return f"U+{ord(char):04X} {unicodedata.name(char, 'control character')}"


def _spelt_out(match: re.Match[str]) -> str:
    characters = match.group()
    if characters in "&<>\"'":
        return escape(characters)
    label = (
        f"U+{ord(characters[0]):04X}"
        if len(characters) == 1
        else f"{len(characters):,} characters from U+{ord(characters[0]):04X} on"
    )
    return f'<span class="unseen" title="{character_name(characters[0])}">‹{label}›</span>'


def colour(number: int) -> int:
    """Return the colour, from 1 to COLOURS, of passage `number`, from 1."""
    return (number - 1) % COLOURS + 1


def case_colour(number: int) -> int:
    """Return the colour of case `number`, from 1: no two cases have one, those after COLOURS have 0."""
    return number if number <= COLOURS else 0


def line_starts(text: str) -> Sequence[int]:
    """Return the offset of every line's first character; CRLF, CR and LF each end a line."""
    # Four bytes a line: a list of Python's integers would take ten times as much for a file of empty lines.
    starts = array("i", (0,))
    starts.extend(end.end() for end in LINE_END.finditer(text))
    return starts[:-1] if len(starts) > 1 and starts[-1] == len(text) else starts


def count_lines(text: str) -> int:
    """Return the number of lines, as `line_starts` finds them."""
    ends = sum(1 for _ in LINE_END.finditer(text))
    return max(ends, 1) if text.endswith(("\r", "\n")) else ends + 1


TEXT_CELL = re.compile(r"^───── cell \d+, text ─────", re.MULTILINE)


def cell_lines(text: str, language: str) -> list[int]:
    """Return the lines above the cells of a notebook; none for other files."""
    starts = line_starts(text) if language == "notebook" else ()
    return [line for line, start in enumerate(starts, 1) if text.startswith("───── cell ", start)]


def in_cell(cells: Sequence[int], line: int) -> tuple[int, int]:
    """Return the number of a line's cell, 0 outside of notebooks, and of the line in it, 0 above the cell."""
    cell = bisect_right(cells, line)
    return cell, line - cells[cell - 1] if cell else line


def cells_text(cells: Sequence[int], lines: Iterable[int], text: str = "cell {cell}, line {line}") -> str:
    """Return where lines are in a notebook, as people see them; else an empty text."""
    numbers = (in_cell(cells, line) for line in dict.fromkeys(lines))
    return " … ".join(text.format(cell=cell, line=line) for cell, line in numbers if cell)


@dataclass(frozen=True, slots=True)
class PassageMark:
    """A part of a block on one side: code points [start, end), the number of the block, its label.

    `kind` is empty for code that is equal on both sides, or a kind of `marks`; `others`: how many other
    submissions have a part that is common code.
    """

    start: int
    end: int
    number: int
    label: str = ""
    kind: str = ""
    others: int = 0


class Spans(Generic[T]):
    """Spans [start, end) of a text, each with a value, in text order and without overlaps."""

    def __init__(self, spans: Iterable[tuple[int, int, T]] = ()) -> None:
        self._spans = list(spans)
        self._starts = [start for start, _, _ in self._spans]

    def within(self, start: int, end: int) -> list[tuple[int, int, T]]:
        """Return all spans that overlap [start, end), and possibly a span that ends before `start`."""
        first = max(bisect_right(self._starts, start) - 1, 0)
        return self._spans[first : bisect_left(self._starts, end)]


@dataclass(frozen=True, slots=True)
class Layers:
    """Spans to mark up in a text.

    `styles`: CSS classes of the syntax; `marks`: passages; `ignored`: tokens that are not compared;
    `differing`: tokens that are written differently, with the other side's lexeme; `renamed`: names that the
    reader may not see, with their replacements.
    """

    styles: Spans[str] = field(default_factory=Spans)
    marks: Spans[PassageMark] = field(default_factory=Spans)
    ignored: Spans[None] = field(default_factory=Spans)
    differing: Spans[str] = field(default_factory=Spans)
    renamed: Spans[str] = field(default_factory=Spans)


class Piece(NamedTuple):
    """A part [start, end) of a line in which no layer changes, with the values of the layers."""

    start: int
    end: int
    style: str | None
    ignored: bool
    differing: str | None


class RenderedLine(NamedTuple):
    """The line [start, end): its number from 1, its passages in order, and its rows of HTML, at least one."""

    number: int
    start: int
    end: int
    marks: list[PassageMark]
    rows: list[str]


class Markup(Protocol):
    """Rules for cutting lines into rows and for writing the pieces of a row."""

    # Whether the rows after the first of a line are rendered without syntax and differences.
    plain_rest: bool

    def row_starts(self, start: int, end: int) -> Sequence[int]:
        """Return the offsets at which the rows of the line [start, end) begin, the first at `start`."""

    def breaks(self, text: str, start: int, end: int) -> Iterable[int]:
        """Return additional offsets at which the range [start, end) of a line is cut into pieces."""

    def piece(self, html: str, piece: Piece) -> str:
        """Return the markup of a piece that is not only white space; `html` is its escaped text."""

    def mark(self, mark: PassageMark, html: str) -> str:
        """Return the markup of adjacent pieces of one passage; `html` is their markup."""


class _SpanCursor(Generic[T]):
    """Finds the span at an offset; the offsets must not decrease from call to call."""

    def __init__(self, spans: Sequence[tuple[int, int, T]]) -> None:
        self._spans, self._next = spans, 0

    def at(self, offset: int) -> tuple[int, int, T] | None:
        spans = self._spans
        while self._next < len(spans) and spans[self._next][1] <= offset:
            self._next += 1
        if self._next < len(spans) and spans[self._next][0] <= offset:
            return spans[self._next]
        return None


class LineRenderer:
    """Renders consecutive lines of the range `span` of a text, in order."""

    def __init__(self, text: str, span: tuple[int, int], layers: Layers, markup: Markup) -> None:
        self.text, self.markup = text, markup
        styles, differing = layers.styles.within(*span), layers.differing.within(*span)
        marks, ignored = layers.marks.within(*span), layers.ignored.within(*span)
        renamed = layers.renamed.within(*span)
        self.styles, self.differing = _SpanCursor(styles), _SpanCursor(differing)
        self.marks, self.ignored = _SpanCursor(marks), _SpanCursor(ignored)
        self.renamed = _SpanCursor(renamed)
        self.plain_edges = _edges(marks, ignored, renamed)
        self.edges = sorted({*self.plain_edges, *_edges(styles, differing)})

    def line(self, number: int, start: int, end: int) -> RenderedLine:
        """Render the line [start, end), which excludes its line end."""
        indent = INDENT.match(self.text, start, end)
        code_start = indent.end() if indent else start
        row_starts = list(self.markup.row_starts(start, end))
        marks: list[PassageMark] = []
        rows = [
            self._row(self._piece_spans(low, high, code_start, plain=plain), code_start, marks, plain=plain)
            for low, high, plain in self._row_spans(row_starts, end)
        ]
        if start == end and (mark := self.marks.at(start)):
            marks.append(mark[2])
        return RenderedLine(number, start, end, marks, rows)

    def _row_spans(self, starts: list[int], end: int) -> Iterator[tuple[int, int, bool]]:
        for number, (low, high) in enumerate(pairwise([*starts, end])):
            yield low, high, number > 0 and self.markup.plain_rest

    def _piece_spans(self, start: int, end: int, code_start: int, *, plain: bool) -> Iterator[Span]:
        edges = self.plain_edges if plain else self.edges
        inside = edges[bisect_right(edges, start) : bisect_left(edges, end)]
        cuts = {start, end, *inside, *self.markup.breaks(self.text, start, end)}
        if start < code_start < end:
            cuts.add(code_start)
        return pairwise(sorted(cuts))

    def _row(self, spans: Iterator[Span], code_start: int, marks: list[PassageMark], *, plain: bool) -> str:
        """Return the markup of a row, and add its passages to `marks`; indentation is not marked."""
        html = []
        for mark, group in groupby(spans, lambda span: self.marks.at(span[0])):
            if mark and mark[2] not in marks:
                marks.append(mark[2])
            pieces = [(start < code_start, self._piece(start, end, plain=plain)) for start, end in group]
            html += [piece for is_indentation, piece in pieces if is_indentation]
            code = "".join(piece for is_indentation, piece in pieces if not is_indentation)
            html.append(self.markup.mark(mark[2], code) if mark and code else code)
        return "".join(html)

    def _piece(self, start: int, end: int, *, plain: bool) -> str:
        if renamed := self.renamed.at(start):
            return f'<span class="made-up">{visible_html(renamed[2])}</span>' if renamed[0] == start else ""
        html = visible_html(self.text[start:end])
        if not html or html.isspace():
            return html
        style, differing = (None, None) if plain else (self.styles.at(start), self.differing.at(start))
        ignored = self.ignored.at(start) is not None
        values = style[2] if style else None, ignored, differing[2] if differing else None
        return self.markup.piece(html, Piece(start, end, *values))


def _edges(*layers: Sequence[tuple[int, int, object]]) -> list[int]:
    return sorted({edge for layer in layers for span in layer for edge in span[:2]})


def render_lines(
    text: str,
    starts: Sequence[int],
    layers: Layers,
    markup: Markup,
    numbers: range | None = None,
    *,
    longest: tuple[int, int] | None = None,
) -> Iterator[RenderedLine]:
    """Yield the lines with these `numbers`, by default all; `starts` as `line_starts` returns them.

    `longest`, (characters, offset), cuts lines that are longer: they begin at the offset if that is in the
    line, have so many characters, and say in a last row how many others are left out.
    """
    numbers = range(1, len(starts) + 1) if numbers is None else numbers
    if not numbers:
        return
    last_end = starts[numbers[-1]] if numbers[-1] < len(starts) else len(text)
    renderer = LineRenderer(text, (starts[numbers[0] - 1], last_end), layers, markup)
    for number in numbers:
        start = starts[number - 1]
        after = starts[number] if number < len(starts) else len(text)
        end = start + len(text[start:after].rstrip("\r\n"))
        if longest and end - start > longest[0]:
            yield _cut_line(renderer, number, (start, end), longest)
        else:
            yield renderer.line(number, start, end)


def _cut_line(renderer: LineRenderer, number: int, line: Span, longest: tuple[int, int]) -> RenderedLine:
    characters, offset = longest
    start = offset if line[0] <= offset < line[1] else line[0]
    end = min(start + characters, line[1])
    rendered = renderer.line(number, start, end)
    left_out = (line[1] - line[0]) - (end - start)
    rendered.rows.append(f'<em class="cut">{left_out:,} more characters of this line are left out</em>')
    return rendered


class MarkedPiece(NamedTuple):
    """A piece of a block, or what is between two, in the code points [start, end).

    The other side lacks `cuts`. `others`: how many other submissions have it, for common code; 0 for other.
    """

    start: int
    end: int
    cuts: list[Span]
    others: int = 0


def block_marks(text: str, number: int, pieces: Iterable[MarkedPiece], label: str = "") -> Iterator[PassageMark]:
    """Yield the marks of a block in text order; the cuts of its pieces are marked as GAP."""
    for piece in pieces:
        kind = COMMON if piece.others else ""
        edges = [piece.start, *chain.from_iterable(piece.cuts), piece.end]
        for at, (start, end) in enumerate(pairwise(edges)):
            if text[start:end].strip():
                cut = at % 2 == 1
                yield PassageMark(start, end, number, label, *((GAP,) if cut else (kind, piece.others)))


def apart(marks: Iterable[PassageMark]) -> Iterator[PassageMark]:
    """Yield marks in text order without overlaps: of two, a GAP gives way, or else the one that begins earlier."""
    waiting, opened = sorted(marks, key=lambda mark: -mark.start), list[PassageMark]()
    for start, end in pairwise(sorted({edge for mark in waiting for edge in (mark.start, mark.end)})):
        opened = [mark for mark in opened if mark.end > start]
        while waiting and waiting[-1].start == start:
            opened.append(waiting.pop())
        if opened:
            top = max(opened, key=lambda mark: (mark.kind != GAP, mark.start, -mark.end))
            yield replace(top, start=start, end=end)


def between(this: tuple[str, Span], other: tuple[str, Span] | None) -> MarkedPiece:
    """Return the code between two pieces, by a text of each side and a span in it, None if not compared."""
    (text, span), cuts = this, [this[1]]
    if other:
        cuts = list(cuts_between(text, span, other[0][slice(*other[1])]))
    return MarkedPiece(*span, [cut for cut in cuts if text[slice(*cut)].strip()])


def differing_gaps(run: TokenRun, other: TokenRun) -> Iterator[Span]:
    """Yield the spans of displaced tokens, and between tokens those of text, such as comments, that only this has."""
    spans, others, displaced = run.spans(), other.spans(), displaced_tokens(run, other)
    for at, (start, end) in enumerate(spans):
        if at in displaced:
            yield start, end
        if at + 1 < len(spans) and end < spans[at + 1][0]:
            yield from cuts_between(run.text, (end, spans[at + 1][0]), other.text[others[at][1] : others[at + 1][0]])


def cuts_between(text: str, span: Span, other: str) -> Iterator[Span]:
    """Yield the parts of a span of a text that are not white space, without the lines that `other` has.

    Lines that are equal, but for white space, have to be in the same order on both sides.
    """
    start, end = span
    here = text[start:end]
    if here.isspace() or here == other or "".join(here.split()) == "".join(other.split()):
        return
    same = _equal_beginning(here, other)
    start, here, other = start + same, here[same:], other[same:]
    edges = [start, *(start + edge for edge in chain.from_iterable(_equal_lines(here, other))), end]
    for first, after in zip(edges[::2], edges[1::2], strict=True):
        if text[first:after].strip():
            yield first, after


def _equal_beginning(this: str, other: str) -> int:
    """Return how many characters of their first lines two texts begin with, without a part of a word."""
    first, other_first = (LINE_END.split(text, maxsplit=1)[0] for text in (this, other))
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, other_first, strict=False)))
    if _in_word(first[same : same + 1]) or _in_word(other_first[same : same + 1]):
        same -= sum(1 for _ in takewhile(_in_word, reversed(first[:same])))
    return len(first[:same].rstrip())


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _equal_lines(this: str, other: str) -> list[Span]:
    """Return the spans of runs of lines that both texts have, without white space at their ends."""
    lines = _lines(this)
    runs = matching_runs([key for _, key in lines], [key for _, key in _lines(other)])
    return [(lines[at][0][0], lines[at + size - 1][0][1]) for at, _, size in runs]


def _lines(text: str) -> list[tuple[Span, str]]:
    """Return the lines that are not blank: where each begins and ends, and its text, without white space.

    The text of the first one, which is the rest of a token's line, has a space: it equals no whole line.
    """
    edges = [0, *chain.from_iterable(end.span() for end in LINE_END.finditer(text)), len(text)]
    lines = ((start, text[start:end]) for start, end in zip(edges[::2], edges[1::2], strict=True))
    return [
        (
            (start + len(line) - len(line.lstrip()), start + len(line.rstrip())),
            "".join(line.split()) + " " * (not start),
        )
        for start, line in lines
        if line.strip()
    ]
