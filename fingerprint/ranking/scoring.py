"""Similarity of pairs of submissions, and how much of them their passages cover.

The formula and the reason for each part of it are in docs/score.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint._jit import njit
from fingerprint.ranking import score_constants as constants
from fingerprint.ranking.alignment import build_kgram_table, fill_kgram_table, sort_rows
from fingerprint.ranking.cohort import RunningSums, slice_submission
from fingerprint.ranking.parallel import never_end, run_chunks
from fingerprint.ranking.tiling import tile_pair, trim_tiles

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.index import CandidatePairs
    from fingerprint.ranking.alignment import IndexedTokens
    from fingerprint.ranking.cohort import Cohort
    from fingerprint.ranking.parallel import Check
    from fingerprint.ranking.score_constants import PassageLengths
    from fingerprint.ranking.terms import LexicalTable
    from fingerprint.types import Bounds, Floats, Ids, Rows, Runs


# Pairs scored at a time, to limit the memory for intermediate arrays.
PAIRS_PER_BLOCK = 1 << 17


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
    imports: Floats

    def take(self, rows: npt.NDArray[np.integer]) -> Scores:
        return Scores(*(column[rows] for column in self))


class Coverage(NamedTuple):
    """Code that the passages of n pairs cover, as parallel arrays.

    `weight` float64 [n]: weight covered, see `chained_weight`; `tokens` int64 [n, 2]: counted tokens on
    either side; `longest` int64 [n]: counted tokens of the longest passage; `lines` int64 [n, 2]: lines on
    which tokens of passages begin.
    """

    weight: Floats
    tokens: Rows
    longest: Rows
    lines: Rows


@njit
def length_factor(tokens: float, half_length: float) -> float:
    return tokens / (tokens + half_length)


@njit
def _slice_sums(sums: RunningSums, submission_starts: Bounds, number: int) -> RunningSums:
    low, high = submission_starts[number], submission_starts[number + 1] + 1
    columns = sums.weight[low:high], sums.own[low:high], sums.counted[low:high]
    return RunningSums(*columns, sums.line_numbers[low:high])


@njit
def continuation(gap: int, gap_scale: float) -> float:
    """Return how much of a passage's length its neighbour gets, with `gap` tokens between them."""
    factor: float = np.exp(-gap / gap_scale)
    return factor


@njit
def _fill_continuations(
    tiles: Runs, left: RunningSums, right: RunningSums, gap_scale: float, continued: Floats
) -> None:
    """Fill the continuation from each tile to the next one; 0 where the order differs between the sides."""
    for row in range(len(tiles) - 1):
        a_end, b_end = tiles[row, 0] + tiles[row, 2], tiles[row, 1] + tiles[row, 2]
        a, b = tiles[row + 1, 0], tiles[row + 1, 1]
        if b >= b_end:
            gap = max(left.own[a] - left.own[a_end], right.own[b] - right.own[b_end])
            continued[row] = continuation(gap, gap_scale)


@njit
def chained_weight(tiles: Runs, left: RunningSums, right: RunningSums, lengths: PassageLengths) -> float:
    """Return the weight that tiles (sorted by left token) cover, as the mean of both sides.

    Each tile's weight is multiplied by the factor of its length. To its length those of its neighbours in
    the same order on both sides are added, the less the more tokens are between.
    """
    count = len(tiles)
    continued, before = np.zeros(count), np.zeros(count)
    _fill_continuations(tiles, left, right, lengths.gap_scale, continued)
    tokens = np.zeros(count)
    for row in range(count):
        a, b, length = tiles[row, 0], tiles[row, 1], tiles[row, 2]
        tokens[row] = (left.own[a + length] - left.own[a] + right.own[b + length] - right.own[b]) / 2
        if row > 0:
            before[row] = (before[row - 1] + tokens[row - 1]) * continued[row - 1]
    total, after = 0.0, 0.0
    for row in range(count - 1, -1, -1):
        a, b, length = tiles[row, 0], tiles[row, 1], tiles[row, 2]
        weight = (left.weight[a + length] - left.weight[a] + right.weight[b + length] - right.weight[b]) / 2
        total += weight * length_factor(before[row] + tokens[row] + after, lengths.half_length)
        after = (after + tokens[row]) * (continued[row - 1] if row > 0 else 0.0)
    return total


