"""Terms (literals, names, imports) of a cohort, weighted by rarity, and the part of them that pairs share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from fingerprint.distinct import distinct_values, numbered
from fingerprint.kernels.registry import kernel
from fingerprint.kernels.types import Bounds, Flags, Floats, Hashes, Owners, Positions, Rows, Terms
from fingerprint.languages.lexical_terms import LexicalTerms, term_lengths
from fingerprint.ranking import score_constants as constants
from fingerprint.ranking.weights import rarity

# Of the number of a submission, where it and the number of a term are one number.
OWNER_SHIFT = 32


def apply_norm(left: Floats, right: Floats, norm: constants.Norm, part: Floats | float = 1.0) -> Floats:
    """Return the norm of two arrays of masses, elementwise; 0 where either mass is 0.

    `part` in [0, 1] multiplies the exponent.
    """
    small, large = np.minimum(left, right), np.maximum(left, right)
    if not norm.exponent:
        return small
    ratio = np.divide(large, small, out=np.ones_like(large), where=small > 0) / constants.FREE_TERMS
    normed: Floats = small * np.clip(ratio, 1.0, norm.max_ratio) ** (norm.exponent * part)
    return normed


def undictated(programs: Floats, every: float) -> Floats:
    """Return the part of its weight that a term keeps which so many of `every` programs have.

    All of it in up to two programs, none in half of all: what half of a class writes, the task asked for.
    """
    further = np.maximum(programs - 2, 0)
    kept: Floats = np.maximum(1 - further / max(every * constants.DICTATED_PART, 1), 0)
    return kept


def beside_passages(passages: Floats) -> Floats:
    """Return how much it counts what only the larger side has: less where `passages`, T, is near 1."""
    beside: Floats = 1 - passages**constants.WHOLE_EXPONENT
    return beside


def _norm_of_pairs(masses: Floats, pairs: Rows, norm: constants.Norm, part: Floats | float = 1.0) -> Floats:
    return apply_norm(masses[pairs[:, 0]], masses[pairs[:, 1]], norm, part)


def _rarities(ids: Positions, bounds: Bounds, counted: Flags | None, exponent: float | None) -> Floats:
    rows = ids if counted is None else ids[np.repeat(counted, np.diff(bounds))]
    frequency = np.bincount(rows, minlength=int(ids.max(initial=-1)) + 1)
    return rarity(frequency, constants.TERM_RARITY_EXPONENT if exponent is None else exponent)


def _sums_of_rows(column: Floats, bounds: Bounds) -> Floats:
    sums = np.concatenate(([0.0], np.cumsum(column)))
    return sums[bounds[1:]] - sums[bounds[:-1]]


@kernel
def _add_shared_weights(ids: Positions, bounds: Bounds, weights: Floats, pairs: Rows, shared: Floats) -> None:
    """Add the weights of the terms that both sides have, in their order; it is fast for pairs of one left."""
    on_left, entered = np.zeros(len(weights)), -1
    for row in range(len(pairs)):
        left, right = pairs[row]
        if left != entered:
            for term in ids[bounds[entered] : bounds[entered + 1]] if entered >= 0 else ids[:0]:
                on_left[term] = 0.0
            for term in ids[bounds[left] : bounds[left + 1]]:
                on_left[term] = weights[term]
            entered = left
        for term in ids[bounds[right] : bounds[right + 1]]:
            shared[row] += on_left[term]


class SharedTerms(NamedTuple):
    """Terms of one kind that the sides of n pairs have in common, as parallel float64 arrays.

    `share` in [0, 1]: by weight; `amount`: how many tokens the share counts as; `weight`: that of the shared terms.
    """

    share: Floats
    amount: Floats
    weight: Floats


@dataclass(frozen=True, slots=True)
class TermTable:
    """Distinct terms of n submissions.

    `ids` int64: terms of submission d, ascending, are `ids[bounds[d]:bounds[d + 1]]`; `bounds` int64 [n + 1]; `weights`
    float64: weight of each term by its rarity and its number of characters, by id. `shared_ids` and `shared_bounds` are
    those terms that weigh something and that several submissions have: a small part. `masses` float64 [n]: the sum of
    the weights of each submission; `amounts` float64 [n]: the same without rarity.
    """

    ids: Positions
    bounds: Bounds
    weights: Floats
    shared_ids: Positions
    shared_bounds: Bounds
    masses: Floats
    amounts: Floats

    @classmethod
    def from_submissions(
        cls,
        submissions: Sequence[Sequence[Terms]],
        excluded: Terms,
        counted: Flags | None = None,
        programs: Floats | None = None,
        exponent: float | None = None,
    ) -> TermTable:
        """Build the table from the terms of every file of every submission, without those in `excluded`.

        A term weighs its rarity among the `counted` submissions (all by default), less if it is shorter than
        `WHOLE_TERM_CHARACTERS`, and less if many programs have it that are not related: see `undictated`.
        `programs` is the part of a program that each submission counts as. `exponent` is that of the rarity,
        by default `TERM_RARITY_EXPONENT`.
        """
        owners = np.repeat(np.arange(len(submissions)), [sum(map(len, files)) for files in submissions])
        terms = np.concatenate([np.empty(0, np.uint64), *chain.from_iterable(submissions)])
        if len(excluded):
            kept = ~np.isin(terms, excluded)
            owners, terms = owners[kept], terms[kept]
        values, numbers = numbered(terms)
        # The distinct terms of each submission, by value.
        rows = distinct_values(owners << OWNER_SHIFT | numbers)
        ids = rows & ((1 << OWNER_SHIFT) - 1)
        bounds = np.searchsorted(rows, np.arange(len(submissions) + 1) << OWNER_SHIFT)
        lengths = np.minimum(term_lengths(values) / constants.WHOLE_TERM_CHARACTERS, 1.0)
        weights = lengths * _rarities(ids, bounds, counted, exponent)
        if programs is not None:
            having = np.bincount(ids, np.repeat(programs, np.diff(bounds)), minlength=len(values))
            weights *= undictated(having.astype(np.float64), programs.sum())
        can_be_shared = ((np.bincount(ids, minlength=len(values)) > 1) & (weights > 0))[ids]
        return cls(
            ids,
            bounds,
            weights,
            ids[can_be_shared],
            np.concatenate(([0], np.cumsum(can_be_shared, dtype=np.int64)))[bounds],
            _sums_of_rows(weights[ids], bounds),
            _sums_of_rows(lengths[ids], bounds),
        )

    def shares(self, pairs: Rows, evidence: constants.Evidence, beside: Floats) -> SharedTerms:
        """Return what the two sides of each pair have in common.

        `beside` in [0, 1] is how much it counts what the larger side has beside the smaller one's terms, see
        `beside_passages`.
        """
        shared = np.zeros(len(pairs))
        _add_shared_weights(self.shared_ids, self.shared_bounds, self.weights, pairs, shared)
        mass = _norm_of_pairs(self.masses, pairs, evidence.share, beside)
        share = np.divide(shared, mass, out=np.zeros_like(shared), where=mass > 0)
        amounts = self.masses if evidence.amount_by_rarity else self.amounts
        # Where one side has nothing but what the task dictates, nothing follows from what the other has.
        amount = np.where(mass > 0, evidence.tokens * _norm_of_pairs(amounts, pairs, evidence.amount), 0.0)
        return SharedTerms(np.minimum(share, 1.0), amount, shared)


class LexicalTable(NamedTuple):
    """Literals, names, imports and uses of names of n submissions."""

    literals: TermTable
    names: TermTable
    imports: TermTable
    uses: TermTable

    @property
    def readable(self) -> tuple[TermTable, TermTable, TermTable]:
        """See `LexicalTerms.readable`."""
        return self[:3]

    def with_tables(self, tokens: Floats) -> LexicalTable:
        """Return these terms with smaller amounts of literals, by the tokens of tables that do not count.

        Of many small numbers some are equal by chance.
        """
        literals = np.diff(self.literals.bounds)
        amounts = self.literals.amounts * (literals / np.maximum(literals + tokens, 1))
        return self._replace(literals=replace(self.literals, amounts=amounts))

    def columns(self) -> tuple[Hashes, Owners, Floats]:
        """Return a number and the submission of every readable term, and the weights by number.

        A use of a name is too weak to make two submissions a pair.
        """
        tables = self.readable
        firsts = np.cumsum([0, *(len(table.weights) for table in tables)])[:-1]
        ids = [table.ids + first for table, first in zip(tables, firsts, strict=True)]
        owners = [np.repeat(np.arange(len(table.bounds) - 1), np.diff(table.bounds)) for table in tables]
        weights = np.concatenate([table.weights for table in tables])
        return np.concatenate(ids).astype(np.uint64), np.concatenate(owners).astype(np.int32), weights

    @classmethod
    def from_submissions(
        cls,
        submissions: Sequence[Sequence[LexicalTerms]],
        boilerplate: Sequence[LexicalTerms] = (),
        counted: Flags | None = None,
        programs: Floats | None = None,
    ) -> LexicalTable:
        """Build the table from the terms of every file of every submission, without those of boilerplate.

        For `counted` and `programs` see `TermTable`; a task dictates no imports.
        """
        return cls(
            TermTable.from_submissions(*_terms(submissions, boilerplate, "literals"), counted, programs),
            TermTable.from_submissions(*_terms(submissions, boilerplate, "names"), counted, programs),
            TermTable.from_submissions(*_terms(submissions, boilerplate, "imports"), counted),
            TermTable.from_submissions(
                *_terms(submissions, boilerplate, "uses"), counted, programs, constants.RARITY_EXPONENT
            ),
        )


def _terms(
    submissions: Sequence[Sequence[LexicalTerms]], boilerplate: Sequence[LexicalTerms], field: str
) -> tuple[list[list[Terms]], Terms]:
    """Return one field of all files of all submissions, and of all boilerplate."""
    excluded = [np.empty(0, np.uint64), *(getattr(lexical, field) for lexical in boilerplate)]
    return [[getattr(lexical, field) for lexical in files] for files in submissions], np.concatenate(excluded)
