"""A source as HTML: line by line, coloured for reading, with its passages and what was ignored.

Everything that a source holds is shown as text; a character that would change how its
neighbours are read (a control, a direction override) is shown as a visible mark.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from dataclasses import dataclass
from html import escape
from itertools import chain, groupby, pairwise
from typing import TYPE_CHECKING, Generic, TypeVar

from django.utils.safestring import SafeString

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Span = tuple[int, int]
    StyledSpan = tuple[int, int, str]

T = TypeVar("T")

COLOURS = 7
# Pygments classes that the stylesheet colours; a span for any other would only weigh.
STYLED = re.compile(r"c[a-z]*|c[1s]|k[a-z]?|m[a-z]|il|m|s[a-z]?|s[12]|dl|n[abcdefnt]|bp|fm|ow")
LINES_PER_BLOCK = 100
LINE_END = re.compile(r"\r\n|\r|\n")
INDENT = re.compile(r"[ \t]*")
# Controls but tab, zero-width and direction characters, line separators, tags, lone surrogates.
_UNSAFE = re.compile(
    r"[&<>\"'\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e"
    r"\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A passage on one side: code points [start, end), its number from 1, and what its link says."""

    start: int
    end: int
    number: int
    label: str


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
    code = f"U+{ord(char):04X}"
    name = unicodedata.name(char, "control character")
    return f'<span class="unseen" title="{code} {name}">⟨{code}⟩</span>'


def source_html(
    text: str,
    styles: Sequence[StyledSpan],
    marks: Sequence[Mark],
    ignored: Sequence[Span],
    anchors: Anchors,
) -> SafeString:
    """Lines of `text` as HTML. Each of the three lists is in text order and does not overlap itself."""
    lines = list(_Lines(text, styles, marks, ignored, anchors))
    blocks = (lines[at : at + LINES_PER_BLOCK] for at in range(0, len(lines), LINES_PER_BLOCK))
    # Every piece of the source has passed through `visible`.
    return SafeString("".join(f'<span class="block">{"".join(block)}</span>' for block in blocks))


class _Layer(Generic[T]):
    """What spans hold, asked at offsets that only rise."""

    def __init__(self, spans: Iterable[tuple[int, int, T]]) -> None:
        self._spans = [*spans, (sys.maxsize, sys.maxsize, None)]
        self._next = 0

    def at(self, offset: int) -> T | None:
        while self._spans[self._next][1] <= offset:
            self._next += 1
        start, _, value = self._spans[self._next]
        return value if start <= offset else None


class _Lines:
    """Walks a text once, from edge to edge of everything that is drawn on it."""

    def __init__(
        self,
        text: str,
        styles: Sequence[StyledSpan],
        marks: Sequence[Mark],
        ignored: Sequence[Span],
        anchors: Anchors,
    ) -> None:
        self.text, self.anchors = text, anchors
        self.starts = line_starts(text)
        styles = [style for style in styles if STYLED.fullmatch(style[2])]
        self.styles = _Layer(styles)
        self.marks = _Layer((mark.start, mark.end, mark) for mark in marks)
        self.ignored = _Layer((*span, True) for span in ignored)
        drawn = chain(((start, end) for start, end, _ in styles), ignored, ((m.start, m.end) for m in marks))
        # Indentation is left plain, so that a passage has the shape of its code.
        self.codes = [_after_indent(text, start) for start in self.starts]
        self.edges = sorted({*chain.from_iterable(drawn), *self.starts, *self.codes, len(text)})
        self.badged: set[int] = set()

    def __iter__(self) -> Iterator[str]:
        edges = pairwise(self.edges)
        piece = next(edges, None)
        for number, end in enumerate([*self.starts[1:], len(self.text)], 1):
            pieces = []
            while piece and piece[0] < end:
                pieces.append(piece)
                piece = next(edges, None)
            yield self._line(number, pieces)

    def _line(self, number: int, pieces: Sequence[Span]) -> str:
        anchor, indent = self.anchors.line(number), self.codes[number - 1]
        badges, code, first = "", [], None
        if pieces and pieces[0][1] == indent:
            code.append(self.text[slice(*pieces[0])])
            first, pieces = self.marks.at(pieces[0][0]), pieces[1:]
        for mark, group in groupby(pieces, key=lambda piece: self.marks.at(piece[0])):
            html = "".join(self._piece(*piece) for piece in group)
            if mark and html and mark.number not in self.badged:
                self.badged.add(mark.number)
                badges += self._badge(mark)
            first = first or mark
            code.append(_marked(mark, html) if mark and html else html)
        inside = f" in c{colour(first.number)}" if first else ""
        numbered = f'<a class="no" href="#{anchor}">{number}</a>'
        return f'<span class="line{inside}" id="{anchor}">{numbered}{badges}{"".join(code)}\n</span>'

    def _piece(self, start: int, end: int) -> str:
        html = visible(self.text[start:end].rstrip("\r\n"))
        style = "ignored" if self.ignored.at(start) else self.styles.at(start)
        return f'<span class="{style}">{html}</span>' if style and html and not html.isspace() else html

    def _badge(self, mark: Mark) -> str:
        here, there = self.anchors.passage(mark.number), self.anchors.opposite(mark.number)
        return (
            f'<a class="badge c{colour(mark.number)}" id="{here}" href="#{there}"'
            f' data-passage="{mark.number}" aria-label="{escape(mark.label)}">{mark.number}</a>'
        )


def _marked(mark: Mark, html: str) -> str:
    return f'<mark class="c{colour(mark.number)}" data-passage="{mark.number}">{html}</mark>'
