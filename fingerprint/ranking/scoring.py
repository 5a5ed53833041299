"""Similarity of pairs of submissions, and how much of them their passages cover."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from fingerprint.kernels.registry import bare_njit, kernel, njit
from fingerprint.kernels.types import Bounds, FloatRows, Floats, Ids, PassageRows, Positions, Rows, Runs
from fingerprint.ranking import score_constants as constants
from fingerprint.ranking.alignment import slice_submission, trim_tiles
from fingerprint.ranking.cohort import Cohort, RunningSums
from fingerprint.ranking.parallel import Check, never_end, run_chunks, run_parts
from fingerprint.ranking.passages import COLUMNS, INITIAL_ROWS, CohortArrays, KnownPassages, append_runs
from fingerprint.ranking.sorting import sort_rows
from fingerprint.ranking.terms import LexicalTable, beside_passages
from fingerprint.ranking.tiling import change_left, cohort_workspace, tile_pair

if TYPE_CHECKING:
    from fingerprint.ranking.candidates import CandidatePairs
    from fingerprint.ranking.score_constants import PassageLengths

# Pairs scored at a time, to limit the memory for intermediate arrays.
PAIRS_PER_BLOCK = 1 << 15


class Coverage(NamedTuple):
    """Code that the passages of n pairs cover, as parallel arrays.

    `weight` float64 [n]: weight covered, see `chained_weight`; `tokens` int64 [n, 2]: counted tokens on either side;
    `longest` int64 [n]: counted tokens of the longest passage; `lines` int64 [n, 2]: lines on which tokens of passages
    begin; `with_common` int64 [n, 2]: tokens of passages and common passages on either side, without boilerplate.
    """

    weight: Floats
    tokens: Rows
    longest: Positions
    lines: Rows
    with_common: Rows


@bare_njit
def length_factor(tokens: float, half_length: float) -> float:
    return tokens / (tokens + half_length)


@njit
def slice_sums(sums: RunningSums, submission_starts: Bounds, number: int) -> RunningSums:
    low, high = submission_starts[number], submission_starts[number + 1] + 1
    weight, kept, with_common = sums.weight[low:high], sums.kept[low:high], sums.with_common[low:high]
    return RunningSums(weight, kept, with_common, sums.counted[low:high], sums.line_numbers[low:high])


@bare_njit
def continuation(gap: int, gap_scale: float) -> float:
    """Return how much of a passage's length its neighbour gets, with `gap` tokens between them."""
    factor: float = np.exp(-gap / gap_scale)
    return factor


@bare_njit
def _fill_continuations(
    tiles: Runs, left: RunningSums, right: RunningSums, gap_scale: float, continued: Floats
) -> None:
    """Fill the continuation from each tile to the next one; 0 where the order differs between the sides."""
    for row in range(len(tiles) - 1):
        a_end, b_end = tiles[row, 0] + tiles[row, 2], tiles[row, 1] + tiles[row, 2]
        a, b = tiles[row + 1, 0], tiles[row + 1, 1]
        if b >= b_end:
            gap = max(left.kept[a] - left.kept[a_end], right.kept[b] - right.kept[b_end])
            continued[row] = continuation(gap, gap_scale)


@njit
def chained_weight(tiles: Runs, left: RunningSums, right: RunningSums, lengths: PassageLengths) -> float:
    """Return the weight that tiles (sorted by left token) cover, as the mean of both sides.

    Each tile's weight is multiplied by the factor of its length. The lengths of its neighbours in the same
    order on both sides are added to its length; the more tokens lie between, the less is added.
    """
    columns = np.zeros((3, len(tiles)))
    return _sum_weights(tiles, left, right, lengths, columns)


