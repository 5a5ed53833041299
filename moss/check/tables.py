"""Tables of a local ranking, for the exporters. `pairs_table` may get more columns, but must lose none."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any

from fingerprint.engine import SCORE_VERSION, group_passages, passage_weight
from moss.check.terms import pair_terms
from submissions.comparison.export_formats import ExportTable
from submissions.comparison.pair_rows import Evidence, PairRow, pair_mark
from submissions.comparison.ranked_pairs import PairColumns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fingerprint.engine import Passage
    from moss.check.local import LocalReport
    from submissions.comparison.ranked_pairs import RankedPair
    from submissions.comparison.shared_terms import SharedTerm


def pair_row(report: LocalReport, pair: RankedPair) -> PairRow:
    """Return the figures of a pair with the submissions' names; shares and similarity have six decimals."""
    return PairRow(
        left=report.submissions[pair.left],
        right=report.submissions[pair.right],
        similarity=round(pair.similarity, 6),
        left_share=round(pair.left_share, 6),
        right_share=round(pair.right_share, 6),
        tokens=pair.tokens,
        lines=pair.lines,
        longest=pair.longest,
        mark=pair_mark(translated=pair.translated, structure=pair.structure),
        left_with_common=round(pair.left_with_common, 6),
        right_with_common=round(pair.right_with_common, 6),
        flag=report.flag(pair.left, pair.right),
    )


def pair_rows(report: LocalReport) -> Iterator[PairRow]:
    """Yield the figures of all pairs, best first, without aligning any pair."""
    columns = PairColumns.from_ranking(report.ranking, report.name_ranks)
    names = ([report.submissions[index] for index in side] for side in (columns.left, columns.right))
    flags = map(report.flag, columns.left, columns.right) if report.own else repeat("")
    return map(PairRow, *names, *columns[2:], flags)


def pairs_table(report: LocalReport) -> ExportTable:
    """Return the table of all pairs."""
    return ExportTable("pairs", PairRow._fields, pair_rows(report), {})


def details_table(report: LocalReport) -> ExportTable:
    """Return the table of all pairs with evidence, passages and blocks, and facts about the whole report.

    A block has the numbers, from 0, of its passages. Those of a translated pair count tokens of the coarse
    stream. `terms` has what a pair without a passage has in common.
    """
    about = {
        "submissions": report.sorted_names,
        "earlier": report.sorted_names[report.class_size :],
        "common_limit": report.inputs.cohort.limit,
        "counts_alike_as_one": report.counts_alike_as_one,
        "score_version": SCORE_VERSION,
        "threshold": report.ranking.threshold._asdict(),
        "skipped": [skipped._asdict() for skipped in report.skipped],
    }
    rows = (
        (
            *pair_row(report, pair),
            _evidence(pair),
            _passages(report, pair),
            _blocks(report, pair),
            _terms(report, pair),
        )
        for pair in report.pairs()
    )
    return ExportTable("pairs", (*PairRow._fields, "evidence", "passages", "blocks", "terms"), rows, about)


def weighted_blocks(passages: list[Passage]) -> list[list[Passage]]:
    """Return the blocks of passages, the heaviest first and those of common code last."""
    return sorted(group_passages(passages), key=_block_order)


def _block_order(block: list[Passage]) -> tuple[float, int]:
    counted = (passage for passage in block if not passage.common)
    weight = sum(passage_weight(passage.tokens, passage.submissions) for passage in counted)
    return -weight, -sum(passage.tokens for passage in block)


def _blocks(report: LocalReport, pair: RankedPair) -> list[dict[str, object]]:
    numbers = {passage: number for number, passage in enumerate(pair.passages)}
    return [
        _block(report, block, translated=pair.translated)
        | {"passages": [numbers[passage] for passage in block]}
        for block in weighted_blocks(pair.passages)
    ]


def _block(report: LocalReport, block: list[Passage], *, translated: bool) -> dict[str, object]:
    first, last = (_sides(report, passage, translated=translated) for passage in (block[0], block[-1]))
    sides = {side: first[side] | {"last_line": last[side]["last_line"]} for side in first}
    return {
        **sides,
        "tokens": sum(passage.tokens for passage in block),
        "common": all(passage.common for passage in block),
    }


def _evidence(pair: RankedPair) -> dict[str, float]:
    return {part: round(getattr(pair, part), 6) for part in Evidence._fields}


def _terms(report: LocalReport, pair: RankedPair) -> list[dict[str, object]]:
    terms = pair_terms(report, pair)
    return [_term(term) for term in terms.listed] if terms else []


def _term(term: SharedTerm) -> dict[str, object]:
    left, right = ([{"file": one.path, "lines": one.lines} for one in side] for side in term.sides)
    return {"kind": term.kind, "text": term.text, "left": left, "right": right}


def _passages(report: LocalReport, pair: RankedPair) -> list[dict[str, object]]:
    return [_passage(report, passage, translated=pair.translated) for passage in pair.passages]


def _passage(report: LocalReport, passage: Passage, *, translated: bool) -> dict[str, object]:
    sides = _sides(report, passage, translated=translated)
    figures = {"tokens": passage.tokens, "submissions": passage.submissions, "common": passage.common}
    return sides | figures


def _sides(report: LocalReport, passage: Passage, *, translated: bool) -> dict[str, Any]:
    ends = (
        ("left", passage.left_file, passage.left_token),
        ("right", passage.right_file, passage.right_token),
    )
    sides = {}
    for side, file, first in ends:
        tokens = report.files[file].tokens
        lines = tokens.coarse_lines if translated else tokens.lines
        sides[side] = {
            "file": report.files[file].path,
            "first_line": int(lines[first]),
            "last_line": int(lines[first + passage.tokens - 1]),
        }
    return sides
