"""What is kept of a document, and how it is made; no two recipes are compared."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint import features, kgram_hashes, mod_sketch, shingles
from fingerprint.engine import ENGINE_VERSION
from fingerprint.simhash import simhash

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.types import Hashes


NONE = np.empty(0, dtype=np.uint64)


@dataclass(frozen=True, slots=True)
class Recipe:
    """How documents are sketched.

    w : tokens in a shingle (syntactic-clustering takes 10 words)
    m : one shingle in m is kept, those that are 0 mod m
    k, s, r : features, minima in each, features to share (near-duplicate-features, section 3)
    gram : tokens in a feature of the SimHash; each counts once, else what all programs repeat would decide
    """

    w: int = 10
    m: int = 4
    k: int = 6
    s: int = 14
    r: int = 2
    gram: int = 3

    @property
    def key(self) -> str:
        """Text form that is stored; `r` is asked of what is stored and not a part of it."""
        return f"w{self.w}m{self.m}-f{self.k}x{self.s}-d{self.gram}-e{ENGINE_VERSION}"


RECIPE = Recipe()


class Prints(NamedTuple):
    """What is kept of a document: `sketch` and `features` uint64, empty for fewer than w tokens."""

    tokens: int
    digest: str
    sketch: Hashes
    features: Hashes
    simhash: int | None


def prints(kinds: npt.NDArray[np.uint64], recipe: Recipe = RECIPE) -> Prints:
    """Sketch the token kinds of one document; any number of tokens will do."""
    digest = blake2b(kinds.astype("<u8").tobytes(), digest_size=16).hexdigest()
    sketch, found = NONE, NONE
    if len(kinds) >= recipe.w:
        values = shingles(kinds, recipe.w)
        sketch, found = mod_sketch(values, recipe.m), features(values, recipe.k, recipe.s)
    grams = np.unique(kgram_hashes(kinds, recipe.gram))
    return Prints(len(kinds), digest, sketch, found, simhash(grams) if len(grams) else None)
