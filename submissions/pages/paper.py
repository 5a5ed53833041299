"""HTML that stands alone: sources for paper, in rows short enough for a page; the page of `moss check --format html`.

That page is rendered without a service.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, lru_cache
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings
from django.template import Context, Engine
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from submissions.matches.differences import TokenRun, align_lines, differing_spans
from submissions.matches.source_html import (
    Layers,
    MarkedPiece,
    PassageMark,
    Piece,
    RenderedLine,
    Spans,
    between,
    block_marks,
    cell_lines,
    colour,
    differing_gaps,
    in_cell,
    line_starts,
    render_lines,
)

if TYPE_CHECKING:
    from submissions.matches.differences import LinePair
    from submissions.matches.ranked_pairs import PairRow
    from submissions.matches.standalone_content import StandalonePair, StandaloneReport, StandaloneSide

# Longer lines continue on a further row. No row is then higher than a page, even if every character is
# displayed as `‹U+200B›`, and the time to print grows linearly with a line, not with its square.
ROW_CHARACTERS = 300
# A word of this length may be broken, every so many characters.
LONG_WORD = re.compile(r"\S{41,}")
BREAK_EVERY = 20
# Rows, which are lines of sources, in a document: about 700 pages, which need half a gigabyte to print.
MAX_ROWS = 20_000
# Characters of their HTML: about as much memory as so many rows of ordinary code need.
MAX_CHARACTERS = 30_000_000
# Characters of a line; the rest of a longer one is left out.
MAX_LINE = 110_000
TOO_LONG = gettext_lazy(
    "That makes more than {lines} lines or {megabytes} MB, too much for one document: leave the "
    "whole sources out, or export the pairs one by one."
)
EMPTY_CELLS = '<td class="no"></td><td class="code"></td>'
CONTINUED_CELLS = '<td class="no"></td><td class="margin"></td>'

STATIC = Path(__file__).resolve().parents[1] / "static" / "submissions"

TEMPLATES = Path(__file__).resolve().parents[1] / "templates"
LIBRARIES = {"i18n": "django.templatetags.i18n", "pages": "submissions.pages.filters"}


class DocumentTooLong(Exception):
    """The document would be too long; the message says what the user can do instead."""


class PaperMarkup:
    """Colours the passages but not the syntax; breaks long words, and cuts long lines into rows."""

    plain_rest = False

    def __init__(self) -> None:
        self._breaks: set[int] = set()

    def row_starts(self, start: int, end: int) -> Sequence[int]:
        return range(start, max(end, start + 1), ROW_CHARACTERS)

    def breaks(self, text: str, start: int, end: int) -> Iterable[int]:
        words = LONG_WORD.finditer(text, start, end)
        self._breaks = set(chain.from_iterable(range(*word.span(), BREAK_EVERY)[1:] for word in words))
        return self._breaks

    def piece(self, html: str, piece: Piece) -> str:
        if piece.differing is not None:
            html = f"<u>{html}</u>"
        if piece.ignored:
            html = f'<span class="ignored">{html}</span>'
        return f"<wbr>{html}" if piece.start in self._breaks else html

    def mark(self, mark: PassageMark, html: str) -> str:
        return f'<mark class="c{colour(mark.number)}{mark.kind and f" {mark.kind}"}">{html}</mark>'


@dataclass(frozen=True, slots=True)
class PrintedSource:
    """A text to print, the offsets of its lines, the spans to mark up in it, the lines above a notebook's cells."""

    text: str
    starts: Sequence[int]
    layers: Layers
    cells: Sequence[int] = ()

    def lines(self, numbers: range | None = None, offset: int = 0) -> Iterator[RenderedLine]:
        """Yield lines, as `in_cell` numbers them, cut after MAX_LINE, from `offset` on if that is in the line."""
        longest = (MAX_LINE, offset)
        lines = render_lines(self.text, self.starts, self.layers, PaperMarkup(), numbers, longest=longest)
        return (line._replace(number=in_cell(self.cells, line.number)[1]) for line in lines)

    def line_text(self, number: int) -> str:
        """Return the text of the line with a number, from 1, and its end."""
        end = self.starts[number] if number < len(self.starts) else len(self.text)
        return self.text[self.starts[number - 1] : end]

    def with_only(self, marks: Iterable[PassageMark]) -> PrintedSource:
        """Return the same text with only these passages marked."""
        spans = Spans((mark.start, mark.end, mark) for mark in marks)
        return replace(self, layers=replace(self.layers, marks=spans))


