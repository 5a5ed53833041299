"""Rarity-weighted terms of a cohort: what pairs share of their names and of their literals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint._jit import njit
from fingerprint.languages.lexical_terms import characters_of
from fingerprint.ranking.score_constants import (
    LITERAL_RARITY_EXPONENT,
    NAME_RARITY_EXPONENT,
    WHOLE_TERM_CHARACTERS,
)
from fingerprint.ranking.weights import rarity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fingerprint.languages.lexical_terms import Lexical
    from fingerprint.ranking.score_constants import Norm
    from fingerprint.types import Bounds, Floats, Rows, Terms


def normaliser(one: Floats, other: Floats, norm: Norm) -> Floats:
    """Give `norm` of two arrays of masses; 0 where either is empty."""
    small, large = np.minimum(one, other), np.maximum(one, other)
    ratio = np.divide(large, small, out=np.ones_like(large), where=small > 0)
    against: Floats = small * np.minimum(ratio, norm.ratio) ** norm.size
    return against


@njit
def _shared(ids: Rows, bounds: Bounds, weights: Floats, pairs: Rows, shared: Floats) -> None:
    for row in range(len(pairs)):
        a, a_end = bounds[pairs[row, 0]], bounds[pairs[row, 0] + 1]
        b, b_end = bounds[pairs[row, 1]], bounds[pairs[row, 1] + 1]
        while a < a_end and b < b_end:
            one, other = ids[a], ids[b]
            if one == other:
                shared[row] += weights[one]
            a += one <= other
            b += other <= one


@dataclass(frozen=True, slots=True)
class TermTable:
    """Distinct terms of n submissions: `ids[bounds[d]:bounds[d + 1]]` ascending, `weights` by id."""

    ids: Rows
    bounds: Bounds
    weights: Floats

    @classmethod
    def of(cls, held: Sequence[Sequence[Terms]], left_out: Terms, exponent: float) -> TermTable:
        """Lay out the terms of every file of every submission; those of `left_out` are dropped."""
        own = [np.unique(np.concatenate([np.empty(0, np.uint64), *files])) for files in held]
        kept = [terms[~np.isin(terms, left_out)] for terms in own] if len(left_out) else own
        values, ids = np.unique(np.concatenate([np.empty(0, np.uint64), *kept]), return_inverse=True)
        bounds = np.cumsum([0, *map(len, kept)], dtype=np.int64)
        telling = np.minimum(characters_of(values), WHOLE_TERM_CHARACTERS) / WHOLE_TERM_CHARACTERS
        frequency = np.bincount(ids, minlength=len(values))
        return cls(ids.astype(np.int64), bounds, rarity(frequency, exponent) * telling)

    def masses(self) -> Floats:
        """Weight of all terms of each submission."""
        sums = np.concatenate(([0.0], np.cumsum(self.weights[self.ids])))
        return sums[self.bounds[1:]] - sums[self.bounds[:-1]]

    def shares(self, pairs: Rows, norm: Norm) -> tuple[Floats, Floats]:
        """Share in [0, 1] of what each pair is measured against that both hold, and that measure."""
        shared = np.zeros(len(pairs))
        _shared(self.ids, self.bounds, self.weights, pairs, shared)
        masses = self.masses()
        against = normaliser(masses[pairs[:, 0]], masses[pairs[:, 1]], norm)
        share = np.divide(shared, against, out=np.zeros_like(shared), where=against > 0)
        return np.minimum(share, 1.0), against


class LexicalTable(NamedTuple):
    """Literals and names of n submissions."""

    literals: TermTable
    names: TermTable

    @classmethod
    def of(cls, held: Sequence[Sequence[Lexical]], boilerplate: Sequence[Lexical] = ()) -> LexicalTable:
        """Lay out the terms of every file of every submission; what boilerplate holds counts nowhere."""
        return cls(
            TermTable.of(*_column(held, boilerplate, "literals"), LITERAL_RARITY_EXPONENT),
            TermTable.of(*_column(held, boilerplate, "names"), NAME_RARITY_EXPONENT),
        )


def _column(
    held: Sequence[Sequence[Lexical]], boilerplate: Sequence[Lexical], field: str
) -> tuple[list[list[Terms]], Terms]:
    known = [np.empty(0, np.uint64), *(getattr(lexical, field) for lexical in boilerplate)]
    return [[getattr(lexical, field) for lexical in files] for files in held], np.concatenate(known)
