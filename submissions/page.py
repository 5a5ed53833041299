"""A ranking as one HTML file that needs nothing beside it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings
from django.template import Context, Engine
from django.utils.safestring import SafeString

from fingerprint.languages import decode, front_end
from fingerprint.params import ENGINE_VERSION
from fingerprint.reading import LINE_END
from submissions.exports import row
from submissions.highlight import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from submissions.local import LocalFile, LocalReport
    from submissions.pair_row import PairRow
    from submissions.results import RankedPair

HERE = Path(__file__).resolve().parent
TEMPLATES = HERE.parent / "templates"
STYLE = HERE / "static" / "submissions" / "moss.css"


class Excerpt(NamedTuple):
    """Lines of one side of a passage, from 1, each as safe HTML."""

    path: str
    first: int
    last: int
    lines: list[SafeString]


class Shown(NamedTuple):
    number: int
    row: PairRow
    passages: Iterator[tuple[int, Excerpt, Excerpt]]


def as_html(report: LocalReport, title: str) -> str:
    """All pairs as a table, and each with its passages side by side, the style included."""
    if not settings.configured:  # on the command line; all that a template asks for
        settings.configure(USE_I18N=False)
    engine = Engine(dirs=[str(TEMPLATES)], libraries={"pages": "submissions.templatetags.pages"})
    context = {
        "title": title,
        "report": report,
        "style": SafeString(STYLE.read_text(encoding="utf-8")),
        "made": f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
        "engine_version": ENGINE_VERSION,
        "pairs": [
            Shown(number, row(report, pair), _excerpts(report, pair))
            for number, pair in enumerate(report.pairs(), 1)
        ],
    }
    return engine.get_template("submissions/standalone.html").render(Context(context))


def _excerpts(report: LocalReport, pair: RankedPair) -> Iterator[tuple[int, Excerpt, Excerpt]]:
    for passage in pair.passages:
        left = _excerpt(report.files[passage.left_file], passage.left_token, passage.tokens)
        right = _excerpt(report.files[passage.right_file], passage.right_token, passage.tokens)
        yield passage.tokens, left, right


def _excerpt(file: LocalFile, first: int, count: int) -> Excerpt:
    text = front_end(file.tokens.language).text(decode(file.data).text)
    low, high = (int(file.tokens.lines[at]) for at in (first, first + count - 1))
    # Every line passes through `visible`.
    lines = [SafeString(visible(line)) for line in LINE_END.split(text)[low - 1 : high]]
    return Excerpt(file.path, low, high, lines)
