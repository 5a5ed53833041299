"""A source as HTML: line by line, coloured for reading, with its passages and what was left out of them.

Everything that a source holds is shown as text; a character that would change how its
neighbours are read (a control, a direction override) is shown as a visible mark.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from html import escape
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Generic, TypeVar

from django.utils.safestring import SafeString

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Span = tuple[int, int]
    StyledSpan = tuple[int, int, str]

T = TypeVar("T")

COLOURS = 7
LINES_PER_BLOCK = 100
# Characters of a line that are laid out at once; the rest of it opens on demand.
LONG_LINE = 2_000
LINE_END = re.compile(r"\r\n|\r|\n")
INDENT = re.compile(r"[ \t]*")
# Controls but tab, zero-width and direction characters, line separators, tags, lone surrogates.
_UNSEEN = (
    r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e"
    r"\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f"
)
UNSEEN = re.compile(f"[{_UNSEEN}]")
# So many in a row are written as one: a mark for each would freeze the page.
UNSEEN_RUN = 100
_UNSAFE = re.compile(f"[{_UNSEEN}]{{{UNSEEN_RUN},}}|[&<>\"'\r{_UNSEEN}]")


@dataclass(frozen=True, slots=True)
class Mark:
    """A passage on one side: code points [start, end), its number from 1, and what its link says."""

    start: int
    end: int
    number: int
    label: str


@dataclass(frozen=True, slots=True)
class Layers:
    """What is drawn on a text; spans of a layer are in text order and do not overlap each other.

    `differing`: tokens of passages, with how the other side writes them; `renamed`: names that may not be
    read, with what stands there instead.
    """

    styles: Iterable[StyledSpan] = ()
    marks: Sequence[Mark] = ()
    ignored: Sequence[Span] = ()
    differing: Sequence[StyledSpan] = ()
    renamed: Sequence[StyledSpan] = ()


@dataclass(frozen=True, slots=True)
class Anchors:
    """Names on the page: `side` is L or R, `file` from 1; line 12 is `L12`, of a second file `L2-12`."""

    side: str
    file: int = 1

    def line(self, number: int) -> str:
        return f"{self.side}{number}" if self.file == 1 else f"{self.side}{self.file}-{number}"

    def passage(self, number: int) -> str:
        return f"{self.side}-p{number}"

    def opposite(self, number: int) -> str:
        return f"{'R' if self.side == 'L' else 'L'}-p{number}"


def colour(number: int) -> int:
    """Which of the COLOURS a passage has, from 1."""
    return (number - 1) % COLOURS + 1


def line_starts(text: str) -> list[int]:
    """Offset of every line's first character; CRLF, CR and LF each end a line."""
    starts = [0, *(end.end() for end in LINE_END.finditer(text))]
    return starts[:-1] if len(starts) > 1 and starts[-1] == len(text) else starts


def _after_indent(text: str, start: int) -> int:
    indent = INDENT.match(text, start)
    return indent.end() if indent else start


def visible(text: str) -> str:
    """Escape `text` for HTML, with what a reader could not see, or be misled by, spelt out."""
    return _UNSAFE.sub(_spelt_out, text) if _UNSAFE.search(text) else text


def _spelt_out(match: re.Match[str]) -> str:
    char = match.group()
    if char in "&<>\"'":
        return escape(char)
    shown = (
        f"U+{ord(char[0]):04X}"
        if len(char) == 1
        else f"{len(char):,} characters from U+{ord(char[0]):04X} on"
    )
    return f'<span class="unseen" title="{called(char[0])}">⟨{shown}⟩</span>'


def called(char: str) -> str:
    """Give a character's code point and its name."""
    return f"U+{ord(char):04X} {unicodedata.name(char, 'control character')}"


def source_html(text: str, layers: Layers, anchors: Anchors) -> SafeString:
    """Lines of `text` as HTML."""
    lines = list(_Lines(text, layers, anchors))
    blocks = (lines[at : at + LINES_PER_BLOCK] for at in range(0, len(lines), LINES_PER_BLOCK))
    # Every piece of the source has passed through `visible`.
    return SafeString("".join(f'<span class="block">{"".join(block)}</span>' for block in blocks))


class _Layer(Generic[T]):
    """What spans hold, asked at offsets that only rise."""

    def __init__(self, spans: Iterable[tuple[int, int, T]]) -> None:
        self.spans = [*spans, (sys.maxsize, sys.maxsize, None)]
        self._next = 0

    def at(self, offset: int) -> T | None:
        while self.spans[self._next][1] <= offset:
            self._next += 1
        start, _, value = self.spans[self._next]
        return value if start <= offset else None

    def edges(self) -> Iterator[int]:
        for start, end, _ in self.spans[:-1]:
            yield start
            yield end


