"""What a ranking says of a pair, the same for the database, the terminal and every export."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint import engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fingerprint.cohort import Cohort
    from fingerprint.engine import Passage, Ranking
    from fingerprint.reading import Lines


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


@dataclass(frozen=True, slots=True)
class RankedPair:
    """Numbers as `fingerprint.scoring.score` gives them; `left`, `right` are the cohort's submissions.

    `lines`: source lines on which tokens of passages begin, on the side that has more; `structure`,
    `literals` and `names` add up to the similarity.
    """

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


def ranked_pairs(cohort: Cohort, ranking: Ranking, lines: Callable[[int], Lines]) -> Iterator[RankedPair]:
    """Align the pairs of a ranking, one at a time; `lines` gives the line of each token of a file."""
    numbers = zip(*ranking.pairs, *ranking.scores, strict=True)
    for left, right, _, similarity, left_share, right_share, tokens, longest, *added in numbers:
        passages = engine.draw(cohort, int(left), int(right))
        sides = (
            {(p.left_file, line) for p in passages for line in _lines(lines(p.left_file), p.left_token, p)},
            {
                (p.right_file, line)
                for p in passages
                for line in _lines(lines(p.right_file), p.right_token, p)
            },
        )
        yield RankedPair(
            left=int(left),
            right=int(right),
            similarity=float(similarity),
            left_share=float(left_share),
            right_share=float(right_share),
            tokens=int(tokens),
            lines=max(map(len, sides)),
            longest=int(longest),
            structure=float(added[0]),
            literals=float(added[1]),
            names=float(added[2]),
            passages=passages,
        )


def _lines(lines: Lines, first: int, passage: Passage) -> list[int]:
    found: list[int] = np.unique(lines[first : first + passage.tokens]).tolist()
    return found
