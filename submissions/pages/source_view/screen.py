"""A source as HTML for the screen: syntax in colours, and links between the two sides of a passage."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from django.utils.safestring import SafeString

from submissions.pages.source_view.render import colour, render_lines
from submissions.pages.source_view.visible import visible_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from submissions.pages.source_view.render import Layers, PassageMark, Piece, RenderedLine

LINES_PER_BLOCK = 100
# Characters of a line that are displayed at once; the rest opens on demand.
LONG_LINE = 2_000


@dataclass(frozen=True, slots=True)
class Anchors:
    """Element ids of one file; `side` is L or R, `file` counts from 1.

    Line 12 is `L12` in the first file of the left side, and `L2-12` in the second one.
    """

    side: str
    file: int = 1

    def line(self, number: int) -> str:
        return f"{self.side}{number}" if self.file == 1 else f"{self.side}{self.file}-{number}"

    def passage(self, number: int) -> str:
        return f"{self.side}-p{number}"

    def opposite(self, number: int) -> str:
        return f"{'R' if self.side == 'L' else 'L'}-p{number}"


class ScreenMarkup:
    """Colours the syntax, and adds to each differing token the other side's lexeme as `data-there`."""

    # Thousands of elements in one line freeze a page.
    plain_rest = True

    def row_starts(self, start: int, end: int) -> Sequence[int]:
        return [start, start + LONG_LINE] if end - start > LONG_LINE else [start]

    def breaks(self, text: str, start: int, end: int) -> Sequence[int]:
        del text, start, end
        return ()

    def piece(self, html: str, piece: Piece) -> str:
        css = "ignored" if piece.ignored else piece.style
        if piece.differing:
            class_attribute = f' class="{css}"' if css else ""
            return f'<i{class_attribute} data-there="{visible_text(piece.differing)}">{html}</i>'
        return f'<span class="{css}">{html}</span>' if css else html

    def mark(self, mark: PassageMark, html: str) -> str:
        return f'<mark class="c{colour(mark.number)}" data-passage="{mark.number}">{html}</mark>'


MARKUP = ScreenMarkup()


def source_html(text: str, starts: Sequence[int], layers: Layers, anchors: Anchors) -> SafeString:
    """Return the lines of `text` as HTML; `starts` as `line_starts` returns them."""
    badged: set[int] = set()
    lines = [_line(line, anchors, badged) for line in render_lines(text, starts, layers, MARKUP)]
    blocks = (lines[first : first + LINES_PER_BLOCK] for first in range(0, len(lines), LINES_PER_BLOCK))
    # Every piece of the source was escaped by `visible_html`.
    return SafeString("".join(f'<span class="block">{"".join(block)}</span>' for block in blocks))


def _line(line: RenderedLine, anchors: Anchors, badged: set[int]) -> str:
    first, *rest = line.rows
    code = first + "".join(_collapsed(html, line.end - line.start - LONG_LINE) for html in rest)
    badges = "".join(_badge(mark, anchors) for mark in line.marks if _begins_here(mark, code, badged))
    css = f" in c{colour(line.marks[0].number)}" if line.marks else ""
    # The stylesheet displays the number: one more element per line would slow a long page by a third.
    start_tag = f'<span class="line{css}" id="{anchors.line(line.number)}" data-n="{line.number}">'
    return f"{start_tag}{badges}{code}\n</span>"


def _begins_here(mark: PassageMark, code: str, badged: set[int]) -> bool:
    """Return whether this line is the first one that displays a part of the passage; add it to `badged`."""
    if mark.number in badged or f'data-passage="{mark.number}"' not in code:
        return False
    badged.add(mark.number)
    return True


def _badge(mark: PassageMark, anchors: Anchors) -> str:
    anchor, target = anchors.passage(mark.number), anchors.opposite(mark.number)
    return (
        f'<a class="badge c{colour(mark.number)}" id="{anchor}" href="#{target}"'
        f' data-passage="{mark.number}" aria-label="{escape(mark.label)}"'
        f' aria-describedby="about-{mark.number}">{mark.number}</a>'
    )


def _collapsed(html: str, characters: int) -> str:
    return f'<details class="rest"><summary>{characters:,} more characters</summary>{html}</details>'