@bare_njit
def _sum_weights(
    tiles: Runs, left: RunningSums, right: RunningSums, lengths: PassageLengths, columns: FloatRows
) -> float:
    """Return the weight for `chained_weight`; `columns` are three rows of zeros, for values of each tile."""
    continued, before, tokens = columns[0], columns[1], columns[2]
    count = len(tiles)
    _fill_continuations(tiles, left, right, lengths.gap_scale, continued)
    for row in range(count):
        a, b, length = tiles[row, 0], tiles[row, 1], tiles[row, 2]
        tokens[row] = (left.kept[a + length] - left.kept[a] + right.kept[b + length] - right.kept[b]) / 2
        if row > 0:
            before[row] = (before[row - 1] + tokens[row - 1]) * continued[row - 1]
    total, after = 0.0, 0.0
    for row in range(count - 1, -1, -1):
        a, b, length = tiles[row, 0], tiles[row, 1], tiles[row, 2]
        weight = (left.weight[a + length] - left.weight[a] + right.weight[b + length] - right.weight[b]) / 2
        total += weight * length_factor(before[row] + tokens[row] + after, lengths.half_length)
        after = (after + tokens[row]) * (continued[row - 1] if row > 0 else 0.0)
    return total


@bare_njit
def count_lines(rows: Runs, line_numbers: Ids) -> int:
    """Return the number of lines with runs on the side of the first column, by which the rows are sorted."""
    count, last = 0, -1
    for at in range(len(rows)):
        first, after = line_numbers[rows[at, 0]], line_numbers[rows[at, 0] + rows[at, 2] - 1] + 1
        count += after - first - (first == last)
        last = after - 1
    return count


@bare_njit
def _count_with_common(passages: Runs, left: RunningSums, right: RunningSums, row: int, coverage: Coverage) -> None:
    for at in range(len(passages)):
        a, b, length = passages[at, 0], passages[at, 1], passages[at, 2]
        coverage.with_common[row, 0] += left.with_common[a + length] - left.with_common[a]
        coverage.with_common[row, 1] += right.with_common[b + length] - right.with_common[b]


@bare_njit
def _count_passages(passages: Runs, left: RunningSums, right: RunningSums, row: int, coverage: Coverage) -> None:
    """Fill one row of `coverage`, except its weight. This sorts `passages` by right token."""
    coverage.lines[row, 0] = count_lines(passages, left.line_numbers)
    for at in range(len(passages)):
        a, b, length = passages[at, 0], passages[at, 1], passages[at, 2]
        on_left = left.counted[a + length] - left.counted[a]
        coverage.tokens[row, 0] += on_left
        coverage.tokens[row, 1] += right.counted[b + length] - right.counted[b]
        coverage.longest[row] = max(coverage.longest[row], on_left)
        passages[at, 0], passages[at, 1] = b, a
    sort_rows(passages)
    coverage.lines[row, 1] = count_lines(passages, right.line_numbers)


@kernel
def _fill_coverage(
    cohort: tuple[CohortArrays, RunningSums],
    pairs: Rows,
    parameters: tuple[int, tuple[int, int], PassageLengths],
    coverage: Coverage,
    counts: Positions,
) -> PassageRows:
    """Fill `coverage`; the parameters are k, the `distinct` k-grams of the cohort, and `LENGTHS`.

    Unless `counts` is empty, fill it with the number of rows of each pair, and return these.
    """
    (arrays, sums), (k, distinct, lengths) = cohort, parameters
    indexed, rows, count = arrays[0], np.empty((INITIAL_ROWS, COLUMNS), dtype=np.int32), 0
    space, entered, submission_starts = cohort_workspace(indexed, distinct), -1, indexed.submission_starts
    for row in range(len(pairs)):
        left, right = pairs[row]
        sides = slice_submission(indexed, left), slice_submission(indexed, right)
        entered = change_left(space, indexed, entered, left)
        left_sums = slice_sums(sums, submission_starts, left)
        right_sums = slice_sums(sums, submission_starts, right)
        tiles = tile_pair(sides[0], sides[1], k, space)
        coverage.weight[row] = chained_weight(tiles, left_sums, right_sums, lengths)
        passages, common = trim_tiles(tiles, sides[0], sides[1], k)
        if len(counts) > 0:
            rows, end = append_runs(rows, count, (passages, common), arrays, ((left, right), k))
            counts[row], count = end - count, end
        _count_with_common(common, left_sums, right_sums, row, coverage)
        _count_with_common(passages, left_sums, right_sums, row, coverage)
        _count_passages(passages, left_sums, right_sums, row, coverage)
    return rows[:count].copy()


