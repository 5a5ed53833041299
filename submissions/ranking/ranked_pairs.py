"""What a ranking says of a pair, the same for the database, the terminal and every export."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint import engine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fingerprint.engine import Cohort, Passage, Ranking
    from fingerprint.types import Floats

# How near to the middle of two a product may be for its rounding to be in doubt.
DOUBT = 1e-6
ALL = slice(None)


@dataclass(frozen=True, slots=True)
class RankedPair:
    """One scored pair; `left` and `right` are indexes of submissions in the cohort."""

    left: int
    right: int
    similarity: float
    left_share: float
    right_share: float
    tokens: int
    lines: int
    longest: int
    structure: float
    literals: float
    names: float
    passages: list[Passage]


class PairColumns(NamedTuple):
    """Columns of PairRow, submissions by number; shares and similarity to six decimals."""

    left: list[int]
    right: list[int]
    similarity: list[float]
    left_share: list[float]
    right_share: list[float]
    tokens: list[int]
    lines: list[int]
    longest: list[int]

    @classmethod
    def of(cls, ranking: Ranking, rows: slice = ALL) -> PairColumns:
        pairs, scores = ranking.pairs, ranking.scores
        return cls(
            pairs.left[rows].tolist(),
            pairs.right[rows].tolist(),
            to_six(scores.similarity[rows]),
            to_six(scores.left_share[rows]),
            to_six(scores.right_share[rows]),
            scores.tokens[rows].tolist(),
            scores.lines[rows].tolist(),
            scores.longest[rows].tolist(),
        )


def to_six(column: Floats) -> list[float]:
    """Round as `round(x, 6)` does; NumPy's way differs where a value lies between two."""
    rounded = np.round(column, 6)
    between = np.abs(np.mod(column * 1e6, 1) - 0.5) < DOUBT
    rounded[between] = [round(value, 6) for value in column[between].tolist()]
    values: list[float] = rounded.tolist()
    return values


def ranked_pairs(cohort: Cohort, ranking: Ranking) -> Iterator[RankedPair]:
    """Align the pairs of a ranking, one at a time."""
    numbers = zip(*ranking.pairs, *ranking.scores, strict=True)
    for left, right, _, similarity, left_share, right_share, tokens, longest, lines, *added in numbers:
        yield RankedPair(
            left=int(left),
            right=int(right),
            similarity=float(similarity),
            left_share=float(left_share),
            right_share=float(right_share),
            tokens=int(tokens),
            lines=int(lines),
            longest=int(longest),
            structure=float(added[0]),
            literals=float(added[1]),
            names=float(added[2]),
            passages=engine.draw(cohort, int(left), int(right)),
        )