@njit
def count_lines(rows: Runs, line_numbers: Ids) -> int:
    """Return the number of lines with runs on the side of the first column, by which the rows are sorted."""
    count, last = 0, -1
    for at in range(len(rows)):
        first, after = line_numbers[rows[at, 0]], line_numbers[rows[at, 0] + rows[at, 2] - 1] + 1
        count += after - first - (first == last)
        last = after - 1
    return count


@njit
def _count_passages(
    passages: Runs, left: RunningSums, right: RunningSums, row: int, coverage: Coverage
) -> None:
    """Fill one row of `coverage`, except its weight. This sorts `passages` by right token."""
    coverage.lines[row, 0] = count_lines(passages, left.line_numbers)
    for at in range(len(passages)):
        a, b, length = passages[at]
        on_left = left.counted[a + length] - left.counted[a]
        coverage.tokens[row, 0] += on_left
        coverage.tokens[row, 1] += right.counted[b + length] - right.counted[b]
        coverage.longest[row] = max(coverage.longest[row], on_left)
        passages[at, 0], passages[at, 1] = b, a
    sort_rows(passages)
    coverage.lines[row, 1] = count_lines(passages, right.line_numbers)


@njit
def _fill_coverage(
    cohort: tuple[IndexedTokens, Bounds, Bounds, RunningSums],
    pairs: Rows,
    parameters: tuple[int, int, PassageLengths],
    coverage: Coverage,
) -> None:
    """Fill `coverage`; the parameters are k, the number of distinct k-grams, and `LENGTHS`."""
    tokens, submission_starts, order_starts, sums = cohort
    k, distinct, lengths = parameters
    table, entered = build_kgram_table(tokens.ordered_kgrams[:0], distinct), -1
    size = (submission_starts[1:] - submission_starts[:-1]).max()
    taken = (np.zeros(size, dtype=np.bool_), np.zeros(size, dtype=np.bool_))
    for row in range(len(pairs)):
        left, right = pairs[row]
        sides = (
            slice_submission(tokens, submission_starts, order_starts, left),
            slice_submission(tokens, submission_starts, order_starts, right),
        )
        if left != entered:
            if entered >= 0:
                table[tokens.ordered_kgrams[order_starts[entered] : order_starts[entered + 1]]] = -1
            fill_kgram_table(sides[0].ordered_kgrams, table)
            entered = left
        left_sums = _slice_sums(sums, submission_starts, left)
        right_sums = _slice_sums(sums, submission_starts, right)
        tiles = tile_pair(sides[0], sides[1], k, table, taken)
        coverage.weight[row] = chained_weight(tiles, left_sums, right_sums, lengths)
        _count_passages(trim_tiles(tiles, sides[0], sides[1], k), left_sums, right_sums, row, coverage)


def _coverage(cohort: Cohort, pairs: Rows, check: Check) -> Coverage:
    """Align every pair, on all cores."""
    count = len(pairs)
    coverage = Coverage(
        np.zeros(count),
        np.zeros((count, 2), dtype=np.int64),
        np.zeros(count, dtype=np.int64),
        np.zeros((count, 2), dtype=np.int64),
    )
    arrays = (cohort.tokens, cohort.submission_starts, cohort.order_starts, cohort.sums)
    distinct = 1 + int(cohort.tokens.ordered_kgrams.max(initial=-1))
    parameters = cohort.k, distinct, constants.LENGTHS

    def fill(part: slice) -> None:
        rows = Coverage(
            coverage.weight[part], coverage.tokens[part], coverage.longest[part], coverage.lines[part]
        )
        _fill_coverage(arrays, pairs[part], parameters, rows)

    run_chunks(cohort, pairs, fill, check)
    return coverage


def _totals(sums: npt.NDArray[np.number], cohort: Cohort, pairs: Rows) -> Floats:
    """Return the total of a running sum over each side of each pair: float64 [n, 2]."""
    return np.diff(sums[cohort.submission_starts]).astype(np.float64)[pairs]


