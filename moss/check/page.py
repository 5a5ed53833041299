"""Convert a local ranking to the records that the HTML exporter reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.engine import ENGINE_VERSION, SCORE_VERSION, decode, front_end
from moss.check.tables import pair_row
from moss.check.terms import pair_terms
from submissions.pages.exports.standalone_report import (
    SkippedEntry,
    StandalonePair,
    StandaloneReport,
    StandaloneSide,
)
from submissions.pages.source_view.written_differences import TokenRun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fingerprint.engine import TokenStream
    from fingerprint.types import Lines
    from moss.check.local import LocalFile, LocalReport
    from moss.check.readings import FileTokens
    from submissions.ranking.ranked_pairs import RankedPair


def standalone_report(report: LocalReport, title: str) -> StandaloneReport:
    """Return the report for the HTML exporter: all pairs with their passages, best first."""
    return StandaloneReport(
        title=title,
        submissions=len(report.submissions),
        earlier=report.earlier,
        common_limit=report.inputs.cohort.limit,
        counts_alike_as_one=report.counts_alike_as_one,
        engine_version=ENGINE_VERSION,
        score_version=SCORE_VERSION,
        k=report.inputs.cohort.k,
        pairs=[
            StandalonePair(pair_row(report, pair), _passages(report, pair), pair_terms(report, pair))
            for pair in report.pairs()
        ],
        skipped=[SkippedEntry(*skipped) for skipped in report.skipped],
        shortfall=report.shortfall,
    )


def _passages(report: LocalReport, pair: RankedPair) -> Iterator[tuple[StandaloneSide, StandaloneSide]]:
    for passage in pair.passages:
        left_file, right_file = report.files[passage.left_file], report.files[passage.right_file]
        streams = [_stream(file.tokens, translated=pair.translated) for file in (left_file, right_file)]
        left = _side(left_file, streams[0], passage.left_token, passage.tokens)
        right = _side(right_file, streams[1], passage.right_token, passage.tokens)
        yield left, right


def _stream(tokens: FileTokens, *, translated: bool) -> tuple[TokenStream, Lines]:
    """Return the stream that the passages of a pair are of, and its lines."""
    if translated and tokens.coarse:
        return tokens.coarse.tokens, tokens.coarse_lines
    return tokens.stream, tokens.lines


def _side(file: LocalFile, stream: tuple[TokenStream, Lines], first: int, count: int) -> StandaloneSide:
    text = front_end(file.tokens.language).text(decode(file.data).text)
    lines = stream[1][first : first + count].tolist()
    return StandaloneSide(file.path, TokenRun(text, stream[0], first, count), lines)
