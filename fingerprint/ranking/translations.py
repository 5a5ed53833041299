"""Pairs of submissions in different languages: compared by the coarse stream that all languages share.

The parts of a submission in one family of languages are one *unit*. Units are aligned and weighted as
submissions are, with shorter k-grams; docs/know/score.md ("Across languages") has the formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fingerprint.kernels.types import Floats, Hashes, Kinds, Lines, Owners, Positions, Rows, Terms
from fingerprint.ranking.candidates import CandidatePairs, InvertedIndex, weighted_pairs
from fingerprint.ranking.cohort import Cohort
from fingerprint.ranking.groups import Groups
from fingerprint.ranking.parallel import Check, never_end
from fingerprint.ranking.score_constants import COARSE_LITERALS, DECIMALS, HALF_EVIDENCE, HALF_SYMBOLS
from fingerprint.ranking.scoring import ScorePairs, Scores, passage_mass, score
from fingerprint.ranking.terms import LexicalTable, TermTable, beside_passages
from fingerprint.winnowing import Params, fingerprint

# Symbols are fewer than tokens, and a translation inserts and leaves out some: k-grams are shorter.
COARSE_PARAMS = Params(k=4, window=3)
# Units share at least this part of the lighter one's literals and fingerprints, by weight.
CANDIDATE_FLOOR = 0.02
# Pairs below are listed only where all pairs are.
LEAST_LISTED = 0.1


class CoarseFile(NamedTuple):
    """The coarse stream of one file: family of its language, kinds and line of each symbol, and literals."""

    family: str
    kinds: Kinds
    lines: Lines
    terms: Terms


class TranslationInput(NamedTuple):
    """Units of a cohort whose submissions are in several languages.

    `cohort` has units for submissions; `submissions` int32: the submission of each unit; `files` int64: the
    number in the whole cohort of each file of the units, in their order; `values` and `owners`: literals and
    fingerprints as parallel arrays of values and units; `groups`: two units with one in common are no pair.
    """

    cohort: Cohort
    literals: TermTable
    submissions: Owners
    files: Positions
    values: Hashes
    owners: Owners
    groups: Groups


class Translations(NamedTuple):
    """Scored pairs of submissions in different languages, with the units that are most similar, by row."""

    pairs: CandidatePairs
    scores: Scores
    units: Rows

    def take(self, rows: npt.NDArray[np.bool_]) -> Translations:
        numbers = np.flatnonzero(rows)
        return Translations(self.pairs.take(numbers), self.scores.take(numbers), self.units[numbers])


def translation_input(
    files: Sequence[tuple[int, CoarseFile | None]], boilerplate: Sequence[CoarseFile], groups: Groups
) -> TranslationInput | None:
    """Build the units from (submission, coarse stream) of each file; None if all are in one family."""
    families = sorted({file.family for _, file in files if file})
    if len(families) < 2:  # noqa: PLR2004 - nothing to compare with one language
        return None
    units: dict[tuple[int, str], list[int]] = {}
    for number, (submission, file) in enumerate(files):
        if file:
            units.setdefault((submission, file.family), []).append(number)
    streams = [[_coarse(files, number) for number in unit] for unit in units.values()]
    cohort = Cohort.from_submissions(
        [[file.kinds for file in unit] for unit in streams],
        COARSE_PARAMS.k,
        [file.kinds for file in boilerplate],
        lines=[file.lines for unit in streams for file in unit],
        whole_lines=False,
    )
    excluded = np.concatenate([np.empty(0, np.uint64), *(file.terms for file in boilerplate)])
    terms = [[file.terms for file in unit] for unit in streams]
    literals = TermTable.from_submissions(terms, excluded)
    values, owners = _values(cohort, literals, streams)
    submissions = np.array([submission for submission, _ in units], dtype=np.int32)
    numbers = np.array([number for unit in units.values() for number in unit], dtype=np.int64)
    return TranslationInput(
        cohort, literals, submissions, numbers, values, owners, _unit_groups(list(units), families, groups)
    )


def _coarse(files: Sequence[tuple[int, CoarseFile | None]], number: int) -> CoarseFile:
    file = files[number][1]
    assert file is not None
    return file


def _values(cohort: Cohort, literals: TermTable, units: Sequence[Sequence[CoarseFile]]) -> tuple[Hashes, Owners]:
    """Return the values that find candidates: literals, and fingerprints that are not of boilerplate."""
    values = [literals.ids.astype(np.uint64)]
    owners = [np.repeat(np.arange(len(units), dtype=np.int32), np.diff(literals.bounds))]
    for number, unit in enumerate(units):
        for file in unit:
            hashes = fingerprint(file.kinds, COARSE_PARAMS).hashes
            values.append(hashes[~np.isin(hashes, cohort.boilerplate)])
            owners.append(np.full(len(values[-1]), number, dtype=np.int32))
    return np.concatenate(values), np.concatenate(owners)


def _unit_groups(units: Sequence[tuple[int, str]], families: Sequence[str], groups: Groups) -> Groups:
    """Return the groups of each unit: its submission's, its submission and its family."""
    shift = int(groups.ids.max(initial=-1)) + 1
    last = max(submission for submission, _ in units) + 1
    lists = []
    for submission, family in units:
        known = groups.ids[slice(*groups.starts[submission : submission + 2])] if len(groups.ids) else ()
        lists.append([*known, shift + submission, shift + last + families.index(family)])
    return Groups.from_lists(lists)