@dataclass
class RowBudget:
    """Number of rows, and of characters of their HTML, that may still be added to a document."""

    remaining: int = MAX_ROWS
    characters: int = MAX_CHARACTERS

    def join(self, rows: Iterable[str]) -> SafeString:
        """Join rows of safe HTML, and subtract their number from the budget.

        Raises DocumentTooLong when there are more rows or characters than remain.
        """
        joined = []
        for row in islice(rows, self.remaining + 1):
            joined.append(row)
            self.remaining -= 1
            self.characters -= len(row)
            if self.remaining < 0 or self.characters < 0:
                limits = {"lines": f"{MAX_ROWS:,}", "megabytes": MAX_CHARACTERS // 1_000_000}
                raise DocumentTooLong(TOO_LONG.format(**limits))
        return SafeString("".join(joined))


class PassageSide(NamedTuple):
    """A passage on one side: its source, the numbers of its lines, from 1, and where it begins."""

    source: PrintedSource
    lines: range
    offset: int = 0


def passage_rows(left: PassageSide, right: PassageSide, pairs: Iterable[LinePair]) -> Iterator[str]:
    """Yield table rows with the lines of a passage side by side, each side with its line numbers."""
    left_lines, right_lines = (side.source.lines(side.lines, side.offset) for side in (left, right))
    for pair in pairs:
        sides = [
            line_cells(next(lines) if number else None)
            for lines, number in ((left_lines, pair.left), (right_lines, pair.right))
        ]
        for cells in zip_longest(*sides, fillvalue=EMPTY_CELLS):
            yield f"<tr>{''.join(cells)}</tr>"


def line_cells(line: RenderedLine | None) -> Iterator[str]:
    """Yield the two cells of each row of a line."""
    if line:
        for index, html in enumerate(line.rows):
            yield f'<td class="no">{"" if index else line.number or ""}</td><td class="code">{html}</td>'


def source_rows(source: PrintedSource) -> Iterator[str]:
    """Yield the table rows of a whole source, with the numbers of its passages in the margin."""
    badged: set[int] = set()
    for line in source.lines():
        margin = "".join(_badge(number, badged) for number in dict.fromkeys(mark.number for mark in line.marks))
        css = f" in c{colour(line.marks[0].number)}" if line.marks else ""
        for index, html in enumerate(line.rows):
            first_cells = f'<td class="no">{line.number or ""}</td><td class="margin">{margin}</td>'
            yield f'<tr>{CONTINUED_CELLS if index else first_cells}<td class="code{css}">{html}</td></tr>'


def _badge(number: int, badged: set[int]) -> str:
    """Return a passage's number for the margin, as a badge on its first line; add it to `badged`."""
    css = "again" if number in badged else "badge"
    badged.add(number)
    return f'<span class="{css} c{colour(number)}">{number}</span>'


@cache
def style() -> SafeString:
    """Return the styles of the pages and of documents; a document follows the theme of the system."""
    moss, dark, paper = ((STATIC / name).read_text(encoding="utf-8") for name in ("moss.css", "dark.css", "paper.css"))
    # Safe: the files are part of this package.
    return SafeString(f"{moss}\n@media screen and (prefers-color-scheme: dark) {{\n{dark}}}\n{paper}")


class RenderedPassage(NamedTuple):
    """A block, with table rows in which its lines are side by side."""

    number: int
    tokens: int
    left: StandaloneSide
    right: StandaloneSide
    rows: SafeString

    @property
    def others(self) -> int:
        """Number of the other submissions that have it, if it is common code; otherwise 0."""
        return max(self.left.others) if all(self.left.others) else 0

    @property
    def colour(self) -> int:
        return colour(self.number)


class PageLimits(NamedTuple):
    """Limits of a page; a browser opens 30 MB, and 10 million characters take some 10 s.

    After so many `characters` or `pairs` further pairs are without sources, and after `rows` not listed.
    """

    characters: int = 10_000_000
    pairs: int = 2_500
    rows: int = 10_000


DEFAULT_LIMITS = PageLimits()
# Pairs to read that the page begins with.
FIRST = 6


class StandalonePage(NamedTuple):
    """The page, and a sentence about what it leaves out, "" where it has everything."""

    html: str
    left_out: str


def standalone_html(report: StandaloneReport, limits: PageLimits = DEFAULT_LIMITS) -> StandalonePage:
    """Return a page with all pairs, passages of the first ones side by side, and the stylesheet."""
    if not settings.configured:  # On the command line; the templates need no other setting.
        settings.configure(USE_I18N=False)
    engine = Engine(dirs=[str(TEMPLATES)], libraries=LIBRARIES)
    if report.most_characters:
        limits = limits._replace(characters=min(limits.characters, report.most_characters))
    first: list[dict[str, object]] = []
    pairs = list(_within_limits(_rendered_pairs(report, engine, first), limits))
    others = report.rows[len(pairs) : len(pairs) + limits.rows]
    left_out = _left_out(report.rows, len(pairs), len(others))
    context = {
        "report": report,
        "style": style(),
        "created": f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
        "pairs": pairs,
        "others": others,
        "left_out": left_out,
        "to_read": first,
        "said": report.answer.lines(len(report.rows)),
        "more_to_read": min(report.answer.to_read, len(report.rows)) - len(first),
        "pairs_tab": "#pairs",
        "pair_template": "submissions/exports/_pair_to_read.html",
        "pair_bins": report.bins,
        "threshold": report.threshold,
    }
    template = engine.get_template("submissions/exports/standalone.html")
    return StandalonePage(template.render(Context(context)), left_out)


def _rendered_pairs(report: StandaloneReport, engine: Engine, first: list[dict[str, object]]) -> Iterator[str]:
    """Yield the HTML of each pair when it is asked for; add the first pairs to read to `first`."""
    template = engine.get_template("submissions/exports/_standalone_pair.html")
    for number, pair in enumerate(report.pairs, 1):
        if number <= min(report.answer.to_read, FIRST):
            first.append({"number": number, "row": pair.row, "sides": pair.sides})
        content = {"row": pair.row, "terms": pair.terms, "passages": _passages(pair)}
        yield template.render(Context({"number": number, "k": report.k, **content}))


def _within_limits(parts: Iterable[str], limits: PageLimits) -> Iterator[str]:
    """Yield the first of some parts, at least one, until they have the characters of a page."""
    characters = 0
    for part in islice(parts, limits.pairs):
        yield part
        characters += len(part)
        if characters >= limits.characters:
            return


def _left_out(rows: list[PairRow], shown: int, listed: int) -> str:
    if shown == len(rows):
        return ""
    missing = len(rows) - shown - listed
    rest = f", and {missing:,} more are not listed (--format csv lists all)" if missing else ""
    return (
        f"The first {shown:,} of {len(rows):,} pairs are shown with their sources, down to a similarity of "
        f"{100 * rows[shown - 1].similarity:.0f}%; {listed:,} more are listed without{rest}."
    )


def _passages(pair: StandalonePair) -> Iterator[RenderedPassage]:
    for number, (left, right) in enumerate(pair.passages, 1):
        # Equal symbols of two languages are written in two ways, which says nothing.
        compared = not pair.row.mark
        sides = _side(left, right, number, compared=compared), _side(right, left, number, compared=compared)
        texts = sides[0].source.line_text, sides[1].source.line_text
        token_lines = zip(left.lines, right.lines, strict=True)
        lines = align_lines(token_lines, (left.last_line, right.last_line), texts)
        # Every piece of a source was escaped by `visible_html`.
        html = SafeString("".join(passage_rows(*sides, lines)))
        yield RenderedPassage(number, len(left.lines), left, right, html)


def _side(side: StandaloneSide, other: StandaloneSide, number: int, *, compared: bool) -> PassageSide:
    both = list(zip(side.runs, other.runs, strict=True))
    differing = [(*span, "") for runs in (both if compared else ()) for span, *_ in differing_spans(*runs)]
    pieces = list(_marked_pieces(both, side.others, compared=compared))
    marks = Spans((mark.start, mark.end, mark) for mark in block_marks(side.text, number, pieces))
    layers, cells = Layers(marks=marks, differing=Spans(differing)), cell_lines(side.text, side.language)
    source = PrintedSource(side.text, _line_starts(side.text), layers, cells)
    return PassageSide(source, range(side.first_line, side.last_line + 1))


_line_starts = lru_cache(500)(line_starts)  # A file is in many pairs.


def _marked_pieces(
    runs: Iterable[tuple[TokenRun, TokenRun]], others: Iterable[int], *, compared: bool
) -> Iterator[MarkedPiece]:
    """Yield the pieces of a block and the code between them; `runs` and `others` have a row per piece."""
    ends: tuple[int, int] | None = None
    for (this, other), submissions in zip(runs, others, strict=True):
        (start, end), (other_start, other_end) = _extent(this), _extent(other)
        if ends:
            theirs = other.text, (ends[1], other_start)
            yield between((this.text, (ends[0], start)), theirs if compared else None)
        yield MarkedPiece(start, end, list(differing_gaps(this, other)) if compared else [], submissions)
        ends = end, other_end


def _extent(run: TokenRun) -> tuple[int, int]:
    spans = run.spans()
    return spans[0][0], spans[-1][1]