def measure_coverage(cohort: Cohort, pairs: Rows, check: Check, known: KnownPassages | None = None) -> Coverage:
    """Align every pair, on all cores; `known` gets the passages."""
    count = len(pairs)
    tokens, lines, with_common = np.zeros((3, count, 2), dtype=np.int64)
    coverage = Coverage(np.zeros(count), tokens, np.zeros(count, dtype=np.int64), lines, with_common)
    arrays = (cohort.indexed, cohort.file_starts, cohort.frequency), cohort.sums
    parameters = cohort.k, cohort.distinct, constants.LENGTHS

    def fill(part: slice) -> None:
        counts = np.zeros(len(pairs[part]) if known and known.has_room else 0, dtype=np.int64)
        columns = coverage.weight[part], coverage.tokens[part], coverage.longest[part], coverage.lines[part]
        of_part = Coverage(*columns, coverage.with_common[part])
        rows = _fill_coverage(arrays, pairs[part], parameters, of_part, counts)
        if known and len(counts):
            known.add(pairs[part], rows, counts)

    run_chunks(cohort, pairs, fill, check)
    return coverage


class ScorePairs(Protocol):
    """`score`, or a function in its place that returns the same scores, as of pairs scored elsewhere."""

    def __call__(self, cohort: Cohort, lexical: LexicalTable, pairs: CandidatePairs, check: Check, /) -> Scores: ...


class Scores(NamedTuple):
    """Parallel arrays of n pairs; see `score`."""

    similarity: Floats
    left_share: Floats
    right_share: Floats
    tokens: Rows
    longest: Positions
    lines: Rows
    structure: Floats
    literals: Floats
    names: Floats
    imports: Floats
    left_with_common: Floats
    right_with_common: Floats

    def take(self, rows: npt.NDArray[np.integer]) -> Scores:
        return Scores(*(column[rows] for column in self))


def _totals(sums: npt.NDArray[np.number], cohort: Cohort, pairs: Rows) -> Floats:
    """Return the total of a running sum over each side of each pair: float64 [n, 2]."""
    return np.diff(sums[cohort.submission_starts]).astype(np.float64)[pairs]


