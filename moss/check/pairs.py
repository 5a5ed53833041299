"""The pairs of a local ranking as rows, and as the table that the exporters write.

`pairs_table` may get more columns, but must lose none.
"""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING

from submissions.matches.export_formats import ExportTable
from submissions.matches.ranked_pairs import PairColumns, PairRow, pair_mark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from moss.check.report import LocalReport
    from submissions.matches.ranked_pairs import RankedPair


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
    has_flags = report.all_inputs.same_student or report.all_inputs.solutions
    flags = map(report.flag, columns.left, columns.right) if has_flags else repeat("")
    return map(PairRow, *names, *columns[2:], flags)


def pairs_table(report: LocalReport) -> ExportTable:
    """Return the table of all pairs."""
    return ExportTable("pairs", PairRow._fields, pair_rows(report), {})