def score(
    cohort: Cohort, lexical: LexicalTable, candidates: CandidatePairs, check: Check = never_end
) -> Scores:
    """Score every candidate pair, on all cores; call `check` every few tenths of a second, see `run_chunks`.

    Returns
    -------
    `similarity` in [0, 1], to rank by, and how much of it `structure`, `literals`, `names` and
    `imports` contribute;
    `left_share`, `right_share` in [0, 1]: the part of a side's counted tokens that lies in passages;
    `tokens`: counted tokens in passages, on the side that has more; `longest`: those of the longest passage,
    on the left; `lines`: source lines on which tokens of passages begin, on the side that has more.
    Boilerplate counts nowhere; common code counts only in the similarity, with its low weight.
    """
    pairs = np.stack((candidates.left, candidates.right), axis=1)
    starts = range(0, max(1, len(pairs)), PAIRS_PER_BLOCK)
    parts = [_score_block(cohort, lexical, pairs[at : at + PAIRS_PER_BLOCK], check) for at in starts]
    return Scores(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _score_block(cohort: Cohort, lexical: LexicalTable, block: npt.NDArray[np.int32], check: Check) -> Scores:
    pairs = block.astype(np.int64)
    coverage = _coverage(cohort, pairs, check)
    similarity, parts = similarity_of(cohort, lexical, pairs, coverage.weight)
    counted = np.maximum(_totals(cohort.sums.counted, cohort, pairs), 1)
    return Scores(
        similarity,
        coverage.tokens[:, 0] / counted[:, 0],
        coverage.tokens[:, 1] / counted[:, 1],
        coverage.tokens.max(axis=1),
        coverage.longest,
        coverage.lines.max(axis=1),
        *parts,
    )


def similarity_of(
    cohort: Cohort, lexical: LexicalTable, pairs: Rows, covered: Floats
) -> tuple[Floats, tuple[Floats, Floats, Floats, Floats]]:
    """Return the similarity of pairs, and how much of it structure, literals, names and imports contribute.

    `covered` is the weight that the passages of each pair cover; the similarity never falls when it rises.
    """
    weights, own = _totals(cohort.sums.weight, cohort, pairs), _totals(cohort.sums.own, cohort, pairs)
    mass = passage_mass(weights.min(axis=1), weights.max(axis=1))
    smaller = own.min(axis=1)
    whole = mass * smaller / (smaller + constants.LENGTHS.half_length)
    passages = np.divide(covered, whole, out=np.zeros(len(pairs)), where=whole > 0)
    return _combine_evidence(np.minimum(passages, 1.0), mass, lexical, pairs)


def passage_mass(smaller: Floats, larger: Floats) -> Floats:
    """Return the weight that passages are measured against, from the weights of all tokens of both sides."""
    mass: Floats = smaller + constants.EXTRA_PART * np.minimum(larger - smaller, constants.EXTRA_LIMIT)
    return mass


def _combine_evidence(
    passages: Floats, mass_of_passages: Floats, lexical: LexicalTable, pairs: Rows
) -> tuple[Floats, tuple[Floats, Floats, Floats, Floats]]:
    """Weight each kind of evidence by its mass; the parts add up to the similarity."""
    total, weighted = mass_of_passages.copy(), []
    kinds = constants.LITERALS, constants.NAMES, constants.IMPORTS
    for table, evidence in zip(lexical, kinds, strict=True):
        share, amount = table.shares(pairs, evidence)
        mass = np.minimum(amount, evidence.cap * mass_of_passages)
        weighted.append(share * mass)
        total += mass
    by_literals, by_names, by_imports, by_passages = (
        np.divide(part, total, out=np.zeros_like(total), where=total > 0)
        for part in (*weighted, passages * mass_of_passages)
    )
    combined = by_passages + by_literals + by_names + by_imports
    similarity = np.maximum(constants.LEAST_PASSAGE_PART * passages, combined).round(constants.DECIMALS)
    structure = similarity - by_literals - by_names - by_imports
    return similarity, (structure, by_literals, by_names, by_imports)
