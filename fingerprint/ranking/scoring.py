"""Similarity of pairs of submissions, and how much of them their passages cover.

The formula and the reason for each part of it are in docs/know/score.md.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from fingerprint.ranking import score_constants as constants
from fingerprint.ranking.coverage import measure_coverage
from fingerprint.ranking.parallel import never_end
from fingerprint.ranking.terms import beside_passages

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.index import CandidatePairs
    from fingerprint.ranking.cohort import Cohort
    from fingerprint.ranking.coverage import Coverage
    from fingerprint.ranking.parallel import Check
    from fingerprint.ranking.terms import LexicalTable
    from fingerprint.types import Flags, Floats, Positions, Rows


# Pairs scored at a time, to limit the memory for intermediate arrays.
PAIRS_PER_BLOCK = 1 << 17


class ScorePairs(Protocol):
    """`score`, or a function in its place that returns the same scores, as of pairs scored elsewhere."""

    def __call__(
        self, cohort: Cohort, lexical: LexicalTable, pairs: CandidatePairs, check: Check, /
    ) -> Scores: ...


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
    cohort: Cohort, lexical: LexicalTable, candidates: CandidatePairs, check: Check = never_end
) -> Scores:
    """Score every candidate pair, on all cores; call `check` every few tenths of a second, see `run_chunks`.

    Returns
    -------
    `similarity` in [0, 1], to rank by, and how much of it `structure`, `literals`, `names` and
    `imports` contribute;
    `left_share`, `right_share` in [0, 1]: the part of a side's counted tokens that lies in passages;
    `tokens`: counted tokens in passages, on the side that has more; `longest`: those of the longest passage,
    on the left; `lines`: source lines on which tokens of passages begin, on the side that has more;
    `left_with_common`, `right_with_common` in [0, 1]: the shares where common code counts too.
    Boilerplate counts nowhere; common code counts only in the similarity, with its low weight.
    """
    pairs = np.stack((candidates.left, candidates.right), axis=1)
    starts = range(0, max(1, len(pairs)), PAIRS_PER_BLOCK)
    blocks = (pairs[at : at + PAIRS_PER_BLOCK].astype(np.int64) for at in starts)
    # One block is scored while the next one is measured.
    with ThreadPoolExecutor(1) as pool:
        scored = [
            pool.submit(_score_block, cohort, lexical, block, measure_coverage(cohort, block, check))
            for block in blocks
        ]
    parts = [one.result() for one in scored]
    return Scores(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _score_block(cohort: Cohort, lexical: LexicalTable, pairs: Rows, coverage: Coverage) -> Scores:
    similarity, parts = similarity_of(cohort, lexical, pairs, coverage.weight)
    counted = np.maximum(_totals(cohort.sums.counted, cohort, pairs), 1)
    kept = np.maximum(_totals(cohort.sums.kept, cohort, pairs), 1)
    return Scores(
        similarity,
        coverage.tokens[:, 0] / counted[:, 0],
        coverage.tokens[:, 1] / counted[:, 1],
        coverage.tokens.max(axis=1),
        coverage.longest,
        coverage.lines.max(axis=1),
        *parts,
        coverage.with_common[:, 0] / kept[:, 0],
        coverage.with_common[:, 1] / kept[:, 1],
    )


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
    groups = cohort.renamed[pairs]
    is_renamed = (groups[:, 0] == groups[:, 1]) & (groups[:, 0] >= 0)
    return _combine_evidence(np.minimum(passages, 1.0), mass, lexical, pairs, is_renamed)


def passage_mass(smaller: Floats, larger: Floats) -> Floats:
    """Return the weight that passages are measured against, from the weights of all tokens of both sides."""
    extra = np.clip(larger - constants.FREE_SIZE * smaller, 0.0, constants.EXTRA_LIMIT)
    mass: Floats = smaller + constants.EXTRA_PART * extra
    return mass


def _combine_evidence(
    passages: Floats, mass_of_passages: Floats, lexical: LexicalTable, pairs: Rows, is_renamed: Flags
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
    least = np.where(is_renamed, constants.LEAST_RENAMED, constants.LEAST_PASSAGE_PART * passages)
    similarity = np.maximum(least, combined).round(constants.DECIMALS)
    structure = np.where((passages > 0) | is_renamed, similarity - by_literals - by_names - by_imports, 0.0)
    return similarity, (structure, by_literals, by_names, by_imports)
