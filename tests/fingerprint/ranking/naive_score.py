"""The score of docs/score.md, written exactly as there, on lists: slow and obviously correct."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from fingerprint.ranking import score_constants as constants
from tests.fingerprint import naive

if TYPE_CHECKING:
    from collections.abc import Sequence

Tile = tuple[int, int, int]


@dataclass(frozen=True)
class Submission:
    """One file of token kinds, with its literals and names as strings."""

    kinds: list[int]
    literals: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()


def rarity(frequency: int, exponent: float) -> float:
    return float(max(1, frequency - 1) ** -exponent)


def kgram_weights(own: Submission, cohort: Sequence[Submission], k: int) -> list[float]:
    kgrams = naive.kgrams(own.kinds, k)
    repeats = Counter(kgrams)
    kgram_sets = [set(naive.kgrams(other.kinds, k)) for other in cohort]
    return [
        rarity(sum(kgram in other for other in kgram_sets), constants.RARITY_EXPONENT)
        * repeats[kgram] ** -constants.REPEAT_EXPONENT
        for kgram in kgrams
    ]


def token_weights(own: Submission, cohort: Sequence[Submission], k: int) -> list[float]:
    weights = kgram_weights(own, cohort, k)
    covering = [weights[max(0, at - k + 1) : at + 1] for at in range(len(own.kinds))]
    return [prod(over) ** (1 / len(over)) if over else 0.0 for over in covering]


def norm(first: float, second: float, parameters: constants.Norm) -> float:
    small, large = sorted((first, second))
    return small * min(large / small, parameters.max_ratio) ** parameters.exponent if small > 0 else 0.0


def length_factor(tokens: int) -> float:
    return tokens / (tokens + constants.HALF_LENGTH)


def chains(tiles: Sequence[Tile]) -> list[list[Tile]]:
    """Return chains of tiles that follow each other on both sides with few tokens between them."""
    chained: list[list[Tile]] = []
    for tile in sorted(tiles):
        if chained:
            a, b, length = chained[-1][-1]
            gaps = tile[0] - a - length, tile[1] - b - length
            if min(gaps) >= 0 and max(gaps) <= constants.LONGEST_GAP:
                chained[-1].append(tile)
                continue
        chained.append([tile])
    return chained


def passages(
    left: Submission, right: Submission, cohort: Sequence[Submission], k: int
) -> tuple[float, float]:
    """Return T and D of docs/score.md."""
    on_left, on_right = token_weights(left, cohort, k), token_weights(right, cohort, k)
    total = norm(sum(on_left), sum(on_right), constants.PASSAGE_NORM)
    smaller = min(len(left.kinds), len(right.kinds))
    covered = 0.0
    for chain in chains(naive.tiles(left.kinds, right.kinds, k)):
        weight = sum(sum(on_left[a : a + n]) + sum(on_right[b : b + n]) for a, b, n in chain) / 2
        covered += length_factor(sum(n for _, _, n in chain)) * weight
    return (min(1.0, covered / total / length_factor(smaller)) if covered else 0.0), total


def lexical(
    sides: tuple[frozenset[str], frozenset[str]],
    cohort: Sequence[frozenset[str]],
    parameters: tuple[float, constants.Norm],
) -> tuple[float, float]:
    """Return the share of the terms that both sides have, and the total that it is a share of."""
    exponent, norm_parameters = parameters

    def mass(terms: frozenset[str]) -> float:
        return sum(
            rarity(sum(term in other for other in cohort), exponent)
            * min(constants.WHOLE_TERM_CHARACTERS, len(term))
            / constants.WHOLE_TERM_CHARACTERS
            for term in terms
        )

    total = norm(mass(sides[0]), mass(sides[1]), norm_parameters)
    return (min(1.0, mass(sides[0] & sides[1]) / total) if total else 0.0), total


def similarity(left: Submission, right: Submission, cohort: Sequence[Submission], k: int) -> float:
    t, d = passages(left, right, cohort, k)
    if t == 0:
        return 0.0
    literals = lexical(
        (left.literals, right.literals),
        [submission.literals for submission in cohort],
        (constants.LITERAL_RARITY_EXPONENT, constants.LITERAL_NORM),
    )
    names = lexical(
        (left.names, right.names),
        [submission.names for submission in cohort],
        (constants.NAME_RARITY_EXPONENT, constants.NAME_NORM),
    )
    w_l = min(constants.LITERAL_TOKENS * literals[1], constants.LITERAL_CAP * d)
    w_n = min(constants.NAME_TOKENS * names[1], constants.NAME_CAP * d)
    weighed = (t * d + literals[0] * w_l + names[0] * w_n) / (d + w_l + w_n)
    return max(constants.LEAST_PASSAGE_PART * t, weighed)