def score(
    cohort: Cohort,
    lexical: LexicalTable,
    candidates: CandidatePairs,
    check: Check = never_end,
    known: KnownPassages | None = None,
) -> Scores:
    """Score every candidate pair, on all cores; call `check` every few tenths of a second, see `run_chunks`.

    The passages of the pairs are added to `known`.

    Returns: `similarity` in [0, 1], to rank by, and how much of it `structure`, `literals`, `names` and
    `imports` contribute; `left_share`, `right_share` in [0, 1]: the part of a side's counted tokens that lies
    in passages; `tokens`: counted tokens in passages, on the side that has more; `longest`: those of the
    longest passage, on the left; `lines`: source lines on which tokens of passages begin, on the side that
    has more; `left_with_common`, `right_with_common` in [0, 1]: the shares where common code counts too.
    Boilerplate counts nowhere; common code counts only in the similarity, with its low weight.
    """
    pairs = np.stack((candidates.left, candidates.right), axis=1)
    starts = range(0, max(1, len(pairs)), PAIRS_PER_BLOCK)
    blocks = (pairs[at : at + PAIRS_PER_BLOCK].astype(np.int64) for at in starts)
    # One block is scored while the next one is measured.
    with ThreadPoolExecutor(1) as pool:
        scored = [
            pool.submit(_score_block, cohort, lexical, block, measure_coverage(cohort, block, check, known))
            for block in blocks
        ]
    parts = [one.result() for one in scored]
    return Scores(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _score_block(cohort: Cohort, lexical: LexicalTable, pairs: Rows, coverage: Coverage) -> Scores:
    similarity, parts = similarity_of(cohort, lexical, pairs, coverage.weight)
    counted = np.maximum(_totals(cohort.sums.counted, cohort, pairs), 1)
    with_common = np.maximum(_totals(cohort.sums.with_common, cohort, pairs), 1)
    return Scores(
        similarity,
        coverage.tokens[:, 0] / counted[:, 0],
        coverage.tokens[:, 1] / counted[:, 1],
        coverage.tokens.max(axis=1),
        coverage.longest,
        coverage.lines.max(axis=1),
        *parts,
        coverage.with_common[:, 0] / with_common[:, 0],
        coverage.with_common[:, 1] / with_common[:, 1],
    )


def similarities(cohort: Cohort, lexical: LexicalTable, pairs: Rows, covered: Floats, check: Check) -> Floats:
    """Return the similarity of pairs as `similarity_of`, on all cores and in little memory."""
    similarity = np.empty(len(pairs))

    def fill(part: slice) -> None:
        similarity[part] = similarity_of(cohort, lexical, pairs[part], covered[part])[0]

    run_parts((slice(at, at + PAIRS_PER_BLOCK) for at in range(0, len(pairs), PAIRS_PER_BLOCK)), fill, check)
    return similarity


def similarity_of(
    cohort: Cohort, lexical: LexicalTable, pairs: Rows, covered: Floats
) -> tuple[Floats, tuple[Floats, Floats, Floats, Floats]]:
    """Return the similarity of pairs, and how much of it structure, literals, names and imports contribute.

    `covered` is the weight that the passages of each pair cover; the similarity never falls when it rises.
    """
    weights, kept = _totals(cohort.sums.weight, cohort, pairs), _totals(cohort.sums.kept, cohort, pairs)
    mass = passage_mass(weights.min(axis=1), weights.max(axis=1))
    smaller = kept.min(axis=1)
    whole = mass * smaller / (smaller + constants.LENGTHS.half_length)
    passages = np.divide(covered, whole, out=np.zeros(len(pairs)), where=whole > 0)
    # Programs that are shorter than a k-gram have no weight but tokens.
    mass = np.where(mass > 0, mass, passage_mass(smaller, kept.max(axis=1)))
    return _combine_evidence(np.minimum(passages, 1.0), mass, lexical, pairs, _least_of_equal(cohort, pairs))


def _least_of_equal(cohort: Cohort, pairs: Rows) -> Floats:
    """Return the least similarity of pairs whose tokens are all equal, 0 of others; see `renamed_groups`."""
    groups = cohort.renamed[pairs]
    equal = (groups[:, 0] == groups[:, 1]) & (groups[:, 0] >= 0)
    return np.where(equal[:, 0], constants.LEAST_RENAMED, np.where(equal[:, 1], constants.LEAST_REWORDED, 0.0))


def passage_mass(smaller: Floats, larger: Floats) -> Floats:
    """Return the weight that passages are measured against, from the weights of all tokens of both sides."""
    extra = np.clip(larger - constants.FREE_SIZE * smaller, 0.0, constants.EXTRA_LIMIT)
    mass: Floats = smaller + constants.EXTRA_PART * extra
    return mass


def _combine_evidence(
    passages: Floats, mass_of_passages: Floats, lexical: LexicalTable, pairs: Rows, least: Floats
) -> tuple[Floats, tuple[Floats, Floats, Floats, Floats]]:
    """Weight each kind of evidence by its mass; the parts add up to the similarity."""
    total, weighted = mass_of_passages.copy(), []
    shared, beside = np.zeros(len(pairs)), beside_passages(passages)
    kinds = constants.LITERALS, constants.NAMES, constants.IMPORTS
    for table, evidence in zip(lexical.readable, kinds, strict=True):
        share, amount, weight = table.shares(pairs, evidence, beside)
        shared += weight
        mass = np.minimum(amount, evidence.cap * mass_of_passages)
        weighted.append(share * mass)
        total += mass
    uses, amount, _ = lexical.uses.shares(pairs, constants.USES, beside)
    mass = np.where(passages > 0, np.minimum(amount, constants.USES.cap * mass_of_passages), 0.0)
    structure_mass = passages * mass_of_passages + uses * mass
    total += mass
    chance = np.where(passages > 0, 1.0, shared / (shared + constants.HALF_TERMS))
    by_literals, by_names, by_imports, by_structure = (
        np.divide(chance * part, total, out=np.zeros_like(total), where=total > 0)
        for part in (*weighted, structure_mass)
    )
    combined = by_structure + by_literals + by_names + by_imports
    least = np.maximum(least, constants.LEAST_PASSAGE_PART * passages)
    similarity = np.maximum(least, combined).round(constants.DECIMALS)
    structure = np.where(least > 0, similarity - by_literals - by_names - by_imports, 0.0)
    return similarity, (structure, by_literals, by_names, by_imports)
