"""Terms (literals, names, imports) of a cohort, weighted by rarity, and the part of them that pairs share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.distinct import distinct_values
from fingerprint.kernels.registry import kernel
from fingerprint.languages.lexical_terms import term_lengths
from fingerprint.ranking import score_constants as constants
from fingerprint.ranking.weights import rarity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fingerprint.languages.lexical_terms import LexicalTerms
    from fingerprint.ranking.score_constants import Evidence, Norm
    from fingerprint.types import Bounds, Flags, Floats, Hashes, Owners, Positions, Rows, Terms


def apply_norm(left: Floats, right: Floats, norm: Norm, part: Floats | float = 1.0) -> Floats:
    """Return the norm of two arrays of masses, elementwise; 0 where either mass is 0.

    `part` in [0, 1] multiplies the exponent.
    """
    small, large = np.minimum(left, right), np.maximum(left, right)
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


@kernel
def _add_shared_weights(ids: Positions, bounds: Bounds, weights: Floats, pairs: Rows, shared: Floats) -> None:
    for row in range(len(pairs)):
        a, a_end = bounds[pairs[row, 0]], bounds[pairs[row, 0] + 1]
        b, b_end = bounds[pairs[row, 1]], bounds[pairs[row, 1] + 1]
        while a < a_end and b < b_end:
            left, right = ids[a], ids[b]
            if left == right:
                shared[row] += weights[left]
            a += left <= right
            b += right <= left


class SharedTerms(NamedTuple):
    """Terms of one kind that the sides of n pairs have in common, as parallel float64 arrays.

    `share` in [0, 1]: by weight; `amount`: how many tokens the share counts as; `weight`: that of the shared
    terms.
    """

    share: Floats
    amount: Floats
    weight: Floats


@dataclass(frozen=True, slots=True)
class TermTable:
    """Distinct terms of n submissions.

    `ids` int64: terms of submission d, ascending, are `ids[bounds[d]:bounds[d + 1]]`; `bounds` int64 [n + 1];
    `lengths` float64: weight of each term by its number of characters, by id; `weights` float64: the same
    times its rarity.
    """

    ids: Positions
    bounds: Bounds
    lengths: Floats
    weights: Floats

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
        empty = np.empty(0, np.uint64)
        own_terms = [distinct_values(np.concatenate([empty, *files])) for files in submissions]
        terms = [own[~np.isin(own, excluded)] for own in own_terms] if len(excluded) else own_terms
        values, ids = np.unique(np.concatenate([empty, *terms]), return_inverse=True)
        bounds = np.cumsum([0, *map(len, terms)], dtype=np.int64)
        whole = constants.WHOLE_TERM_CHARACTERS
        lengths = np.minimum(term_lengths(values), whole) / whole
        rows = ids if counted is None else ids[np.repeat(counted, np.diff(bounds))]
        frequency = np.bincount(rows, minlength=len(values))
        weights = (
            rarity(frequency, constants.TERM_RARITY_EXPONENT if exponent is None else exponent) * lengths
        )
        if programs is not None:
            having = np.bincount(ids, np.repeat(programs, np.diff(bounds)), minlength=len(values))
            weights *= undictated(having.astype(np.float64), programs.sum())
        return cls(ids.astype(np.int64), bounds, lengths, weights)

    def _masses(self, weights: Floats) -> Floats:
        """Return the total weight of each submission's terms: float64 [n]."""
        sums = np.concatenate(([0.0], np.cumsum(weights[self.ids])))
        return sums[self.bounds[1:]] - sums[self.bounds[:-1]]

    def _mass(self, weights: Floats, pairs: Rows, norm: Norm, part: Floats | float = 1.0) -> Floats:
        masses = self._masses(weights)
        return apply_norm(masses[pairs[:, 0]], masses[pairs[:, 1]], norm, part)

    def shares(self, pairs: Rows, evidence: Evidence, passages: Floats) -> SharedTerms:
        """Return what the two sides of each pair have in common; never less where `passages`, T, is more.

        The nearer T is to 1, the less it counts what the larger side has beside the smaller one's terms.
        """
        shared = np.zeros(len(pairs))
        _add_shared_weights(self.ids, self.bounds, self.weights, pairs, shared)
        mass = self._mass(self.weights, pairs, evidence.share, 1 - passages**constants.WHOLE_EXPONENT)
        share = np.divide(shared, mass, out=np.zeros_like(shared), where=mass > 0)
        weights = self.weights if evidence.amount_by_rarity else self.lengths
        # Where one side has nothing but what the task dictates, nothing follows from what the other has.
        amount = np.where(mass > 0, evidence.tokens * self._mass(weights, pairs, evidence.amount), 0.0)
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
