"""How alike two submissions are: one number to rank by, and what their passages cover.

The formula, its reasons and what each part of it does are in docs/score.md.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint._jit import njit
from fingerprint.ranking.alignment import enter, places_of, sort_rows
from fingerprint.ranking.cohort import Running, slice_side
from fingerprint.ranking.score_constants import (
    DECIMALS,
    HALF_LENGTH,
    LEAST_PASSAGE_PART,
    LITERAL_CAP,
    LITERAL_NORM,
    LITERAL_TOKENS,
    LONGEST_GAP,
    NAME_CAP,
    NAME_NORM,
    NAME_TOKENS,
    PASSAGE_NORM,
)
from fingerprint.ranking.terms import normaliser
from fingerprint.ranking.tiling import shown_of, tiles_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.index import Candidates
    from fingerprint.ranking.alignment import Side
    from fingerprint.ranking.cohort import Cohort
    from fingerprint.ranking.terms import LexicalTable
    from fingerprint.types import Bounds, Floats, Ids, Rows, Runs


# Pairs handed to a thread at once; those of one left side stand together.
CHUNK = 2048
# Pairs whose intermediate figures are held at once.
BLOCK = 1 << 17


class Scores(NamedTuple):
    """Parallel arrays of n pairs; see `score`."""

    similarity: Floats
    left_share: Floats
    right_share: Floats
    tokens: Rows
    longest: Rows
    lines: Rows
    structure: Floats
    literals: Floats
    names: Floats

    def take(self, rows: npt.NDArray[np.integer]) -> Scores:
        return Scores(*(column[rows] for column in self))


class Covered(NamedTuple):
    """Parallel arrays of n pairs: `weight` that passages cover, and what is shown of them, in tokens.

    `tokens` int64 [n, 2]: countable tokens on either side; `longest` int64: those of the longest passage;
    `lines` int64 [n, 2]: lines on which tokens of passages begin.
    """

    weight: Floats
    tokens: Rows
    longest: Rows
    lines: Rows


@njit
def long(tokens: float) -> float:
    return tokens / (tokens + HALF_LENGTH)


@njit
def _slice_running(running: Running, bounds: Bounds, at: int) -> Running:
    low, high = bounds[at], bounds[at + 1] + 1
    columns = running.weight[low:high], running.own[low:high], running.counted[low:high]
    return Running(*columns, running.line[low:high])


@njit
def chained_weight(tiles: Runs, left: Running, right: Running) -> float:
    """Weight that tiles cover, mean of both sides; those in sequence across small gaps count as one long.

    `tiles` by left token.
    """
    total, weight, tokens = 0.0, 0.0, 0.0
    a_end, b_end = 0, 0
    for row in range(len(tiles)):
        a, b, length = tiles[row, 0], tiles[row, 1], tiles[row, 2]
        gap = max(left.own[a] - left.own[a_end], right.own[b] - right.own[min(b, b_end)])
        if b < b_end or gap > LONGEST_GAP:
            total += weight * long(tokens)
            weight, tokens = 0.0, 0.0
        a_end, b_end = a + length, b + length
        weight += (left.weight[a_end] - left.weight[a] + right.weight[b_end] - right.weight[b]) / 2
        tokens += (left.own[a_end] - left.own[a] + right.own[b_end] - right.own[b]) / 2
    return total + weight * long(tokens)


@njit
def line_count(rows: Runs, line: Ids) -> int:
    """Lines that runs of one side lie on; rows are sorted by that side, which is their first column."""
    count, last = 0, -1
    for at in range(len(rows)):
        first, after = line[rows[at, 0]], line[rows[at, 0] + rows[at, 2] - 1] + 1
        count += after - first - (first == last)
        last = after - 1
    return count


@njit
def _count_shown(shown: Runs, left: Running, right: Running, row: int, covered: Covered) -> None:
    covered.lines[row, 0] = line_count(shown, left.line)
    for at in range(len(shown)):
        a, b, length = shown[at]
        on_left = left.counted[a + length] - left.counted[a]
        covered.tokens[row, 0] += on_left
        covered.tokens[row, 1] += right.counted[b + length] - right.counted[b]
        covered.longest[row] = max(covered.longest[row], on_left)
        shown[at, 0], shown[at, 1] = b, a
    sort_rows(shown)
    covered.lines[row, 1] = line_count(shown, right.line)


@njit
def _cover(
    cohort: tuple[Side, Bounds, Bounds, Running], pairs: Rows, k: int, distinct: int, covered: Covered
) -> None:
    side, bounds, held, running = cohort
    places, entered = places_of(side.grams[:0], distinct), -1
    room = (bounds[1:] - bounds[:-1]).max()
    taken = (np.zeros(room, dtype=np.bool_), np.zeros(room, dtype=np.bool_))
    for row in range(len(pairs)):
        left, right = pairs[row]
        sides = slice_side(side, bounds, held, left), slice_side(side, bounds, held, right)
        if left != entered:
            if entered >= 0:
                places[side.grams[held[entered] : held[entered + 1]]] = -1
            enter(sides[0].grams, places)
            entered = left
        sums = _slice_running(running, bounds, left), _slice_running(running, bounds, right)
        tiles = tiles_of(sides[0], sides[1], k, places, taken)
        covered.weight[row] = chained_weight(tiles, sums[0], sums[1])
        _count_shown(shown_of(tiles, sides[0], sides[1], k), sums[0], sums[1], row, covered)


def _covered(cohort: Cohort, pairs: Rows) -> Covered:
    """Align every pair, on all cores."""
    count = len(pairs)
    found = Covered(
        np.zeros(count),
        np.zeros((count, 2), dtype=np.int64),
        np.zeros(count, dtype=np.int64),
        np.zeros((count, 2), dtype=np.int64),
    )
    arrays = (cohort.side, cohort.bounds, cohort.held, cohort.running)
    distinct = 1 + int(cohort.side.grams.max(initial=-1))

    def fill(at: int) -> None:
        rows = slice(at, at + CHUNK)
        part = Covered(found.weight[rows], found.tokens[rows], found.longest[rows], found.lines[rows])
        _cover(arrays, pairs[rows], cohort.k, distinct, part)

    with ThreadPoolExecutor(cpu_count()) as pool:
        list(pool.map(fill, range(0, count, CHUNK)))
    return found


def _totals(sums: npt.NDArray[np.number], cohort: Cohort, pairs: Rows) -> Floats:
    """Sum over each side of each pair, float64 [n, 2]."""
    return np.diff(sums[cohort.bounds]).astype(np.float64)[pairs]


def score(cohort: Cohort, lexical: LexicalTable, candidates: Candidates) -> Scores:
    """Score every candidate pair on all cores.

    Returns
    -------
    `similarity` in [0, 1], to rank by, and what `structure`, `literals` and `names` add to it;
    `left_share`, `right_share` in [0, 1]: the part of a side's countable tokens that lies in passages;
    `tokens`: tokens in passages, on the side that has more; `longest`: tokens in the longest passage;
    `lines`: source lines on which tokens of passages begin, on the side that has more. Boilerplate counts
    nowhere, common code in the similarity only, by its little weight.
    """
    pairs = np.stack((candidates.left, candidates.right), axis=1)
    parts = [_score(cohort, lexical, pairs[at : at + BLOCK]) for at in range(0, max(1, len(pairs)), BLOCK)]
    return Scores(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _score(cohort: Cohort, lexical: LexicalTable, some: npt.NDArray[np.int32]) -> Scores:
    pairs = some.astype(np.int64)
    covered = _covered(cohort, pairs)
    similarity, added = similarity_of(cohort, lexical, pairs, covered.weight)
    countable = np.maximum(_totals(cohort.running.counted, cohort, pairs), 1)
    return Scores(
        similarity,
        covered.tokens[:, 0] / countable[:, 0],
        covered.tokens[:, 1] / countable[:, 1],
        covered.tokens.max(axis=1),
        covered.longest,
        covered.lines.max(axis=1),
        *added,
    )


def similarity_of(
    cohort: Cohort, lexical: LexicalTable, pairs: Rows, covered: Floats
) -> tuple[Floats, tuple[Floats, Floats, Floats]]:
    """Similarity of pairs whose passages cover so much weight, and what each kind of evidence adds to it.

    It grows with what is covered.
    """
    weights, own = _totals(cohort.running.weight, cohort, pairs), _totals(cohort.running.own, cohort, pairs)
    against = normaliser(weights[:, 0], weights[:, 1], PASSAGE_NORM)
    smaller = own.min(axis=1)
    whole = against * smaller / (smaller + HALF_LENGTH)
    passages = np.divide(covered, whole, out=np.zeros(len(pairs)), where=whole > 0)
    return _combined(np.minimum(passages, 1.0), against, lexical, pairs)


def _combined(
    passages: Floats, against: Floats, lexical: LexicalTable, pairs: Rows
) -> tuple[Floats, tuple[Floats, Floats, Floats]]:
    """Weigh each kind of evidence by its mass; the parts add up to the similarity."""
    literals, literal_mass = lexical.literals.shares(pairs, LITERAL_NORM)
    names, name_mass = lexical.names.shares(pairs, NAME_NORM)
    literal_weight = np.minimum(LITERAL_TOKENS * literal_mass, LITERAL_CAP * against)
    name_weight = np.minimum(NAME_TOKENS * name_mass, NAME_CAP * against)
    mass = against + literal_weight + name_weight
    found = passages > 0
    by_literals, by_names, by_passages = (
        np.divide(part, mass, out=np.zeros_like(mass), where=found)
        for part in (literals * literal_weight, names * name_weight, passages * against)
    )
    similarity = np.where(
        found, np.maximum(LEAST_PASSAGE_PART * passages, by_passages + by_literals + by_names), 0.0
    )
    similarity = similarity.round(DECIMALS)
    return similarity, (similarity - by_literals - by_names, by_literals, by_names)
