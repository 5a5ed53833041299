"""A ranking as one self-contained HTML file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings
from django.template import Context, Engine
from django.utils.safestring import SafeString

from submissions.comparison.aligned_lines import align_lines
from submissions.comparison.marks import MarkedPiece, block_marks, differing_gaps
from submissions.comparison.source_html import Layers, Spans, colour, line_starts
from submissions.comparison.written_differences import differences
from submissions.pages.exports.paper import PassageSide, PrintedSource, passage_rows, style

if TYPE_CHECKING:
    from collections.abc import Iterator

    from submissions.comparison.pair_rows import PairRow
    from submissions.comparison.shared_terms import SharedTerms
    from submissions.comparison.standalone_report import StandalonePair, StandaloneReport, StandaloneSide
    from submissions.comparison.written_differences import TokenRun

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
LIBRARIES = {"i18n": "django.templatetags.i18n", "pages": "submissions.pages.templatetags.pages"}


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


class RenderedPair(NamedTuple):
    number: int
    row: PairRow
    passages: Iterator[RenderedPassage]
    terms: SharedTerms | None


def standalone_html(report: StandaloneReport) -> str:
    """Return a page with all pairs, their passages side by side, and the stylesheet."""
    if not settings.configured:  # On the command line; the templates need no other setting.
        settings.configure(USE_I18N=False)
    engine = Engine(dirs=[str(TEMPLATES)], libraries=LIBRARIES)
    pairs = [
        RenderedPair(number, pair.row, _passages(pair), pair.terms)
        for number, pair in enumerate(report.pairs, 1)
    ]
    context = {
        "report": report,
        "style": style(),
        "created": f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
        "pairs": pairs,
    }
    return engine.get_template("submissions/exports/standalone.html").render(Context(context))


def _passages(pair: StandalonePair) -> Iterator[RenderedPassage]:
    for number, (left, right) in enumerate(pair.passages, 1):
        lines = align_lines(zip(left.lines, right.lines, strict=True), (left.last_line, right.last_line))
        # Equal symbols of two languages are written in two ways, which says nothing.
        compared = not pair.row.mark
        sides = _side(left, right, number, compared=compared), _side(right, left, number, compared=compared)
        # Every piece of a source was escaped by `visible_html`.
        html = SafeString("".join(passage_rows(*sides, lines)))
        yield RenderedPassage(number, len(left.lines), left, right, html)


def _side(side: StandaloneSide, other: StandaloneSide, number: int, *, compared: bool) -> PassageSide:
    both = list(zip(side.runs, other.runs, strict=True))
    differing = [
        (*run.spans()[difference.position], "")
        for run, other_run in (both if compared else ())
        for difference in differences(run, other_run)
    ]
    pieces = [
        MarkedPiece(*_extent(run), list(differing_gaps(run, other_run)) if compared else [], others)
        for (run, other_run), others in zip(both, side.others, strict=True)
    ]
    marks = Spans((mark.start, mark.end, mark) for mark in block_marks(side.text, number, pieces))
    source = PrintedSource(side.text, line_starts(side.text), Layers(marks=marks, differing=Spans(differing)))
    return PassageSide(source, range(side.first_line, side.last_line + 1))


def _extent(run: TokenRun) -> tuple[int, int]:
    spans = run.spans()
    return spans[0][0], spans[-1][1]
