"""Rows of pair tables, shared by pages, exports and the command line. This module must not need Django."""

from __future__ import annotations

from typing import NamedTuple

# The mark of a pair that was compared across languages, in tables, exports and on pages.
TRANSLATED = "translated"
# That of a pair that shares names, literals or imports, but no run of equal tokens as long as a k-gram.
NO_PASSAGE = "no passage"


def pair_mark(*, translated: bool, structure: float) -> str:
    """Return the mark of a pair, empty for one without."""
    if translated:
        return TRANSLATED
    return "" if structure else NO_PASSAGE


class PairRow(NamedTuple):
    """Names and figures of a pair.

    `similarity` and the shares are in [0, 1]; `tokens` and `lines`: shared tokens and lines; `longest`: the
    longest passage, in tokens. `mark`: see `pair_mark`. `left_with_common` and `right_with_common` are the
    shares where common code counts too. `flag`: `the same student, 2024` for a pair of a student and the same
    student's earlier work, in what `moss check` writes.
    """

    left: str
    right: str
    similarity: float
    left_share: float
    right_share: float
    tokens: int
    lines: int
    longest: int
    mark: str
    left_with_common: float
    right_with_common: float
    flag: str = ""


class Evidence(NamedTuple):
    """Contribution of each kind of evidence to the similarity of a pair, which is their sum."""

    structure: float
    literals: float
    names: float
    imports: float
