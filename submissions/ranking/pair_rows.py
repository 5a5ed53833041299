"""A pair by name, as every table and export writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from submissions.models import Pair


class PairRow(NamedTuple):
    """A pair by name, as tables and exports show it; numbers as in RankedPair."""

    left: str
    right: str
    similarity: float
    left_share: float
    right_share: float
    tokens: int
    lines: int
    longest: int


def stored_row(pair: Pair) -> PairRow:
    """One pair of a stored report by name."""
    return PairRow(
        left=pair.left.name,
        right=pair.right.name,
        similarity=pair.similarity,
        left_share=pair.left_share,
        right_share=pair.right_share,
        tokens=pair.tokens,
        lines=pair.lines,
        longest=pair.longest,
    )
