"""Convert a local ranking to the records that the HTML exporter reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.engine import ENGINE_VERSION, SCORE_VERSION, decode, front_end
from moss.check.tables import pair_row, weighted_blocks
from moss.check.terms import pair_terms
from submissions.comparison.standalone_report import (
    SkippedEntry,
    StandalonePair,
    StandaloneReport,
    StandaloneSide,
)
from submissions.comparison.written_differences import TokenRun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fingerprint.engine import TokenStream
    from fingerprint.types import Lines
    from moss.check.local import LocalReport
    from moss.check.readings import FileTokens, LocalFile
    from submissions.comparison.ranked_pairs import RankedPair


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
    for block in weighted_blocks(pair.passages):
        left_file, right_file = report.files[block[0].left_file], report.files[block[0].right_file]
        streams = [_stream(file.tokens, translated=pair.translated) for file in (left_file, right_file)]
        others = [max(passage.submissions - 2, 0) if passage.common else 0 for passage in block]
        left = [(passage.left_token, passage.tokens) for passage in block]
        right = [(passage.right_token, passage.tokens) for passage in block]
        yield _side(left_file, streams[0], left, others), _side(right_file, streams[1], right, others)


def _stream(tokens: FileTokens, *, translated: bool) -> tuple[TokenStream, Lines]:
    """Return the stream that the passages of a pair are of, and its lines."""
    if translated and tokens.coarse:
        return tokens.coarse.tokens, tokens.coarse_lines
    return tokens.stream, tokens.lines


def _side(
    file: LocalFile, stream: tuple[TokenStream, Lines], pieces: list[tuple[int, int]], others: list[int]
) -> StandaloneSide:
    text = front_end(file.tokens.language).text(decode(file.data).text)
    runs = [TokenRun(text, stream[0], first, count) for first, count in pieces]
    lines = [line for first, count in pieces for line in stream[1][first : first + count].tolist()]
    return StandaloneSide(file.path, runs, lines, others)
