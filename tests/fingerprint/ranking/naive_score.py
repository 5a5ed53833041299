"""The score of docs/know/score.md, written exactly as there, on lists: slow and obviously correct."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import exp, prod

from fingerprint.ranking import score_constants as constants
from fingerprint.ranking.weights import EQUAL_ROWS, LEAST_BESIDE, LEAST_OF_ROW, LONGEST_ROW
from fingerprint.tokens import kind_id
from tests.fingerprint import naive

Tile = tuple[int, int, int]
# A literal and a separator of tables of literals, and what no row of equal ones has.
LITERAL, SEPARATOR, CODE = kind_id("c", "<number>"), kind_id("c", "{"), kind_id("c", "while")


@dataclass(frozen=True)
class Submission:
    """One file of token kinds, with its literals, names, imports and uses of names as strings."""

    kinds: list[int]
    literals: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    imports: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()


def rarity(frequency: int, exponent: float) -> float:
    return float(max(1, frequency - 1) ** -exponent)


def kgram_weights(whose: Submission, cohort: Sequence[Submission], k: int) -> list[float]:
    kgrams = naive.kgrams(whose.kinds, k)
    repeats = Counter(kgrams)
    kgram_sets = [set(naive.kgrams(other.kinds, k)) for other in cohort]
    return [
        rarity(sum(kgram in other for other in kgram_sets), constants.RARITY_EXPONENT)
        * repeats[kgram] ** -constants.REPEAT_EXPONENT
        for kgram in kgrams
    ]


def token_weights(whose: Submission, cohort: Sequence[Submission], k: int) -> list[float]:
    weights, spare = kgram_weights(whose, cohort, k), naive_tables(whose.kinds, k)
    covering = [weights[max(0, at - k + 1) : at + 1] for at in range(len(whose.kinds))]
    return [
        prod(over) ** (1 / len(over)) if over and not out else 0.0 for over, out in zip(covering, spare, strict=True)
    ]


def different_kgrams(whose: Submission, k: int) -> float:
    """Return the number of equally frequent k-grams of which two would be equal as often as of those of a program."""
    spare = naive_tables(whose.kinds, k)
    counted = [kgram for kgram, out in zip(naive.kgrams(whose.kinds, k), spare, strict=False) if not out]
    return len(counted) ** 2 / max(1, sum(one == other for one in counted for other in counted))


def naive_tables(kinds: Sequence[int], k: int) -> list[bool]:
    """Return which tokens of one file do not count: of its tables of literals, then of those of equal rows."""
    of_literals = naive_literal_tables(kinds, k)
    spare = [*of_literals]
    for size in range(2, LONGEST_ROW + 1):
        repeats = [at >= size and kinds[at] == kinds[at - size] for at in range(len(kinds))]
        for is_equal, group in groupby(range(size, len(kinds)), repeats.__getitem__):
            places = [*group]
            run = range(places[0] - size, places[-1] + 1)
            literals = [kinds[at] for at in run].count(LITERAL)
            rows = len(run) / size
            counted = [spare[at] for at in run].count(False)
            has_code = CODE in (kinds[at] for at in run)
            if is_equal and rows >= EQUAL_ROWS and literals >= rows - 1 and counted > k and not has_code:
                for place, at in enumerate(run):
                    spare[at] = (place + 1) * k // len(run) == place * k // len(run)
    # The separator behind the file counts.
    return of_literals if spare.count(False) + 1 < LEAST_BESIDE else spare


def naive_literal_tables(kinds: Sequence[int], k: int) -> list[bool]:
    """Return which tokens of one file do not count, by its rows: what lies between other tokens."""
    spare = [False] * len(kinds)
    places = [at for at, kind in enumerate(kinds) if kind not in (LITERAL, SEPARATOR)]
    rows = list(zip([0, *(at + 1 for at in places)], [*places, len(kinds)], strict=True))
    for is_long, group in groupby(rows, lambda row: kinds[row[0] : row[1]].count(LITERAL) >= LEAST_OF_ROW):
        table = list(group)
        first, size = table[0][0], table[-1][1] - table[0][0]
        few = sum(kinds[start:end].count(LITERAL) for start, end in table) < size / 4
        for at in range(size if is_long and size > k and not few else 0):
            spare[first + at] = int((at + 1) * k / size) == int(at * k / size)
    return spare


def norm(first: float, second: float, parameters: constants.Norm, part: float = 1.0) -> float:
    small, large = sorted((first, second))
    if not small:
        return 0.0
    ratio = max(1.0, min(large / small / constants.FREE_TERMS, parameters.max_ratio))
    return float(small * ratio ** (parameters.exponent * part))


def mass_of_passages(first: float, second: float) -> float:
    small, large = sorted((first, second))
    extra = max(0.0, min(large - constants.FREE_SIZE * small, constants.EXTRA_LIMIT))
    return small + constants.EXTRA_PART * extra


def length_factor(tokens: float) -> float:
    return tokens / (tokens + constants.LENGTHS.half_length)


def context(tiles: Sequence[Tile], row: int) -> float:
    """Return the length of a tile plus those of its neighbours in the same order, less for each gap."""
    length = float(tiles[row][2])
    for step in (-1, 1):
        factor, at = 1.0, row
        while 0 <= at + step < len(tiles):
            first, second = tiles[min(at, at + step)], tiles[max(at, at + step)]
            gaps = second[0] - first[0] - first[2], second[1] - first[1] - first[2]
            if min(gaps) < 0:
                break
            factor *= exp(-max(gaps) / constants.LENGTHS.gap_scale)
            at += step
            length += factor * tiles[at][2]
    return length


def passages(left: Submission, right: Submission, cohort: Sequence[Submission], k: int) -> tuple[float, float]:
    """Return T and D of docs/know/score.md."""
    on_left, on_right = token_weights(left, cohort, k), token_weights(right, cohort, k)
    total = mass_of_passages(sum(on_left), sum(on_right))
    smaller = min(len(left.kinds), len(right.kinds))
    if not total:  # programs that are shorter than a k-gram
        total = mass_of_passages(len(left.kinds), len(right.kinds))
    covered = 0.0
    tiles = sorted(naive.tiles(left.kinds, right.kinds, k))
    for row, (a, b, n) in enumerate(tiles):
        weight = (sum(on_left[a : a + n]) + sum(on_right[b : b + n])) / 2
        covered += length_factor(context(tiles, row)) * weight
    return (min(1.0, covered / total / length_factor(smaller)) if covered else 0.0), total


def lexical(
    sides: tuple[frozenset[str], frozenset[str]],
    cohort: Sequence[frozenset[str]],
    evidence: constants.Evidence,
    t: float,
    programs: Sequence[float] = (),
    *,
    exponent: float = constants.TERM_RARITY_EXPONENT,
    spare: Sequence[int] = (0, 0),
) -> tuple[float, float, float]:
    """Return the share of the terms that both sides have, how many tokens they count as, and their weight.

    `t` is T of the pair; `programs` is what each of the cohort counts as where a term is looked for that the
    task dictates; `spare` is how many tokens of tables do not count on each side.
    """

    def length(term: str) -> float:
        return min(constants.WHOLE_TERM_CHARACTERS, len(term)) / constants.WHOLE_TERM_CHARACTERS

    def rare(terms: frozenset[str]) -> float:
        frequency = {term: sum(term in other for other in cohort) for term in terms}
        return sum(rarity(frequency[term], exponent) * length(term) * undictated(term) for term in terms)

    def undictated(term: str) -> float:
        if not programs:
            return 1.0
        having = sum(part for part, other in zip(programs, cohort, strict=True) if term in other)
        many = max(1.0, sum(programs) * constants.DICTATED_PART)
        return max(0.0, 1 - max(0.0, having - 2) / many)

    total = norm(rare(sides[0]), rare(sides[1]), evidence.share, 1 - t**constants.WHOLE_EXPONENT)
    share = min(1.0, rare(sides[0] & sides[1]) / total) if total else 0.0
    sizes = [rare(side) if evidence.amount_by_rarity else sum(map(length, side)) for side in sides]
    sizes = [size * len(side) / max(1, len(side) + out) for size, side, out in zip(sizes, sides, spare, strict=True)]
    amount = evidence.tokens * norm(sizes[0], sizes[1], evidence.amount) if total else 0.0
    return share, amount, rare(sides[0] & sides[1])


def similarity(
    left: Submission, right: Submission, cohort: Sequence[Submission], k: int, programs: Sequence[float] = ()
) -> float:
    t, d = passages(left, right, cohort, k)
    evidence = ("literals", constants.LITERALS), ("names", constants.NAMES), ("imports", constants.IMPORTS)
    weighed, total, shared = t * d, d, 0.0
    spare = [sum(naive_tables(side.kinds, k)) for side in (left, right)]
    for field, constant in evidence:
        sides = getattr(left, field), getattr(right, field)
        terms = [getattr(submission, field) for submission in cohort]
        share, amount, weight = lexical(
            sides,
            terms,
            constant,
            t,
            () if field == "imports" else programs,
            spare=spare if field == "literals" else (0, 0),
        )
        shared += weight
        mass = min(amount, constant.cap * d)
        weighed, total = weighed + share * mass, total + mass
    if t:
        uses = [submission.uses for submission in cohort]
        share, amount, _ = lexical(
            (left.uses, right.uses), uses, constants.USES, t, programs, exponent=constants.RARITY_EXPONENT
        )
        mass = min(amount, constants.USES.cap * d)
        weighed, total = weighed + share * mass, total + mass
    else:
        weighed *= shared / (shared + constants.HALF_TERMS)
    only_renamed = len(left.kinds) >= k and all(
        getattr(left, field) == getattr(right, field) for field in ("kinds", "literals", "imports")
    )
    has_many = different_kgrams(left, k) >= constants.REWORDED_KGRAMS
    least = constants.LEAST_REWORDED if has_many and left.kinds == right.kinds else constants.LEAST_PASSAGE_PART * t
    least = constants.LEAST_RENAMED if only_renamed else least
    return max(least, weighed / total) if total else 0.0
