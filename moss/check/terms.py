"""The names, literals and imports of a pair that shares no passage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.engine import decode, front_end
from submissions.comparison.shared_terms import SharedTerms, TermFile, shared_terms

if TYPE_CHECKING:
    from moss.check.local import LocalReport
    from submissions.comparison.ranked_pairs import RankedPair


def pair_terms(report: LocalReport, pair: RankedPair) -> SharedTerms | None:
    """Return what both sides of a pair without a passage have; None for any other pair."""
    if pair.structure:
        return None
    left, right = (_term_files(report, submission) for submission in (pair.left, pair.right))
    return shared_terms(left, right, report.handed_out)


def _term_files(report: LocalReport, submission: int) -> list[TermFile]:
    return [
        TermFile(
            file.path,
            file.tokens.language,
            front_end(file.tokens.language).text(decode(file.data).text),
            file.tokens.stream,
            file.tokens.lexical,
        )
        for file in report.files
        if file.submission == submission
    ]
