"""The signatures of a document, and the recipe: the parameters that they are computed with.

Only signatures of the same recipe can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint import features, kgram_hashes, mod_sketch, shingles
from fingerprint.engine import ENGINE_VERSION, distinct_values
from fingerprint.sketches.simhash import simhash

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.kernels.types import Hashes

EMPTY = np.empty(0, dtype=np.uint64)


@dataclass(frozen=True, slots=True)
class Recipe:
    """The parameters of the signatures.

    w : number of tokens in a shingle (10 words in syntactic-clustering)
    m : a sketch has the shingles that are 0 mod m, about one in m
    k, s, r : number of features, of minima in each, and of shared features that make a near-copy
        (near-duplicate-features, section 3)
    gram : number of tokens in a k-gram of the SimHash. Each distinct k-gram counts once; otherwise the
        k-grams that all programs repeat would determine the SimHash.
    """

    w: int = 10
    m: int = 4
    k: int = 6
    s: int = 14
    r: int = 2
    gram: int = 3

    @property
    def key(self) -> str:
        """Text form of the recipe, stored with a corpus; without `r`, which applies only to queries."""
        return f"w{self.w}m{self.m}-f{self.k}x{self.s}-d{self.gram}-e{ENGINE_VERSION}"


RECIPE = Recipe()


class Signatures(NamedTuple):
    """The signatures of a document.

    `tokens`: number of tokens; `digest`: hash of the token kinds, 32 hexadecimal digits; `sketch` and
    `features`: uint64 arrays, empty for fewer than w tokens; `simhash`: 64 bits, None for fewer than `gram`
    tokens.
    """

    tokens: int
    digest: str
    sketch: Hashes
    features: Hashes
    simhash: int | None


def compute_signatures(kinds: npt.NDArray[np.uint64], recipe: Recipe = RECIPE) -> Signatures:
    """Return the signatures of a document from its token kinds, uint64 [n]; n may be 0."""
    digest = blake2b(kinds.astype("<u8").tobytes(), digest_size=16).hexdigest()
    sketch, feature_values = EMPTY, EMPTY
    if len(kinds) >= recipe.w:
        values = shingles(kinds, recipe.w)
        sketch, feature_values = mod_sketch(values, recipe.m), features(values, recipe.k, recipe.s)
    grams = distinct_values(kgram_hashes(kinds, recipe.gram))
    return Signatures(len(kinds), digest, sketch, feature_values, simhash(grams) if len(grams) else None)
