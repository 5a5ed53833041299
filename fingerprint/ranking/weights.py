"""What a k-gram, and a token, is worth: the rarer in the cohort, the more (docs/score.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint._jit import njit
from fingerprint.ranking.score_constants import RARITY_EXPONENT, REPEAT_EXPONENT

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.types import Bounds, Flags, Floats, Ids


def rarity(frequency: npt.NDArray[np.integer], exponent: float) -> Floats:
    """Weight of what `frequency` submissions hold, in (0, 1]; 1 for one or two of them."""
    weights: Floats = np.maximum(frequency - 1.0, 1.0) ** -exponent
    return weights


@njit
def document_frequency(ids: Ids, bounds: Bounds, distinct: int) -> Ids:
    """In how many documents each id is; document d is `ids[bounds[d]:bounds[d + 1]]`."""
    frequency = np.zeros(distinct, dtype=np.int32)
    last = np.full(distinct, -1, dtype=np.int32)
    for owner in range(len(bounds) - 1):
        for gram in ids[bounds[owner] : bounds[owner + 1]]:
            if last[gram] != owner:
                last[gram] = owner
                frequency[gram] += 1
    return frequency


@njit
def _damp_repeats(ids: Ids, inside: Flags, bounds: Bounds, logs: Floats, distinct: int) -> None:
    """Take REPEAT_EXPONENT times the logarithm of its repeats off each k-gram's log weight."""
    repeats = np.zeros(distinct, dtype=np.int32)
    for owner in range(len(bounds) - 1):
        for at in range(bounds[owner], bounds[owner + 1]):
            repeats[ids[at]] += inside[at]
        for at in range(bounds[owner], bounds[owner + 1]):
            if inside[at]:
                logs[at] -= REPEAT_EXPONENT * np.log(repeats[ids[at]])
        for at in range(bounds[owner], bounds[owner + 1]):
            repeats[ids[at]] = 0


@njit
def _means(logs: Floats, inside: Flags, left_out: Flags, k: int, weights: Floats) -> None:
    """Fill geometric means over the k-grams inside files that cover each token."""
    total, count = 0.0, 0
    for at in range(len(weights)):
        if at < len(logs) and inside[at]:
            total, count = total + logs[at], count + 1
        if k <= at < len(logs) + k and inside[at - k]:
            total, count = total - logs[at - k], count - 1
        if count == 0:
            total = 0.0  # between files: rounding errors end here
        elif not left_out[at]:
            weights[at] = np.exp(total / count)


def token_weights(ids: Ids, frequency: Ids, spans: tuple[Bounds, Bounds], left_out: Flags, k: int) -> Floats:
    """Weigh each token by the geometric mean of the (up to k) k-grams that cover it.

    Parameters
    ----------
    ids : int32, the k-gram at each token, as far as one begins
    frequency : int32, in how many submissions each k-gram is
    spans : int64, where files begin and where submissions begin; each file ends in a separator
    left_out : bool [t], tokens that weigh nothing
    k : tokens in a k-gram

    Returns
    -------
    float64 [t] in [0, 1]; 0 for separators and for files shorter than a k-gram, which match nothing.
    """
    files, bounds = spans
    ends = np.repeat(files[1:] - 1, np.diff(files))[: len(ids)]
    inside = np.arange(len(ids)) + k <= ends
    logs = np.log(rarity(frequency, RARITY_EXPONENT))[ids]
    _damp_repeats(ids, inside, np.minimum(bounds, len(ids)), logs, len(frequency))
    weights = np.zeros(len(left_out))
    _means(logs, inside, left_out, k, weights)
    return weights
