"""A ranking as one HTML file that needs nothing beside it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings
from django.template import Context, Engine
from django.utils.safestring import SafeString

from fingerprint.engine import ENGINE_VERSION, decode, front_end
from moss.check.exports import row
from submissions.pages.exports.aligned_lines import aligned
from submissions.pages.exports.drawing import Sheet, Spans
from submissions.pages.exports.source_rows import passage_rows
from submissions.pages.exports.styles import style
from submissions.pages.source_view.highlight import colour, line_starts
from submissions.pages.source_view.written_differences import Excerpt, differences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from moss.check.local import LocalFile, LocalReport
    from submissions.ranking.pair_rows import PairRow
    from submissions.ranking.ranked_pairs import RankedPair

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"


class Side(NamedTuple):
    """Where a passage lies on one side; lines count from 1, the last is included."""

    path: str
    first_line: int
    last_line: int


class Drawn(NamedTuple):
    """A passage with the rows that set its lines side by side."""

    number: int
    tokens: int
    left: Side
    right: Side
    rows: SafeString

    @property
    def colour(self) -> int:
        return colour(self.number)


class Shown(NamedTuple):
    number: int
    row: PairRow
    passages: Iterator[Drawn]


def as_html(report: LocalReport, title: str) -> str:
    """All pairs as a table, and each with its passages side by side, the style included."""
    if not settings.configured:  # on the command line; all that a template asks for
        settings.configure(USE_I18N=False)
    engine = Engine(dirs=[str(TEMPLATES)], libraries={"pages": "submissions.pages.templatetags.pages"})
    context = {
        "title": title,
        "report": report,
        "style": style(),
        "made": f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
        "engine_version": ENGINE_VERSION,
        "pairs": [
            Shown(number, row(report, pair), _passages(report, pair))
            for number, pair in enumerate(report.pairs(), 1)
        ],
    }
    return engine.get_template("submissions/standalone.html").render(Context(context))


def _passages(report: LocalReport, pair: RankedPair) -> Iterator[Drawn]:
    for number, passage in enumerate(pair.passages, 1):
        left = _Part.of(report.files[passage.left_file], passage.left_token, passage.tokens)
        right = _Part.of(report.files[passage.right_file], passage.right_token, passage.tokens)
        differing = [found.at for found in differences(left.excerpt, right.excerpt)]
        rows = aligned(zip(left.lines, right.lines, strict=True), (left.side.last_line, right.side.last_line))
        drawn = passage_rows(left.sheet(number, differing), right.sheet(number, differing), rows)
        # Every line passes through `visible`.
        yield Drawn(number, passage.tokens, left.side, right.side, SafeString("".join(drawn)))


@dataclass(frozen=True, slots=True)
class _Part:
    """A passage on one side: the line of each of its tokens, from 1, and where lines of the text start."""

    path: str
    excerpt: Excerpt
    lines: list[int]
    starts: list[int]

    @classmethod
    def of(cls, file: LocalFile, first: int, count: int) -> _Part:
        text = front_end(file.tokens.language).text(decode(file.data).text)
        lines = file.tokens.lines[first : first + count].tolist()
        return cls(file.path, Excerpt(text, file.tokens.stream, first, count), lines, line_starts(text))

    @property
    def side(self) -> Side:
        _, end = self.excerpt.spans()[-1]
        return Side(self.path, self.lines[0], bisect_right(self.starts, end - 1))

    def sheet(self, number: int, differing: Iterable[int]) -> Sheet:
        """Draw it as passage `number`, its tokens `differing`, from 0, underlined."""
        spans, text = self.excerpt.spans(), self.excerpt.text
        return Sheet(
            text,
            [*self.starts, len(text)],
            marks=Spans([(spans[0][0], spans[-1][1], number)]),
            differing=Spans((*spans[at], "") for at in differing),
        )
