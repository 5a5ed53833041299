"""SimHash: documents that differ little differ in few bits (simhash-web-crawling, section 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint.kernels.registry import kernel, njit

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.types import Floats, Words


BITS = 64


@njit
def _sum_unweighted(features: Words, components: Floats) -> None:
    """Write V for weights of 1: for each bit twice the features that have it, minus all features."""
    counts = np.zeros(BITS, dtype=np.int64)
    for feature in features:
        for bit in range(BITS):
            counts[bit] += np.int64((feature >> np.uint64(bit)) & np.uint64(1))
    for bit in range(BITS):
        components[bit] = 2 * counts[bit] - len(features)


@njit
def _sum_weighted(features: Words, weights: Floats, components: Floats) -> None:
    components[:] = 0.0
    for i in range(len(features)):
        feature, weight = features[i], weights[i]
        for bit in range(BITS):
            components[bit] += weight if (feature >> np.uint64(bit)) & np.uint64(1) else -weight


@kernel
def _simhashes(features: Words, offsets: npt.NDArray[np.int64], weights: Floats, fingerprints: Words) -> None:
    components = np.empty(BITS, dtype=np.float64)
    for document in range(len(fingerprints)):
        start, end = offsets[document], offsets[document + 1]
        if len(weights):
            _sum_weighted(features[start:end], weights[start:end], components)
        else:
            _sum_unweighted(features[start:end], components)
        fingerprint = np.uint64(0)
        for bit in range(BITS):
            if components[bit] > 0:
                fingerprint |= np.uint64(1) << np.uint64(bit)
        fingerprints[document] = fingerprint


def simhashes(features: Words, offsets: npt.NDArray[np.integer], weights: Floats | None = None) -> Words:
    """Return the SimHash of each document: the signs of the weighted sums of its features' bits.

    (Section 2, Computation.)

    Parameters
    ----------
    features : uint64 array of the feature hashes of all documents, one document after the other; a feature
        that occurs n times counts n times
    offsets : integer array of documents + 1; document i has features[offsets[i]:offsets[i + 1]]
    weights : float64 array of one weight for each feature, at least 0; by default all 1

    Returns
    -------
    uint64 array of one fingerprint for each document. A component of 0 gives a 0 bit.

    Raises
    ------
    ValueError
        When a document has no features (all such documents would be near-duplicates with fingerprint 0,
        section 4.2), the offsets do not fit, or a weight is negative, not finite or missing.
    """
    _check_offsets(features, offsets)
    weight_array = np.empty(0) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    if weights is not None:
        _check_weights(weight_array, len(features))
    fingerprints = np.empty(len(offsets) - 1, dtype=np.uint64)
    _simhashes(np.ascontiguousarray(features), offsets.astype(np.int64), weight_array, fingerprints)
    return fingerprints


def simhash(features: Words, weights: Floats | None = None) -> int:
    """Return the SimHash of one document (section 2); parameters and errors as for `simhashes`."""
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
