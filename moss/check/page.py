"""Convert a local ranking to the records that the HTML exporter reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.engine import ENGINE_VERSION, decode, front_end
from moss.check.tables import pair_row
from submissions.pages.exports.standalone_report import (
    SkippedEntry,
    StandalonePair,
    StandaloneReport,
    StandaloneSide,
)
from submissions.pages.source_view.written_differences import TokenRun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from moss.check.local import LocalFile, LocalReport
    from submissions.ranking.ranked_pairs import RankedPair


def standalone_report(report: LocalReport, title: str) -> StandaloneReport:
    """Return the report for the HTML exporter: all pairs with their passages, best first."""
    return StandaloneReport(
        title=title,
        submissions=len(report.submissions),
        earlier=report.earlier,
        common_limit=report.cohort.limit,
        engine_version=ENGINE_VERSION,
        pairs=[StandalonePair(pair_row(report, pair), _passages(report, pair)) for pair in report.pairs()],
        skipped=[SkippedEntry(*skipped) for skipped in report.skipped],
        shortfall=report.shortfall,
    )


def _passages(report: LocalReport, pair: RankedPair) -> Iterator[tuple[StandaloneSide, StandaloneSide]]:
    for passage in pair.passages:
        left = _side(report.files[passage.left_file], passage.left_token, passage.tokens)
        right = _side(report.files[passage.right_file], passage.right_token, passage.tokens)
        yield left, right


def _side(file: LocalFile, first: int, count: int) -> StandaloneSide:
    text = front_end(file.tokens.language).text(decode(file.data).text)
    lines = file.tokens.lines[first : first + count].tolist()
    return StandaloneSide(file.path, TokenRun(text, file.tokens.stream, first, count), lines)
