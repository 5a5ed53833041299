"""The page of `moss check --format html`, rendered without a service."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings
from django.template import Context, Engine
from django.utils.safestring import SafeString

from submissions.matches.differences import TokenRun, align_lines, differences, differing_parts
from submissions.matches.source_html import (
    Layers,
    MarkedPiece,
    Spans,
    between,
    block_marks,
    cell_lines,
    colour,
    differing_gaps,
    line_starts,
)
from submissions.pages.paper import PassageSide, PrintedSource, passage_rows, style

if TYPE_CHECKING:
    from submissions.matches.ranked_pairs import PairRow
    from submissions.matches.standalone_content import StandalonePair, StandaloneReport, StandaloneSide

TEMPLATES = Path(__file__).resolve().parents[1] / "templates"
LIBRARIES = {"i18n": "django.templatetags.i18n", "pages": "submissions.pages.filters"}


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
    differing = [mark for runs in (both if compared else ()) for mark in _differing(*runs)]
    pieces = list(_marked_pieces(both, side.others, compared=compared))
    marks = Spans((mark.start, mark.end, mark) for mark in block_marks(side.text, number, pieces))
    layers, cells = Layers(marks=marks, differing=Spans(differing)), cell_lines(side.text, side.language)
    source = PrintedSource(side.text, _line_starts(side.text), layers, cells)
    return PassageSide(source, range(side.first_line, side.last_line + 1))


_line_starts = lru_cache(500)(line_starts)  # A file is in many pairs.


def _differing(run: TokenRun, other: TokenRun) -> Iterator[tuple[int, int, str]]:
    """Yield the parts of tokens of a run that the other side writes differently."""
    spans = run.spans()
    for difference in differences(run, other):
        start = spans[difference.position][0]
        for (first, after), _ in differing_parts(difference.left, difference.right):
            if first < after:
                yield start + first, start + after, ""


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
