"""A source as HTML for the screen: syntax in colours, and links between the two sides of a passage.

Notices say what is unusual in a text. Excerpts are the lines of some tokens.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass
from html import escape
from itertools import chain, pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, ngettext

from submissions.intake.packed_readings import unpack_tokens
from submissions.matches.source_html import (
    LINE_END,
    UNSEEN,
    LineRenderer,
    cell_lines,
    character_name,
    colour,
    in_cell,
    line_starts,
    visible_text,
)
from submissions.models import Document
from submissions.pages.filters import cells_at
from submissions.uploads.stored_documents import document_text

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from fingerprint.engine import Decoded
    from submissions.core.names import Names
    from submissions.matches.source_html import Layers, PassageMark, Piece, RenderedLine

# `pair-side.js` finds lines by the same number.
LINES_PER_BLOCK = 100
# Characters of a line that are displayed at once; the rest opens on demand.
LONG_LINE = 2_000
# Characters of a line that one part of a file has, and of its HTML even where the part has no more room.
MAX_LINE, MIN_LINE = LONG_LINE + 100_000, 60_000
# Characters after which a part ends with the line, even if its HTML has not reached its size.
PART_CHARACTERS = 200_000
# Characters of HTML for an escaped character, and for one that is spelt out.
ESCAPED, SPELT_OUT = 5, 80

# Kinds of unseen characters that a notice lists.
MAX_CHARACTER_KINDS = 4

NO_COUNTS: Mapping[int, int] = MappingProxyType({})

# An excerpt shows so many lines at most, and of each line so many characters.
MAX_LINES, MAX_CHARACTERS = 15, 200


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

    def opposite(self, number: int, shown: Container[int] | None) -> str:
        """Return the address of a passage on the other side, which loads a page unless that side shows it."""
        anchor = f"#{'R' if self.side == 'L' else 'L'}-p{number}"
        return anchor if shown is None or number in shown else f"?passage={number}{anchor}"


class ScreenMarkup:
    """Colours the syntax, and adds to each differing token the other side's lexeme as `data-there`.

    The number of a renaming, see `WrittenThere`, is its `data-name`.
    """

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
            renaming = getattr(piece.differing, "renaming", 0)
            name = f' data-name="{renaming}"' if renaming else ""
            return f'<i{class_attribute} data-there="{visible_text(piece.differing)}"{name}>{html}</i>'
        return f'<span class="{css}">{html}</span>' if css else html

    def mark(self, mark: PassageMark, html: str) -> str:
        kind = f" {mark.kind}" if mark.kind else ""
        others = f' data-others="{mark.others}"' if mark.others else ""
        return f'<mark class="c{colour(mark.number)}{kind}" data-passage="{mark.number}"{others}>{html}</mark>'


MARKUP = ScreenMarkup()


class PartLine(NamedTuple):
    """A line as HTML: its start tag, the passages that begin in it, and what follows their badges."""

    start_tag: str
    badges: list[PassageMark]
    code: str

    def html(self, anchors: Anchors, shown: Container[int] | None) -> str:
        badges = "".join(_badge(mark, anchors, shown) for mark in self.badges)
        return f"{self.start_tag}{badges}{self.code}"


class ShownPart(NamedTuple):
    """The part [start, end) of a text, the numbers of its first and last line, and its passages."""

    blocks: list[list[PartLine]]
    ready_blocks: int
    anchors: Anchors
    start: int
    end: int
    first_line: int
    last_line: int
    passages: set[int]

    def html(self, shown: Container[int] | None = None) -> SafeString:
        """Return the part as HTML; `shown` are the passages that the other side shows, None for all."""
        blocks = ([line.html(self.anchors, shown) for line in block] for block in self.blocks)
        # Every piece of the source was escaped by `visible_html`.
        return SafeString(
            "".join(
                ready_block(lines) if number < self.ready_blocks else deferred_block(lines)
                for number, lines in enumerate(blocks)
            )
        )


def source_part(
    text: str,
    starts: Sequence[int],
    layers: Layers,
    anchors: Anchors,
    counts: Mapping[int, int] = NO_COUNTS,
    *,
    cells: Sequence[int] = (),
    start: int,
    size: int,
    ready_blocks: int = sys.maxsize,
) -> ShownPart:
    """Return the part of `text` from the code point `start` on that has about `size` characters of HTML.

    It has whole lines, at least one; `counts` says how many submissions have a line, and `cells` which lines are
    above the cells of a notebook. Only a line over MAX_LINE is cut: the next part goes on within it.
    Blocks of lines after the first `ready_blocks` are `deferred_block`s.
    """
    span = part_range(text, start)
    writer = _PartWriter(text, starts, layers, anchors, counts, span=span, size=size, ready_blocks=ready_blocks)
    writer.cells = cells
    return writer.write()


def ready_block(lines: Sequence[str]) -> str:
    return f'<span class="block">{"".join(lines)}</span>'


def deferred_block(lines: Sequence[str]) -> str:
    """Return a block that a browser with scripts keeps as text until it is needed, one without as elements.

    Elements are what makes a long page slow; `pair-blocks.js` turns the text into them.
    """
    return f'<span class="block" data-deferred><noscript>{"".join(lines)}</noscript></span>'


class _PartWriter:
    """Writes the lines of a part, until its HTML has reached its size."""

    def __init__(
        self,
        text: str,
        starts: Sequence[int],
        layers: Layers,
        anchors: Anchors,
        counts: Mapping[int, int],
        *,
        span: tuple[int, int],
        size: int,
        ready_blocks: int = sys.maxsize,
    ) -> None:
        self.text, self.starts, self.anchors, self.counts = text, starts, anchors, counts
        self.start, self.size, self.ready_blocks = span[0], size, ready_blocks
        self.last_start = span[1] - MAX_LINE if span[1] < len(text) else span[1]
        self.renderer = LineRenderer(text, span, layers, MARKUP)
        self.blocks: list[list[PartLine]] = []
        self.badged: set[int] = set()
        self.cells: Sequence[int] = ()

    def write(self) -> ShownPart:
        number = first = bisect_right(self.starts, self.start)
        position, whole = self._add_line(number, self.start)
        while whole and self.size > 0 and number < len(self.starts) and position < self.last_start:
            number += 1
            position, whole = self._add_line(number, position)
        blocks = self.blocks, self.ready_blocks, self.anchors
        return ShownPart(*blocks, self.start, position, first, number, self.badged)

    def _add_line(self, number: int, start: int) -> tuple[int, bool]:
        """Add a line from `start` on; return where the next part or line begins, and whether it is whole."""
        after = self.starts[number] if number < len(self.starts) else len(self.text)
        line_end = start + len(self.text[start:after].rstrip("\r\n"))
        end = _affordable_end(self.text, start, min(line_end, start + MAX_LINE), max(self.size, MIN_LINE))
        line = self.renderer.line(number, start, end)
        before = start - self.starts[number - 1]
        part_line = self._line(line, before, line_end - end)
        if not self.blocks or len(self.blocks[-1]) == LINES_PER_BLOCK:
            self.blocks.append([])
        self.blocks[-1].append(part_line)
        self.size -= len(part_line.html(self.anchors, None))
        return (after, True) if end == line_end else (end, False)

    def _line(self, line: RenderedLine, before: int, after: int) -> PartLine:
        """Return a line, of which `before` and `after` characters are in other parts."""
        first, *rest = line.rows
        code = first + "".join(_collapsed(html, line.end - line.start - LONG_LINE) for html in rest)
        badges = [mark for mark in line.marks if _begins_here(mark, code, self.badged)]
        css = f" in c{colour(line.marks[0].number)}" if line.marks else ""
        # The stylesheet displays the number: one more element per line would slow a long page by a third.
        counted = f' data-some="{self.counts[line.number]}"' if line.number in self.counts else ""
        if self.cells:
            counted += f' data-in-cell="{in_cell(self.cells, line.number)[1] or ""}"'
        start_tag = f'<span class="line{css}" id="{self.anchors.line(line.number)}" data-n="{line.number}"{counted}>'
        code = f"{_cut(before, is_before=True)}{code}{_cut(after, is_before=False)}"
        return PartLine(start_tag, badges, f"{code}\n</span>")


def part_range(text: str, start: int) -> tuple[int, int]:
    """Return the code points that a part from `start` on can have at most."""
    return start, min(start + PART_CHARACTERS + MAX_LINE, len(text))


def _affordable_end(text: str, start: int, end: int, size: int) -> int:
    """Return where to cut a long line, so that it has at most about `size` characters of HTML."""
    while end - start > LONG_LINE and _html_size(text, start, end) > size:
        end = start + max((end - start) // 2, LONG_LINE)
    return end


def _html_size(text: str, start: int, end: int) -> int:
    unseen = sum(1 for _ in UNSEEN.finditer(text, start, end))
    return end - start + ESCAPED * sum(text.count(char, start, end) for char in "&<>\"'") + SPELT_OUT * unseen


def _cut(characters: int, *, is_before: bool) -> str:
    if not characters:
        return ""
    part_before = _("{n} more characters of this line are in the part before")
    next_part = _("{n} more characters of this line are in the next part")
    text = (part_before if is_before else next_part).format(n=f"{characters:,}")
    return f'<span class="cut">{text}</span>'


def _begins_here(mark: PassageMark, code: str, badged: set[int]) -> bool:
    """Return whether this line is the first one that displays a part of the passage; add it to `badged`."""
    if mark.number in badged or f'data-passage="{mark.number}"' not in code:
        return False
    badged.add(mark.number)
    return True


def _badge(mark: PassageMark, anchors: Anchors, shown: Container[int] | None) -> str:
    anchor, target = anchors.passage(mark.number), anchors.opposite(mark.number, shown)
    return (
        f'<a class="badge c{colour(mark.number)}" id="{anchor}" href="{target}"'
        f' data-passage="{mark.number}" aria-label="{escape(mark.label)}"'
        f' aria-describedby="about-{mark.number}">{mark.number}</a>'
    )


def _collapsed(html: str, characters: int) -> str:
    text = _("{n} more characters").format(n=f"{characters:,}")
    return f'<details class="rest"><summary>{text}</summary>{html}</details>'


def notices(decoded: Decoded, starts: Sequence[int]) -> list[str]:
    """Return the sentences about a text; `starts` as `line_starts` returns them."""
    return [
        *_encoding_notices(decoded),
        *_unseen_character_notices(decoded.text),
        *_long_line_notices(starts, decoded.text),
    ]


def _encoding_notices(source: Decoded) -> Iterator[str]:
    name = source.encoding.replace("cp125", "windows-125")
    if source.encoding != "utf-8":
        text = _(
            "Not in UTF-8; read as {encoding}. Letters with accents and other characters beyond ASCII may be wrong."
        )
        yield text.format(encoding=name)
    if damaged := source.text.count("\ufffd"):
        yield ngettext(
            "{n} character could not be decoded and is shown as �.",
            "{n} characters could not be decoded and are shown as �.",
            damaged,
        ).format(n=f"{damaged:,}")


def _unseen_character_notices(text: str) -> Iterator[str]:
    counts = Counter(match[0] for match in UNSEEN.finditer(text))
    if not counts:
        return
    most_common = counts.most_common(MAX_CHARACTER_KINDS)
    kind = _("{character}, {n} of them")
    kinds = [kind.format(character=character_name(character), n=count) for character, count in most_common]
    if len(counts) > MAX_CHARACTER_KINDS:
        kinds.append(_("{n} more kinds").format(n=len(counts) - MAX_CHARACTER_KINDS))
    total = counts.total()
    yield ngettext(
        "Has {n} invisible or misleading character, marked in red: {kinds}.",
        "Has {n} invisible or misleading characters, each marked in red: {kinds}.",
        total,
    ).format(n=f"{total:,}", kinds="; ".join(kinds))


def _long_line_notices(starts: Sequence[int], text: str) -> Iterator[str]:
    longest = number = long = 0
    for line, (start, end) in enumerate(pairwise(chain(starts, [len(text)])), 1):
        if end - start <= LONG_LINE:
            continue
        length = len(text[start:end].rstrip("\r\n"))
        long += length > LONG_LINE
        if length > longest:
            longest, number = length, line
    if long:
        one = _("Line {line} has {n} characters; click to see those after the first {limit}.")
        many = _("The longest of {lines} long lines has {n} characters; click to see those after the first {limit}.")
        figures = {"line": number, "lines": long, "n": f"{longest:,}", "limit": f"{LONG_LINE:,}"}
        yield (one if long == 1 else many).format(**figures)


class SourceExcerpt(NamedTuple):
    """Lines `first_line` to `last_line` of a source, from 1, both included; `text` lacks the last `more`.

    `above` are the lines above the cells of a notebook.
    """

    first_line: int
    last_line: int
    text: str
    more: int
    above: list[int]

    @property
    def numbered(self) -> list[tuple[int, str]]:
        """The lines with their numbers, in a notebook those in their cells; 0 above a cell."""
        lines = enumerate(self.text.split("\n"), self.first_line)
        return [(in_cell(self.above, number)[1], line) for number, line in lines]

    @property
    def cells(self) -> str:
        return cells_at(self.above, self.first_line, self.last_line)


def documents(ids: Iterable[int]) -> dict[int, Document]:
    """Return the readable ones of these documents by id, with sources and tokens, in one query."""
    ready = Document.objects.filter(pk__in=set(ids), state=Document.State.READY, source__emptied=None)
    light = ready.select_related("source").defer("lexical", "lines", "coarse", "styles")
    return {document.pk: document for document in light}


def source_excerpt(document: Document, first: int, after: int, names: Names) -> SourceExcerpt:
    """Return the lines that hold the tokens [`first`, `after`), with names replaced as `names` does."""
    text = document_text(document)
    tokens = unpack_tokens(bytes(document.tokens))
    starts = line_starts(text)
    offsets = tokens.starts[first], tokens.ends[after - 1] - 1
    first_line, last_line = (bisect_right(starts, offset) for offset in offsets)
    end = starts[last_line] if last_line < len(starts) else len(text)
    lines = LINE_END.split(text[starts[first_line - 1] : end].rstrip("\r\n"))
    shortened = "\n".join(
        line if len(line) <= MAX_CHARACTERS else f"{line[:MAX_CHARACTERS]}…" for line in lines[:MAX_LINES]
    )
    above, more = cell_lines(text, document.language), max(0, len(lines) - MAX_LINES)
    return SourceExcerpt(first_line, last_line, names.redact_source(shortened), more, above)


def densest_lines(document: Document, first: int, after: int, lines: int) -> tuple[int, int]:
    """Return where the `lines` lines with most of the tokens [`first`, `after`) begin and end among these."""
    starts, tokens = line_starts(document_text(document)), unpack_tokens(bytes(document.tokens))
    numbers = [bisect_right(starts, offset) for offset in tokens.starts[first:after]]
    ends = [bisect_left(numbers, number + lines) for number in numbers]
    begin = max(range(len(numbers)), key=lambda at: ends[at] - at)
    return begin, ends[begin]