def translation_candidates(inputs: TranslationInput) -> CandidatePairs:
    """Return the pairs of units to score."""
    index = InvertedIndex.build(inputs.values, inputs.owners)
    return weighted_pairs(index, CANDIDATE_FLOOR, inputs.groups)


def rank_translations(
    inputs: TranslationInput, check: Check = never_end, score_pairs: ScorePairs = score
) -> Translations:
    """Score the pairs of submissions in different languages; no pair has similarity 0.

    Of several pairs of units of one pair of submissions, the most similar one counts.
    """
    candidates = translation_candidates(inputs)
    units = np.stack((candidates.left, candidates.right), axis=1).astype(np.int64)
    structure = score_pairs(inputs.cohort, without_terms(len(inputs.cohort)), candidates, check)
    scores = _with_literals(inputs, units, structure)
    owners = inputs.submissions[units]
    # Units are in the order of their submissions' first files, so that only several units can exchange sides.
    exchanged = owners[:, 0] > owners[:, 1]
    owners[exchanged] = owners[exchanged][:, ::-1]
    order = np.lexsort((-scores.tokens, -scores.similarity, owners[:, 1], owners[:, 0]))
    ordered = owners[order]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    rows = order[first & (scores.similarity[order] > 0)]
    left, right = np.ascontiguousarray(owners[rows].T)
    return Translations(
        CandidatePairs(left, right, candidates.shared[rows]),
        _exchanged_shares(scores, exchanged).take(rows),
        np.where(exchanged[:, None], units[:, ::-1], units)[rows],
    )


def _exchanged_shares(scores: Scores, exchanged: npt.NDArray[np.bool_]) -> Scores:
    left = np.where(exchanged, scores.right_share, scores.left_share)
    right = np.where(exchanged, scores.left_share, scores.right_share)
    with_common = scores.left_with_common, scores.right_with_common
    both = np.where(exchanged, with_common[::-1], with_common)
    return scores._replace(left_share=left, right_share=right, left_with_common=both[0], right_with_common=both[1])


def without_terms(units: int) -> LexicalTable:
    """Return a table without terms: with it, only passages decide the similarity of a pair."""
    none = TermTable.from_submissions([[]] * units, np.empty(0, np.uint64))
    return LexicalTable(none, none, none, none)


def _with_literals(inputs: TranslationInput, units: Rows, structure: Scores) -> Scores:
    """Return the scores with the evidence of literals, calibrated; both kinds add up to the similarity."""
    sizes = np.diff(inputs.cohort.sums.weight[inputs.cohort.submission_starts])[units]
    mass = passage_mass(sizes.min(axis=1), sizes.max(axis=1))
    literals, amount, _ = inputs.literals.shares(units, COARSE_LITERALS, beside_passages(structure.similarity))
    literal_mass = np.minimum(amount, COARSE_LITERALS.cap * mass)
    total = mass + literal_mass
    by_structure, by_literals = (
        np.divide(part, total, out=np.zeros(len(units)), where=total > 0)
        for part in (structure.similarity * mass, literals * literal_mass)
    )
    evidence = (by_structure + by_literals) * structure.tokens / (structure.tokens + HALF_SYMBOLS)
    similarity = calibrated(evidence).round(DECIMALS)
    share = np.divide(by_literals, by_structure + by_literals, out=np.zeros(len(units)), where=evidence > 0)
    return structure._replace(
        similarity=similarity,
        structure=similarity - similarity * share,
        literals=similarity * share,
        names=np.zeros(len(units)),
        imports=np.zeros(len(units)),
    )


def calibrated(evidence: Floats) -> Floats:
    """Return evidence in [0, 1] as a similarity on the scale of pairs in one language, in the same order."""
    squares: Floats = evidence * evidence
    return squares / (squares + HALF_EVIDENCE**2)
