"""Min-wise sketches, and the features that filter near-duplicates (near-duplicate-features)."""

from __future__ import annotations

from itertools import combinations
from math import ceil, comb, log
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np

from fingerprint._jit import njit
from fingerprint.permutation import linear_maps, permute

if TYPE_CHECKING:
    from fingerprint.types import Floats, Hashes, Positions


BASE = np.uint64(0xD6E8FEB86659FD93)  # odd, and not the base of the k-gram hashes (section 3)
SHIFT = np.uint64(32)
NODES = 96  # of the quadrature on each side of the target
USUAL_ERROR = 0.4
LARGEST_TARGET = 0.999  # above, a feature would take thousands of minima


class Filter(NamedTuple):
    """`k` features of `s` minima each; a pair that shares `r` of them is taken for near-duplicates."""

    k: int
    s: int
    r: int


@njit
def _minima(values: Hashes, factors: Hashes, terms: Hashes, minima: Hashes) -> None:
    for j in range(len(minima)):
        factor, term = factors[j], terms[j]
        least = values[0] * factor + term
        for i in range(1, len(values)):
            least = min(least, values[i] * factor + term)
        minima[j] = least


@njit
def _fold(rows: Hashes, folded: Hashes) -> None:
    for i in range(len(rows)):
        value = np.uint64(i + 1) * BASE  # the number of the group goes first
        for j in range(rows.shape[1]):
            value = (value ^ rows[i, j]) * BASE
            value ^= value >> SHIFT
        folded[i] = value * BASE


def _folded(rows: Hashes) -> Hashes:
    folded = np.empty(len(rows), dtype=np.uint64)
    _fold(rows, folded)
    return folded


def _at_least_one(**numbers: int) -> None:
    for name, number in numbers.items():
        if number < 1:
            raise ValueError(f"{name} is {number}; it is at least 1")


def min_wise(values: Hashes, count: int, seed: int = 0) -> Hashes:
    """Smallest image of a set under each of `count` permutations (section 2, equation 1).

    A permutation is one shared mixing of the values, then a linear map of its own modulo 2**64: for
    well-mixed values random linear maps suffice in practice (section 2).

    Parameters
    ----------
    values : uint64 array of n values, a set; order and repeats do not count
    count : number of permutations, at least 1
    seed : 0 to 2**64 - 1; only sketches of one seed are compared

    Returns
    -------
    uint64 array of `count` minima; those of two sets agree in a place with probability r(A, B).

    Raises
    ------
    ValueError
        When the set is empty, `count` is below 1 or `seed` is out of range.
    """
    _at_least_one(count=count)
    if not len(values):
        raise ValueError("the set is empty; a min-wise sketch needs at least 1 value")
    minima = np.empty(count, dtype=np.uint64)
    _minima(permute(values, seed), *linear_maps(seed, count), minima)
    return minima


def min_wise_resemblance(a: Hashes, b: Hashes) -> float:
    """Unbiased estimate of r(A, B): the share of places where two min-wise sketches agree (section 2).

    Raises
    ------
    ValueError
        When the sketches are empty or differ in length.
    """
    return shared_features(a, b) / len(a)


def features(values: Hashes, k: int = 6, s: int = 14, seed: int = 0) -> Hashes:
    """Features of a set: k groups of s minima, each hashed with its number to 64 bits (section 3).

    Parameters
    ----------
    values : uint64 array of n values, a set
    k, s : features, and minima in each; at least 1
    seed : 0 to 2**64 - 1; only features of one seed, k and s are compared

    Returns
    -------
    uint64 array of k features; those of two sets agree in a place with probability r(A, B)**s.

    Raises
    ------
    ValueError
        When the set is empty, `k` or `s` is below 1 or `seed` is out of range.
    """
    _at_least_one(k=k, s=s)
    return _folded(min_wise(values, k * s, seed).reshape(k, s))


def shared_features(a: Hashes, b: Hashes) -> int:
    """In how many places two feature vectors of one length agree (section 3).

    Raises
    ------
    ValueError
        When the vectors are empty or differ in length.
    """
    if len(a) != len(b) or not len(a):
        raise ValueError(f"vectors of {len(a)} and {len(b)} places; only equal lengths of 1 or more compare")
    return int(np.count_nonzero(a == b))


