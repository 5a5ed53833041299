"""A pair by name, as every table, export and interface writes it. Needs no Django."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from submissions.models import Pair


class PairRow(NamedTuple):
    """The figures of a pair: shares and similarity in [0, 1]; tokens, lines and longest passage in tokens."""

    left: str
    right: str
    similarity: float
    left_share: float
    right_share: float
    tokens: int
    lines: int
    longest: int


class Evidence(NamedTuple):
    """What each kind of evidence adds to a pair's similarity; together they are it."""

    structure: float
    literals: float
    names: float


def stored_row(pair: Pair) -> PairRow:
    """Return the row of a stored pair that was loaded with its submissions."""
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
