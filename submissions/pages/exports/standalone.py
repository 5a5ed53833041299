"""A ranking as one self-contained HTML file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings
from django.template import Context, Engine
from django.utils.safestring import SafeString

from submissions.pages.exports.aligned_lines import align_lines
from submissions.pages.exports.paper import PassageSide, PrintedSource, passage_rows
from submissions.pages.exports.styles import style
from submissions.pages.source_view.render import Layers, PassageMark, Spans, colour, line_starts
from submissions.pages.source_view.written_differences import differences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from submissions.pages.exports.standalone_report import StandalonePair, StandaloneReport, StandaloneSide
    from submissions.pages.source_view.shared_terms import SharedTerms
    from submissions.ranking.pair_rows import PairRow

TEMPLATES = Path(__file__).resolve().parents[3] / "templates"


class RenderedPassage(NamedTuple):
    """A passage, with table rows in which its lines are side by side."""

    number: int
    tokens: int
    left: StandaloneSide
    right: StandaloneSide
    rows: SafeString

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
    engine = Engine(dirs=[str(TEMPLATES)], libraries={"pages": "submissions.pages.templatetags.pages"})
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
    return engine.get_template("submissions/standalone.html").render(Context(context))


def _passages(pair: StandalonePair) -> Iterator[RenderedPassage]:
    for number, (left, right) in enumerate(pair.passages, 1):
        # Equal symbols of two languages are written in two ways, which says nothing.
        runs = () if pair.row.mark else differences(left.run, right.run)
        differing = [difference.position for difference in runs]
        lines = align_lines(zip(left.lines, right.lines, strict=True), (left.last_line, right.last_line))
        rows = passage_rows(_side(left, number, differing), _side(right, number, differing), lines)
        # Every piece of a source was escaped by `visible_html`.
        html = SafeString("".join(rows))
        yield RenderedPassage(number, len(left.lines), left, right, html)


def _side(side: StandaloneSide, number: int, differing: Iterable[int]) -> PassageSide:
    spans, text = side.run.spans(), side.run.text
    mark = PassageMark(spans[0][0], spans[-1][1], number)
    layers = Layers(
        marks=Spans([(mark.start, mark.end, mark)]),
        differing=Spans((*spans[position], "") for position in differing),
    )
    return PassageSide(
        PrintedSource(text, line_starts(text), layers), range(side.first_line, side.last_line + 1)
    )
