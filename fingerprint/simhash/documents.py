"""SimHash: documents that differ little differ in few bits (simhash-web-crawling, section 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint._jit import njit

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.types import Floats, Words


BITS = 64


@njit
def _count(features: Words, components: Floats) -> None:
    """V for weights of 1: twice the features that have the bit, less all of them."""
    counts = np.zeros(BITS, dtype=np.int64)
    for feature in features:
        for bit in range(BITS):
            counts[bit] += np.int64((feature >> np.uint64(bit)) & np.uint64(1))
    for bit in range(BITS):
        components[bit] = 2 * counts[bit] - len(features)


@njit
def _weigh(features: Words, weights: Floats, components: Floats) -> None:
    components[:] = 0.0
    for i in range(len(features)):
        feature, weight = features[i], weights[i]
        for bit in range(BITS):
            components[bit] += weight if (feature >> np.uint64(bit)) & np.uint64(1) else -weight


@njit
def _simhashes(features: Words, offsets: npt.NDArray[np.int64], weights: Floats, fingerprints: Words) -> None:
    components = np.empty(BITS, dtype=np.float64)
    for document in range(len(fingerprints)):
        start, end = offsets[document], offsets[document + 1]
        if len(weights):
            _weigh(features[start:end], weights[start:end], components)
        else:
            _count(features[start:end], components)
        fingerprint = np.uint64(0)
        for bit in range(BITS):
            if components[bit] > 0:
                fingerprint |= np.uint64(1) << np.uint64(bit)
        fingerprints[document] = fingerprint


def simhashes(features: Words, offsets: npt.NDArray[np.integer], weights: Floats | None = None) -> Words:
    """SimHash of many documents: signs of the weighted sums of their features' bits (section 2, Computation).

    Parameters
    ----------
    features : uint64 array of the hashes of all documents' features, one after the other; a feature that is
        there n times counts n times
    offsets : integer array of documents + 1; document i has features[offsets[i]:offsets[i + 1]]
    weights : float64 array, one a feature, at least 0; by default all 1

    Returns
    -------
    uint64 array of one fingerprint a document. A component of 0 gives a 0 bit.

    Raises
    ------
    ValueError
        When a document has no features (section 4.2: all those would be near-duplicates, with fingerprint 0),
        the offsets do not fit, or a weight is negative, not finite or not there.
    """
    _check_offsets(features, offsets)
    given = np.empty(0) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    if weights is not None:
        _check_weights(given, len(features))
    fingerprints = np.empty(len(offsets) - 1, dtype=np.uint64)
    _simhashes(np.ascontiguousarray(features), offsets.astype(np.int64), given, fingerprints)
    return fingerprints


def simhash(features: Words, weights: Floats | None = None) -> int:
    """SimHash of one document (section 2); parameters and errors as for `simhashes`."""
    return int(simhashes(features, np.array([0, len(features)]), weights)[0])


def _check_offsets(features: Words, offsets: npt.NDArray[np.integer]) -> None:
    if features.dtype != np.uint64 or features.ndim != 1:
        raise ValueError(
            f"features are {features.ndim}-dimensional {features.dtype}; uint64 hashes are needed"
        )
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(features):
        raise ValueError(
            f"offsets are {offsets}; they begin with 0 and end with {len(features)}, all features"
        )
    empty = np.flatnonzero(offsets[1:] <= offsets[:-1])
    if len(empty):
        raise ValueError(f"document {empty[0]} has no features; a fingerprint is made of at least 1")


def _check_weights(weights: Floats, features: int) -> None:
    if weights.shape != (features,):
        raise ValueError(f"{weights.size} weights are given for {features} features; each has one")
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        raise ValueError(f"weight {wrong[0]} is {weights[wrong[0]]}; a weight is a finite number, at least 0")
