"""The score of docs/score.md by the letter, on lists: slow and obviously right."""

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
    grams = naive.kgrams(own.kinds, k)
    repeats = Counter(grams)
    held = [set(naive.kgrams(other.kinds, k)) for other in cohort]
    return [
        rarity(sum(gram in other for other in held), constants.RARITY_EXPONENT)
        * repeats[gram] ** -constants.REPEAT_EXPONENT
        for gram in grams
    ]


def token_weights(own: Submission, cohort: Sequence[Submission], k: int) -> list[float]:
    grams = kgram_weights(own, cohort, k)
    covering = [grams[max(0, at - k + 1) : at + 1] for at in range(len(own.kinds))]
    return [prod(over) ** (1 / len(over)) if over else 0.0 for over in covering]


def norm(one: float, other: float, how: constants.Norm) -> float:
    small, large = sorted((one, other))
    return small * min(large / small, how.max_ratio) ** how.exponent if small > 0 else 0.0


def long(tokens: int) -> float:
    return tokens / (tokens + constants.HALF_LENGTH)


def chains(tiles: Sequence[Tile]) -> list[list[Tile]]:
    """Tiles in sequence on both sides with few tokens between them."""
    found: list[list[Tile]] = []
    for tile in sorted(tiles):
        if found:
            a, b, length = found[-1][-1]
            gaps = tile[0] - a - length, tile[1] - b - length
            if min(gaps) >= 0 and max(gaps) <= constants.LONGEST_GAP:
                found[-1].append(tile)
                continue
        found.append([tile])
    return found


def passages(
    left: Submission, right: Submission, cohort: Sequence[Submission], k: int
) -> tuple[float, float]:
    """T and D."""
    on_left, on_right = token_weights(left, cohort, k), token_weights(right, cohort, k)
    against = norm(sum(on_left), sum(on_right), constants.PASSAGE_NORM)
    smaller = min(len(left.kinds), len(right.kinds))
    covered = 0.0
    for chain in chains(naive.tiles(left.kinds, right.kinds, k)):
        weight = sum(sum(on_left[a : a + n]) + sum(on_right[b : b + n]) for a, b, n in chain) / 2
        covered += long(sum(n for _, _, n in chain)) * weight
    return (min(1.0, covered / against / long(smaller)) if covered else 0.0), against


def lexical(
    sides: tuple[frozenset[str], frozenset[str]],
    cohort: Sequence[frozenset[str]],
    how: tuple[float, constants.Norm],
) -> tuple[float, float]:
    """Share of what both sides hold, and what it was measured against."""
    exponent, against = how

    def mass(held: frozenset[str]) -> float:
        return sum(
            rarity(sum(term in other for other in cohort), exponent)
            * min(constants.WHOLE_TERM_CHARACTERS, len(term))
            / constants.WHOLE_TERM_CHARACTERS
            for term in held
        )

    whole = norm(mass(sides[0]), mass(sides[1]), against)
    return (min(1.0, mass(sides[0] & sides[1]) / whole) if whole else 0.0), whole


def similarity(left: Submission, right: Submission, cohort: Sequence[Submission], k: int) -> float:
    t, d = passages(left, right, cohort, k)
    if t == 0:
        return 0.0
    literals = lexical(
        (left.literals, right.literals),
        [one.literals for one in cohort],
        (constants.LITERAL_RARITY_EXPONENT, constants.LITERAL_NORM),
    )
    names = lexical(
        (left.names, right.names),
        [one.names for one in cohort],
        (constants.NAME_RARITY_EXPONENT, constants.NAME_NORM),
    )
    w_l = min(constants.LITERAL_TOKENS * literals[1], constants.LITERAL_CAP * d)
    w_n = min(constants.NAME_TOKENS * names[1], constants.NAME_CAP * d)
    weighed = (t * d + literals[0] * w_l + names[0] * w_n) / (d + w_l + w_n)
    return max(constants.LEAST_PASSAGE_PART * t, weighed)