class _Lines:
    """Walks a text once, from edge to edge of everything that is drawn on it."""

    def __init__(self, text: str, layers: Layers, anchors: Anchors) -> None:
        self.text, self.anchors = text, anchors
        self.starts = line_starts(text)
        self.ends = [*self.starts[1:], len(text)]
        lines = enumerate(zip(self.starts, self.ends, strict=True), 1)
        self.long = {n: (start + LONG_LINE, end) for n, (start, end) in lines if end - start > LONG_LINE + 2}
        self.styles = _Layer(self._short(layers.styles))
        self.marks = _Layer((mark.start, mark.end, mark) for mark in layers.marks)
        self.ignored = _Layer((*span, True) for span in layers.ignored)
        self.differing = _Layer(self._short(layers.differing))
        self.renamed = _Layer((start, end, (start, name)) for start, end, name in layers.renamed)
        # Indentation is left plain, so that a passage has the shape of its code.
        self.codes = [_after_indent(text, start) for start in self.starts]
        self.edges = sorted(set(self._edges()))
        self.badged: set[int] = set()

    def _short(self, spans: Iterable[StyledSpan]) -> Iterable[StyledSpan]:
        """Leave out spans in the rest of long lines: thousands of elements in one line freeze a page."""
        if not self.long:
            return spans
        rests = sorted(self.long.values())
        return [span for span in spans if not _inside(span[0], rests)]

    def _edges(self) -> Iterator[int]:
        for layer in (self.styles, self.marks, self.ignored, self.differing, self.renamed):
            yield from layer.edges()
        yield from self.starts
        yield from self.codes
        yield len(self.text)
        yield from (cut for cut, _ in self.long.values())

    def __iter__(self) -> Iterator[str]:
        edges = pairwise(self.edges)
        piece = next(edges, None)
        for number, end in enumerate(self.ends, 1):
            pieces = []
            while piece and piece[0] < end:
                pieces.append(piece)
                piece = next(edges, None)
            yield self._line(number, pieces)

    def _line(self, number: int, pieces: Sequence[Span]) -> str:
        anchor, start, indent = self.anchors.line(number), self.starts[number - 1], self.codes[number - 1]
        margin, first = "", None
        if pieces and pieces[0][1] == indent:
            margin, first = self.text[slice(*pieces[0])], self.marks.at(pieces[0][0])
            pieces = pieces[1:]
        drawn: list[Mark] = [first] if first else []
        cut = start + LONG_LINE
        code = self._code([piece for piece in pieces if piece[0] < cut], drawn)
        if number in self.long:
            rest = self._code([piece for piece in pieces if piece[0] >= cut], drawn)
            code += _folded_up(rest, self.ends[number - 1] - cut)
        badges = "".join(self._badge(mark) for mark in drawn if self._new(mark, code))
        inside = f" in c{colour(drawn[0].number)}" if drawn else ""
        # The stylesheet writes the number: with an element for each a long page opens a third slower.
        start_tag = f'<span class="line{inside}" id="{anchor}" data-n="{number}">'
        return f"{start_tag}{badges}{margin}{code}\n</span>"

    def _code(self, pieces: Sequence[Span], drawn: list[Mark]) -> str:
        """Draw pieces of one line, and add the passages that they belong to."""
        code = []
        for mark, group in groupby(pieces, key=lambda piece: self.marks.at(piece[0])):
            html = "".join(self._piece(*piece) for piece in group)
            if mark and mark not in drawn:
                drawn.append(mark)
            code.append(_marked(mark, html) if mark and html else html)
        return "".join(code)

    def _piece(self, start: int, end: int) -> str:
        if hidden := self.renamed.at(start):
            return _made_up(hidden[1]) if hidden[0] == start else ""
        html = visible(self.text[start:end].rstrip("\r\n"))
        style = "ignored" if self.ignored.at(start) else self.styles.at(start)
        if not html or html.isspace():
            return html
        if there := self.differing.at(start):
            css = f' class="{style}"' if style else ""
            return f'<i{css} data-there="{visible_plainly(there)}">{html}</i>'
        return f'<span class="{style}">{html}</span>' if style else html

    def _new(self, mark: Mark, code: str) -> bool:
        """Whether a passage begins here, where there is something to see of it."""
        if mark.number in self.badged or f'data-passage="{mark.number}"' not in code:
            return False
        self.badged.add(mark.number)
        return True

    def _badge(self, mark: Mark) -> str:
        here, there = self.anchors.passage(mark.number), self.anchors.opposite(mark.number)
        return (
            f'<a class="badge c{colour(mark.number)}" id="{here}" href="#{there}"'
            f' data-passage="{mark.number}" aria-label="{escape(mark.label)}"'
            f' aria-describedby="about-{mark.number}">{mark.number}</a>'
        )


def _inside(offset: int, spans: list[Span]) -> bool:
    """Whether one of `spans`, which are in order, holds an offset."""
    at = bisect_right(spans, (offset, sys.maxsize)) - 1
    return at >= 0 and offset < spans[at][1]


def visible_plainly(text: str) -> str:
    """Escape `text` as `visible` does, where no markup can stand."""
    return escape(UNSEEN.sub(lambda char: f"⟨U+{ord(char[0]):04X}⟩", text))


def _marked(mark: Mark, html: str) -> str:
    return f'<mark class="c{colour(mark.number)}" data-passage="{mark.number}">{html}</mark>'


def _made_up(name: str) -> str:
    return f'<span class="made-up">{visible(name)}</span>'


def _folded_up(html: str, characters: int) -> str:
    return f'<details class="rest"><summary>{characters:,} more characters</summary>{html}</details>'