def super_features(features: Hashes, r: int) -> Hashes:
    """Hash of every `r` of k features, so that sharing one is sharing r features (section 3).

    Returns
    -------
    uint64 array of k-choose-r super-features, in the order of `itertools.combinations`.

    Raises
    ------
    ValueError
        When `r` is not in 1 .. k.
    """
    if not 1 <= r <= len(features):
        raise ValueError(f"r is {r}; a super-feature joins 1 to {len(features)} of these features")
    return _folded(features[np.array(list(combinations(range(len(features)), r)))])


def _tails(chance: Floats, k: int) -> Floats:
    """P(at least r of k) for r = k, ..., 1, 0 (first axis), each feature being shared with that chance."""
    terms = [comb(k, i) * chance**i * (1 - chance) ** (k - i) for i in range(k, -1, -1)]
    return np.cumsum(terms, axis=0)


@overload
def acceptance(rho: float, k: int, s: int, r: int) -> float: ...
@overload
def acceptance(rho: Floats, k: int, s: int, r: int) -> Floats: ...
def acceptance(rho: float | Floats, k: int, s: int, r: int) -> float | Floats:
    """P(k, s, r): chance that sets of resemblance `rho` share `r` features or more (section 3).

    Parameters
    ----------
    rho : resemblance in [0, 1], a number or an array of any shape
    k, s, r : features, minima in each, features to share; `r` at most `k`

    Returns
    -------
    Probability, of the shape of `rho`.

    Raises
    ------
    ValueError
        When `rho` is NaN or outside [0, 1], `k` or `s` below 1 or `r` not in 1 .. k.
    """
    _at_least_one(k=k, s=s)
    if not 1 <= r <= k:
        raise ValueError(f"r is {r}; of {k} features 1 to {k} can be shared")
    resemblances = np.asarray(rho, dtype=np.float64)
    if not ((resemblances >= 0) & (resemblances <= 1)).all():
        raise ValueError(f"rho is {rho}; a resemblance is in [0, 1]")
    accepted: Floats = np.minimum(_tails(resemblances**s, k)[k - r], 1.0)
    return accepted if accepted.ndim else float(accepted)


def _errors(target: float, k: int, sizes: Positions) -> Floats:
    """Total error (section 4) of the filters (k, s, r): rows r = k, ..., 1, columns s = `sizes`."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    below = _tails((target * (nodes + 1) / 2) ** sizes[:, None], k)[:k]
    above = _tails((target + (1 - target) * (nodes + 1) / 2) ** sizes[:, None], k)[:k]
    errors: Floats = target / 2 * (below @ weights) + (1 - target) / 2 * ((1 - above) @ weights)
    return errors


def choose(target: float, error: float | None = None, most_features: int = 16) -> Filter:
    """Cheapest filter for a target resemblance whose total error is at most `error` (section 4).

    The total error is what a filter misjudges when resemblance is uniform on [0, 1]: the integral of P
    below the target and of 1 - P above it. Cheapest is the fewest features, then the fewest permutations,
    then the least error.

    Parameters
    ----------
    target : resemblance from which pairs should be accepted, above 0 and at most 0.999
    error : total error allowed, in (0, 1); by default 0.4 (1 - target), and the paper's filter makes 0.375
    most_features : largest k to propose, at least 1

    Raises
    ------
    ValueError
        When an argument is out of range or no filter of up to `most_features` features errs so little.
    """
    _at_least_one(most_features=most_features)
    allowed = USUAL_ERROR * (1 - target) if error is None else error
    if not 0 < target <= LARGEST_TARGET:
        raise ValueError(f"target is {target}; it is above 0 and at most {LARGEST_TARGET}")
    if not 0 < allowed < 1:
        raise ValueError(f"error is {allowed}; it lies between 0 and 1")
    least = 1.0
    for k in range(1, most_features + 1):
        # Up to twice the minima with which r = 1 accepts half of the pairs at the target; more only miss.
        sizes = np.arange(1, ceil(2 * log(k / log(2)) / -log(target)) + 2)
        errors = _errors(target, k, sizes)
        good = [(int(sizes[s]), errors[i, s], k - int(i)) for i, s in np.argwhere(errors <= allowed)]
        if good:
            s, _, r = min(good)
            return Filter(k, s, r)
        least = min(least, float(errors.min()))
    limit = f"up to {most_features} features and target {target}"
    raise ValueError(f"error is {allowed}; with {limit} it is at least {least:.4f}")
